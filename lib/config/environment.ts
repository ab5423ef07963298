/**
 * The one place that reads environment variables (spec 08 §8).
 *
 * Everything else receives an {@link Environment} by construction, so a test can hand over a plain
 * map and the list of variables stays in one table.
 *
 * @module
 */

import { GumError } from "../errors/mod.ts";

/** Every variable GUM looks at, with the reason in spec 08 §8. */
const VARIABLE_NAMES = [
  "GUM_PROFILE",
  "GUM_DEFAULT_OUTPUT",
  "GUM_LOG_LEVEL",
  "GUM_EMULATOR",
  "GUM_PROJECT_ROOT",
  "GUM_GAIN_DISABLED",
  "GUM_API_KEY",
  "GUM_SERVICE_ACCOUNT_KEY",
  "GUM_GOOGLE_ADS_DEVELOPER_TOKEN",
  "GUM_USE_ADC",
  "GUM_VAULT_KEY",
  "GUM_VAULT_PASSPHRASE",
  "GUM_VAULT_PASSPHRASE_FILE",
  "GUM_FIXTURE_DIR",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLOUDSDK_CONFIG",
  "GOOGLE_CLOUD_QUOTA_PROJECT",
  "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "HOME",
  "USER",
  "LANG",
  "SYSTEMROOT",
  "USERPROFILE",
  "CODEX_HOME",
  "APPDATA",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "PATH",
  "NO_COLOR",
  "TERM",
  "SHELL",
  "ZDOTDIR",
] as const;

/** Name of a variable GUM reads. */
export type VariableName = typeof VARIABLE_NAMES[number];

/** Read-only view of the environment. Empty values count as absent. */
export interface Environment {
  /** Value of a variable; undefined when unset or empty. */
  text(name: VariableName): string | undefined;
  /** True only for the exact value `1`. */
  isOne(name: VariableName): boolean;
  /**
   * Like {@link text}, but the variable is removed, so that no child process inherits it. The
   * value stays available to this method.
   */
  take(name: VariableName): string | undefined;
}

/** The environment of this process. Reads happen on demand, one variable at a time. */
export function processEnvironment(): Environment {
  return environmentOver(readVariable, (name) => Deno.env.delete(name));
}

function readVariable(name: VariableName): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (cause) {
    // The runtime's own error shows the value, which may be a secret, and not the name.
    if (!(cause instanceof Deno.errors.InvalidData)) throw cause;
    throw new GumError("CLI_ARG_INVALID", {
      message: `the environment variable ${name} is not UTF-8 text`,
      details: { arg: name, reason: "it is not UTF-8 text" },
      suggestion: `Set ${name} to UTF-8 text, or unset it.`,
    });
  }
}

/** An environment made of given values only. */
export function environmentOf(values: Partial<Record<VariableName, string>>): Environment {
  const own = { ...values };
  return environmentOver((name) => own[name], (name) => delete own[name]);
}

function environmentOver(
  lookup: (name: VariableName) => string | undefined,
  remove: (name: VariableName) => void,
): Environment {
  const taken = new Map<VariableName, string>();
  const text = (name: VariableName) => {
    const value = lookup(name);
    return value === "" ? undefined : value;
  };
  return {
    text,
    isOne: (name) => text(name) === "1",
    take(name) {
      const value = text(name);
      if (value !== undefined) {
        taken.set(name, value);
        remove(name);
      }
      return taken.get(name);
    },
  };
}

/** Variables by any name, for handing them on to a child process; empty ones count as absent. */
export interface AmbientVariables {
  text(name: string): string | undefined;
  names(): readonly string[];
}

/** Every variable of this process that its permissions let it see. */
export function processVariables(): AmbientVariables {
  return {
    text(name) {
      try {
        return Deno.env.get(name) || undefined;
      } catch (error) {
        // Without the permission for a name there is nothing to hand on; what is no text cannot be.
        if (error instanceof Deno.errors.NotCapable) return undefined;
        if (error instanceof Deno.errors.InvalidData) return undefined;
        throw error;
      }
    },
    names() {
      try {
        return Object.keys(Deno.env.toObject());
      } catch (error) {
        if (error instanceof Deno.errors.NotCapable) return [];
        throw error;
      }
    },
  };
}

/** Variables made of given values only. */
export function variablesOf(values: Readonly<Record<string, string>>): AmbientVariables {
  return {
    text: (name) => (Object.hasOwn(values, name) ? values[name] : undefined) || undefined,
    names: () => Object.keys(values),
  };
}
