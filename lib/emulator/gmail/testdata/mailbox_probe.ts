/** What the mailbox tests share: a running emulator and short ways to ask it. */

import assert from "node:assert/strict";
import type { JsonObject } from "../../../json/mod.ts";
import { startEmulator } from "../../mod.ts";
import type { Emulator } from "../../types.ts";

/** Address of the signed-in user's mailbox. */
export const USER = "https://gmail.googleapis.com/gmail/v1/users/me";

/** A mailbox under test. */
export interface Gmail {
  emulator: Emulator;
  ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: JsonObject; text: string }>;
  get(path: string): Promise<JsonObject>;
}

/** Runs a test against a fresh emulator. */
export async function withGmail(run: (gmail: Gmail) => Promise<void>, seed = 1): Promise<void> {
  const emulator = await startEmulator({ seed });
  const ask: Gmail["ask"] = async (method, path, body) => {
    const base = path.startsWith("https:") ? path : `${USER}${path}`;
    const response = await fetch(emulator.rewrite(new URL(base)), {
      method,
      headers: {
        authorization: `Bearer ${emulator.credentials.bearer}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
  };
  const get: Gmail["get"] = async (path) => {
    const answer = await ask("GET", path);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  try {
    await run({ emulator, ask, get });
  } finally {
    await emulator.close();
  }
}

/** Base64url of a message. */
export const raw = (text: string): string =>
  new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
/** Text of base64url data. */
export const decode = (data: unknown): string =>
  new TextDecoder().decode(Uint8Array.fromBase64(String(data), { alphabet: "base64url" }));
/** A JSON list as objects. */
export const objects = (value: unknown): JsonObject[] => (value ?? []) as JsonObject[];
/** A header's value. */
export const header = (message: JsonObject, name: string): unknown =>
  objects((message.payload as JsonObject).headers).find((entry) => entry.name === name)?.value;
