/** The composite over all strategies: one per profile, shared by every caller (spec 05 §3.4). */

import { adcAddress } from "./adc/exchange.ts";
import { adcOptedIn } from "./adc/source.ts";
import type { ManagedScopes } from "../catalog/mod.ts";
import type { AuthStrategy, Variant } from "../catalog/types.ts";
import type { AuthResolver, Credentials } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { needsDeveloperToken } from "./components.ts";
import { AuthError, toStructuredError } from "./errors.ts";
import { grantAddress } from "./grants/address.ts";
import { createGrantView, type GrantView } from "./grants/state.ts";
import { normaliseScopes } from "./scopes.ts";
import { developerTokenAccount } from "./store/mod.ts";
import { storedOrGiven } from "./stored_secret.ts";
import { createAdcStrategy } from "./strategy_adc.ts";
import { createApiKeyStrategy } from "./strategy_api_key.ts";
import { createByoOAuthStrategy } from "./strategy_byo_oauth.ts";
import { createCompoundStrategy } from "./strategy_compound.ts";
import { createGumOAuthStrategy } from "./strategy_gum_oauth.ts";
import { impersonationStrategy } from "./strategy_impersonation.ts";
import { noneStrategy } from "./strategy_none.ts";
import { pluginManagedStrategy } from "./strategy_plugin_managed.ts";
import { createServiceAccountStrategy } from "./strategy_service_account.ts";
import { workloadIdentityStrategy } from "./strategy_workload_identity.ts";
import type {
  AuthParts,
  CredentialRequest,
  ResolvedCredentials,
  StrategyResolver,
} from "./types.ts";

/** The strategies of a profile and the live view they share. */
export interface CompositeResolver extends AuthResolver {
  readonly view: GrantView;
  /** One strategy by name, for `gum auth probe`; ADC mode does not redirect it. */
  strategy(name: AuthStrategy): StrategyResolver;
  /** Whether the profile, or this process, uses the host's credentials. */
  adcMode(): Promise<boolean>;
  /** Address of the account that a login gives, for people to read; undefined when unknown. */
  address(signal: AbortSignal): Promise<string | undefined>;
  refresh: NonNullable<AuthResolver["refresh"]>;
}

/** Variants the kernel may ask about. */
interface Question {
  opId: string;
  variant: Variant;
  args: JsonObject;
}

/** Builds the composite. It never changes after this; what lives in it, lives in its members. */
export function createCompositeResolver(
  parts: AuthParts,
  options: {
    manifest?: ManagedScopes;
    /** The view to share; absent: one of its own. */
    view?: GrantView;
  } = {},
): CompositeResolver {
  const view = options.view ?? createGrantView(parts);
  const adcMode = async () => adcOptedIn(parts.environment, await view.config());
  const byoOAuth = createByoOAuthStrategy(parts, view);
  const adc = createAdcStrategy(parts);
  const apiKey = createApiKeyStrategy(parts);
  const serviceAccount = createServiceAccountStrategy(parts, view);
  const signedIn: StrategyResolver = {
    resolve: async (request) => await (await adcMode() ? adc : byoOAuth).resolve(request),
  };
  const strategies: Readonly<Record<AuthStrategy, StrategyResolver>> = Object.freeze({
    none: noneStrategy,
    plugin_managed: pluginManagedStrategy,
    workload_identity: workloadIdentityStrategy,
    impersonation: impersonationStrategy,
    byo_oauth: byoOAuth,
    gum_oauth: createGumOAuthStrategy(parts, options.manifest),
    adc,
    api_key: apiKey,
    service_account: serviceAccount,
    compound: createCompoundStrategy(parts, {
      view,
      strategies: { byoOAuth: signedIn, apiKey, serviceAccount },
    }),
  });

  const chosen = async (strategy: AuthStrategy): Promise<StrategyResolver> => {
    switch (strategy) {
      case "none":
      case "plugin_managed":
        return strategies[strategy];
      case "byo_oauth":
        return signedIn;
      case "adc":
        if (!await adcMode()) throw adcNotEnabled();
        return adc;
      default: {
        // The configuration must be readable: it says which account is expected.
        await view.config();
        return strategies[strategy] ?? unknownStrategy(strategy);
      }
    }
  };

  const answer = async (
    { opId, variant, args }: Question,
    how: { renew: boolean; signal: AbortSignal },
  ): Promise<Credentials | undefined> => {
    const scopes = normaliseScopes(variant.scopes ?? []);
    const request: CredentialRequest = { scopes, opId, variant, args, ...how };
    try {
      how.signal.throwIfAborted();
      const strategy = await chosen(variant.auth_strategy);
      const resolved = await strategy.resolve(request);
      return resolved === undefined ? undefined : await publicHalf(parts, { resolved, request });
    } catch (error) {
      throw toStructuredError(error, {
        profile: parts.profileName,
        opId,
        variantId: variant.variant_id,
        strategy: variant.auth_strategy,
        scopes,
      });
    }
  };

  return Object.freeze({
    view,
    adcMode,
    address: async (signal: AbortSignal) =>
      await adcMode()
        ? await adcAddress(parts.environment)
        : grantAddress((await view.current(signal)).grant),
    strategy: (name: AuthStrategy) => strategies[name] ?? unknownStrategy(name),
    resolve: (question: Question, signal: AbortSignal) =>
      answer(question, { renew: false, signal }),
    refresh: async (question: Question, signal: AbortSignal) =>
      question.variant.auth_strategy === "api_key"
        ? undefined
        : await answer(question, { renew: true, signal }),
  });
}

