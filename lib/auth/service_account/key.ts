/** A service-account key file (spec 05 §3.12). */

import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";

/** Largest key file that is read. */
export const KEY_FILE_LIMIT = 64 * 1024;

const DEFAULT_TOKEN_URI = "https://oauth2.googleapis.com/token";

/** A key that can sign. */
export interface ServiceAccountKey {
  clientEmail: string;
  privateKeyId?: string;
  tokenUri: string;
  projectId?: string;
  signingKey: CryptoKey;
}

/** Reads a key. @throws AuthError `AUTH_SA_KEY_INVALID`; the message never quotes the file. */
export async function parseServiceAccountKey(text: string): Promise<ServiceAccountKey> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("it is not JSON");
  }
  if (!isJsonObject(value)) throw invalid("it is not a JSON object");
  return await serviceAccountOf(value);
}

/** Reads a key from its parsed document. */
export async function serviceAccountOf(document: JsonObject): Promise<ServiceAccountKey> {
  const { client_email: email, private_key: pem, private_key_id: id, project_id } = document;
  const tokenUri = document.token_uri ?? DEFAULT_TOKEN_URI;
  if (document.type !== "service_account") throw invalid('its "type" is not service_account');
  if (typeof email !== "string" || email === "") throw invalid('it has no "client_email"');
  if (typeof pem !== "string") throw invalid('it has no "private_key"');
  if (typeof tokenUri !== "string" || !URL.canParse(tokenUri) || !tokenUri.startsWith("https://")) {
    throw invalid('its "token_uri" is not an https address');
  }
  return {
    clientEmail: email,
    ...(typeof id === "string" && id !== "" ? { privateKeyId: id } : {}),
    tokenUri,
    ...(typeof project_id === "string" && project_id !== "" ? { projectId: project_id } : {}),
    signingKey: await importKey(pem),
  };
}

async function importKey(pem: string): Promise<CryptoKey> {
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem);
  if (body?.[1] === undefined) throw invalid('its "private_key" is not a PKCS#8 key');
  try {
    const bytes = Uint8Array.fromBase64(body[1].replace(/\s+/g, ""));
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
  } catch {
    // The cause could quote key material.
    throw invalid('its "private_key" cannot be imported');
  }
}

function invalid(why: string): AuthError {
  return new AuthError({
    code: "AUTH_SA_KEY_INVALID",
    strategy: "service_account",
    remediation: `the service-account key cannot be used: ${why}`,
    nextCommand: "gum auth use-service-account <key.json>",
  });
}
