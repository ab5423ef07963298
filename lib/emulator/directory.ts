/**
 * The directory of APIs and the signed list of their documents, as a release channel serves them: one
 * API that no build knows, in two versions.
 */

import type { JsonObject } from "../json/mod.ts";
import type { EmulatedAnswer } from "./service.ts";

/** Address of the signed list; the signature is at the same address with `.sig`. */
export const EMULATED_LIST_URL = "https://www.googleapis.com/discovery/v1/apis/signed-list.json";

/** Public half of the emulator's own signing key; no build trusts it for anything else. */
export const EMULATED_LIST_KEY: Uint8Array<ArrayBuffer> = bytesOf(
  "4d7b16a2b4f6e7d8aa7a5ffb21e5d1b5c4b0c59be3d0b3d4a2a0f4d0b7f0c001",
);

const HOST = "tidetable.googleapis.com";
const LIST_REVISION = "20991231";

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
