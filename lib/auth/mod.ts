/**
 * Credentials: secrets that do not print themselves, the auth of a profile, and explicit
 * configuration. What a session does not need yet is not loaded; an operator's commands are in
 * `account/mod.ts`.
 *
 * ```ts
 * import { createProfileAuth } from "./mod.ts";
 *
 * const auth = createProfileAuth({ profileName: "work", directories, environment, http, clock, log });
 * const credentials = await auth.resolve({ opId, variant, args: {} }, signal);
 * auth.close();
 * ```
 *
 * @module
 */
export { secret } from "./secret.ts";
export { createExplicitAuthResolver, type ExplicitCredentials } from "./explicit.ts";
export { createProfileAuth, type ProfileAuth } from "./profile_auth.ts";
export type { ProfileAuthOptions } from "./parts.ts";
export {
  createScopeUpgrade,
  createSessionSignIn,
  type ScopeUpgrade,
  type SessionSignIn,
  type SignInOffer,
} from "./session_sign_in.ts";
export { pluginCredentialAccount } from "./store/account_names.ts";
export type { LoginResult } from "./login.ts";
export type { BrowserOpener } from "./oauth/browser.ts";
export type { SignInIo } from "./oauth/consent.ts";
export type { OAuthEndpoints } from "./oauth/endpoints.ts";
