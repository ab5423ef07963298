/**
 * The auth of one profile as a session holds it. Its modules load with the first call that needs a
 * credential; a session of other calls never pays for them.
 */

import type { AuthStrategy, Variant } from "../catalog/types.ts";
import type { AuthResolver, Credentials } from "../dispatch/types.ts";
import type { ProfileAuthOptions } from "./parts.ts";
import type { CompositeResolver } from "./resolver.ts";
import type { AuthParts } from "./types.ts";

/** Credentials of a profile, with the live facts the kernel's gates read. */
export interface ProfileAuth extends AuthResolver {
  refresh: NonNullable<AuthResolver["refresh"]>;
  /**
   * Brings {@link grantedScopes} and {@link expectedSubjects} up to date before a call is judged.
   * Never fails: what is wrong comes out where the credential is asked for.
   */
  prepare(strategies: Iterable<AuthStrategy>, signal: AbortSignal): Promise<void>;
  /** What the profile's login covers; undefined with no login, and where the host's identity rules. */
  grantedScopes(): readonly string[] | undefined;
  /** Fingerprint by strategy, as recorded at login. */
  expectedSubjects(): Readonly<Record<string, string>>;
  /** True once the profile's configuration has been read here. */
  configured(): boolean;
  /** Address of the account, for people to read; undefined when it is not known. Never fails. */
  address(): Promise<string | undefined>;
  /** The composite and its parts, loading them now. */
  open(): Promise<{ parts: AuthParts; resolver: CompositeResolver }>;
  /** Ends what is under way. */
  close(): void;
}

const NEEDS_NOTHING: ReadonlySet<AuthStrategy> = new Set(["none", "plugin_managed"]);
const RECORDED: ReadonlySet<AuthStrategy> = new Set(["byo_oauth", "gum_oauth"]);

/** The auth of a profile. Nothing is loaded or read yet. */
export function createProfileAuth(options: ProfileAuthOptions): ProfileAuth {
  const closing = new AbortController();
  let opened: Promise<{ parts: AuthParts; resolver: CompositeResolver }> | undefined;
  let live: CompositeResolver | undefined;
  let adcMode = false;

  const open = () => opened ??= openNow();
  const openNow = async () => {
    try {
      const [{ openAuthParts }, { createCompositeResolver }] = await Promise.all([
        import("./parts.ts"),
        import("./resolver.ts"),
      ]);
      const parts = await openAuthParts(options, closing.signal);
      const resolver = createCompositeResolver(parts);
      live = resolver;
      return { parts, resolver };
    } catch (error) {
      // A configuration that is repaired later must be able to work later.
      opened = undefined;
      throw error;
    }
  };

  const ask = async (
    question: { variant: Variant },
    how: (resolver: CompositeResolver) => Promise<Credentials | undefined>,
  ): Promise<Credentials | undefined> =>
    NEEDS_NOTHING.has(question.variant.auth_strategy)
      ? undefined
      : await how(live ?? (await open()).resolver);

  return {
    resolve: (question, signal) => ask(question, (resolver) => resolver.resolve(question, signal)),
    refresh: (question, signal) => ask(question, (resolver) => resolver.refresh(question, signal)),
    async prepare(strategies, signal) {
      const needed = [...strategies].filter((strategy) => !NEEDS_NOTHING.has(strategy));
      if (needed.length === 0) return;
      try {
        const { resolver } = await open();
        adcMode = await resolver.adcMode();
        if (!adcMode && needed.some((strategy) => RECORDED.has(strategy))) {
          await resolver.view.current(signal);
        }
      } catch (error) {
        options.log.log("debug", "the profile's login cannot be looked at yet", {
          error: error instanceof Error ? error.name : "unknown",
        });
      }
    },
    grantedScopes: () => adcMode ? undefined : live?.view.covered(),
    expectedSubjects: () => live?.view.expectedSubjects() ?? {},
    configured: () => live?.view.configured() ?? false,
    async address() {
      try {
        const { resolver } = await open();
        return await resolver.address(closing.signal);
      } catch (error) {
        options.log.log("debug", "the account's address cannot be looked up", {
          error: error instanceof Error ? error.name : "unknown",
        });
        return undefined;
      }
    },
    open,
    close: () => closing.abort(new DOMException("the session is closing", "AbortError")),
  };
}