/** What adapters may see. */
async function publicHalf(
  parts: AuthParts,
  found: { resolved: ResolvedCredentials; request: CredentialRequest },
): Promise<Credentials> {
  const { resolved, request } = found;
  if (resolved.token !== undefined && resolved.apiKey !== undefined) {
    throw new GumError("AUTH_REQUIRED", {
      message: "a credential holds both a token and an API key; nothing is sent",
    });
  }
  const developerToken = resolved.developerToken ?? await developerTokenOf(parts, request);
  return {
    ...(resolved.token === undefined ? {} : { token: resolved.token }),
    ...(resolved.apiKey === undefined ? {} : { apiKey: resolved.apiKey }),
    ...(developerToken === undefined ? {} : { developerToken }),
    ...(resolved.quotaProjectId === undefined ? {} : { quotaProjectId: resolved.quotaProjectId }),
    subjectFingerprint: resolved.subjectFingerprint,
    signInStrategy: resolved.signInStrategy,
  };
}

/** The token of the Google Ads API, for variants that send one. */
async function developerTokenOf(
  parts: AuthParts,
  { variant, signal }: CredentialRequest,
): Promise<ResolvedCredentials["developerToken"]> {
  if (variant === undefined || !needsDeveloperToken(variant)) return undefined;
  const found = await storedOrGiven(parts, {
    account: developerTokenAccount(parts.profileName),
    variable: "GUM_GOOGLE_ADS_DEVELOPER_TOKEN",
    signal,
  });
  if (found !== undefined) return found.value;
  throw new AuthError({
    code: "AUTH_REQUIRED",
    remediation: "no Google Ads developer token: store one with `gum auth " +
      "use-ads-developer-token --stdin`, or set GUM_GOOGLE_ADS_DEVELOPER_TOKEN",
    missingComponents: ["developer_token"],
    nextCommand: "gum auth use-ads-developer-token --stdin",
  });
}

function adcNotEnabled(): AuthError {
  return new AuthError({
    code: "ADC_NOT_ENABLED",
    strategy: "adc",
    remediation: "this profile does not use the host's credentials",
    nextCommand: "gum auth use-adc",
    userMessage: "The host's own credentials are used only after `gum auth use-adc`.",
  });
}

function unknownStrategy(name: string): never {
  throw new AuthError({
    code: "AUTH_STRATEGY_NOT_IMPLEMENTED",
    remediation: `unknown credential strategy ${JSON.stringify(name.slice(0, 60))}`,
  });
}
