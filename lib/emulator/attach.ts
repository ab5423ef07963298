/** Using an emulator that another process serves. */

import { GumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import { rewriteUrl } from "./rewrite.ts";
import type { EmulatorConnection } from "./types.ts";

const ORIGIN = /^http:\/\/(127\.0\.0\.1|localhost):[0-9]{1,5}\/?$/;

/**
 * Connects to the emulator at `origin`, as `gum emulator serve` printed it. Closing the connection
 * leaves that emulator running.
 *
 * @throws TypeError when the origin is not on loopback.
 * @throws GumError `SERVICE_DOWN` when no emulator answers there.
 */
export async function attachEmulator(
  origin: string,
  options: { signal?: AbortSignal } = {},
): Promise<EmulatorConnection> {
  // Credentials and calls go wherever this leads, so it never leads off this machine.
  if (!ORIGIN.test(origin)) throw new TypeError("an emulator is reached on loopback only");
  const base = new URL(origin).origin;
  const facts = await connectionFacts(base, options.signal);
  return {
    origin: base,
    account: {
      email: text(facts.account, "email"),
      displayName: text(facts.account, "display_name"),
      fingerprint: text(facts.account, "fingerprint"),
    },
    accounts: (Array.isArray(facts.accounts) ? facts.accounts : []).map((account) => ({
      email: text(account, "email"),
      displayName: text(account, "display_name"),
      fingerprint: text(account, "fingerprint"),
      bearer: text(account, "bearer"),
      apiKey: text(account, "api_key"),
    })),
    credentials: {
      bearer: text(facts.credentials, "bearer"),
      apiKey: text(facts.credentials, "api_key"),
      developerToken: text(facts.credentials, "developer_token"),
    },
    rewrite: (url) => rewriteUrl(url, base),
    close: () => Promise.resolve(),
  };
}

async function connectionFacts(
  base: string,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  try {
    const response = await fetch(`${base}/_control/connection`, { redirect: "error", signal });
    const body = parseJson(await response.text());
    if (response.ok && isJsonObject(body)) return body;
    throw new TypeError(`status ${response.status}`);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new GumError("SERVICE_DOWN", {
      message: `no emulator answers at ${base}`,
      userMessage: `No emulator answers at ${base}.`,
      details: { reason: "emulator_unreachable", hint: "Start one with gum emulator serve." },
      cause,
    });
  }
}

function text(object: JsonValue | undefined, name: string): string {
  const value = isJsonObject(object) ? object[name] : undefined;
  if (typeof value !== "string") throw new TypeError(`the emulator did not give its ${name}`);
  return value;
}
