/** Google's OAuth addresses. No variable and no configuration key changes them (spec 05 §3.22). */

/** Where a flow goes. */
export interface OAuthEndpoints {
  /** Opened in the browser, never fetched. */
  authorization: string;
  token: string;
  revocation: string;
  /** Origin of the metadata server of Google's virtual machines. */
  metadata: string;
}

/** The real ones. */
export const GOOGLE_ENDPOINTS: OAuthEndpoints = Object.freeze({
  authorization: "https://accounts.google.com/o/oauth2/v2/auth",
  token: "https://oauth2.googleapis.com/token",
  revocation: "https://oauth2.googleapis.com/revoke",
  metadata: "http://169.254.169.254",
});
