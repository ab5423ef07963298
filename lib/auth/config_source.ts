/** The profile's `config.toml` as auth sees it (spec 05 §8). */

import {
  changeConfig,
  expectedSubjects,
  loadConfig,
  setting,
  type TomlValue,
} from "../config/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { AuthConfigChange, AuthConfigSource } from "./types.ts";
import { AuthError } from "./errors.ts";

/** A source over the file in `directory`; without a directory everything has its default. */
export function profileConfigSource(
  options: {
    profileName: string;
    /** `<config>/gum/<profile>` */
    directory: string | undefined;
    log: Logger;
    /** Told when comments could not be kept. */
    onCommentsDropped?: () => void;
  },
): AuthConfigSource {
  const { profileName, directory, log } = options;
  return {
    async read() {
      const { config } = await loadConfig({ profileName, directory, log });
      const subject = setting(config, "auth.service_account.subject");
      return {
        expectedSubjects: expectedSubjects(config),
        adcEnabled: setting(config, "auth.adc.enabled"),
        ...(subject === undefined || subject === "" ? {} : { serviceAccountSubject: subject }),
        acknowledged: setting(config, "auth.acknowledged_prerequisites") ?? [],
        allowManualCode: setting(config, "auth.allow_manual_code"),
        tokenCache: setting(config, "auth.token_cache"),
      };
    },
    async change(change) {
      if (directory === undefined) {
        throw new AuthError({
          code: "HOME_UNRESOLVED",
          remediation: "no home directory is known, so nothing can be configured",
        });
      }
      const saved = await changeConfig({ profileName, directory, log }, () => keysOf(change));
      if (saved.commentsDropped) options.onCommentsDropped?.();
    },
  };
}

function keysOf(change: AuthConfigChange): Record<string, TomlValue | undefined> {
  const keys: Record<string, TomlValue | undefined> = {};
  if (change.expectedSubject !== undefined) {
    const { strategy, fingerprint } = change.expectedSubject;
    keys[`auth.expected_subject.${strategy}`] = fingerprint ?? undefined;
  }
  if (change.adcEnabled !== undefined) keys["auth.adc.enabled"] = change.adcEnabled ?? undefined;
  if (change.serviceAccountSubject !== undefined) {
    keys["auth.service_account.subject"] = change.serviceAccountSubject ?? undefined;
  }
  if (change.acknowledged !== undefined) {
    keys["auth.acknowledged_prerequisites"] = [...change.acknowledged];
  }
  return keys;
}
