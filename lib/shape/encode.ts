/** Stage 8: format choice and encoding (spec 03 §3.9). */

import type { Format } from "../catalog/types.ts";
import type { OutputFormat } from "../dispatch/types.ts";
import {
  chooseUntrustedTag,
  documentBytes,
  encodeCsv,
  encodeMarkdown,
  encodeToonDocument,
  jcsBytes,
  jsonText,
  markUntrusted,
  toonDocumentFrom,
  type ToonDocumentOptions,
} from "../format/mod.ts";
import type { JsonValue } from "../json/mod.ts";

/** What the encoder needs to know beside the value. */
export interface EncodeOptions {
  format: OutputFormat;
  opId: string;
  variantId: string;
  omitZeroCounts?: boolean;
  /** Tag of `markUntrusted`, announced in a document's header so that its reader takes it off. */
  untrustedMark?: string;
}

/** Encoded text and the format it really is in. */
export interface EncodedText {
  text: string;
  format: Format;
  /** Arrays that a table replaced by their count. */
  countedArrays: string[];
}

/** Encoded bytes and the format they really are in. */
export type EncodedBytes = Omit<EncodedText, "text"> & { body: Uint8Array };

/** The UTF-8 bytes of {@link encodeShaped}; of a large value, without a string of its size. */
export function encodeShapedBytes(value: JsonValue, options: EncodeOptions): EncodedBytes {
  if (options.format === "csv" || options.format === "markdown") {
    const { text, ...encoded } = encodeShaped(value, options);
    return { ...encoded, body: new TextEncoder().encode(text) };
  }
  const json = (): EncodedBytes => ({
    body: jcsBytes(value, { loneSurrogates: "escape" }),
    format: "json",
    countedArrays: [],
  });
  if (options.format === "json" || options.format === "raw") return json();
  // Anything else, an unknown name too, is a document where it can be.
  const source = toonDocumentFrom(value, toonOptions(options));
  if (source === undefined) return json();
  return { body: documentBytes(source), format: "toon", countedArrays: [] };
}

/** Encodes a shaped value. TOON falls back to JSON where a value is no list of records. */
function encodeShaped(value: JsonValue, options: EncodeOptions): EncodedText {
  switch (options.format) {
    case "json":
    case "raw":
      return asJson(value);
    case "csv":
    case "markdown": {
      const table = options.format === "csv" ? encodeCsv(value) : encodeMarkdown(value);
      return table === undefined ? asJson(value) : { ...table, format: options.format };
    }
  }
  const text = encodeToonDocument(value, toonOptions(options));
  return text === undefined ? asJson(value) : { text, format: "toon", countedArrays: [] };
}

function toonOptions(options: EncodeOptions): ToonDocumentOptions {
  return {
    op: options.opId,
    variant: options.variantId,
    omitZeroCounts: options.omitZeroCounts,
    untrustedMark: options.untrustedMark,
  };
}

function asJson(value: JsonValue): EncodedText {
  return { text: jsonText(value), format: "json", countedArrays: [] };
}

/** A shaped value to be marked for a reader that must tell content from instruction. */
export interface MarkRequest extends EncodeOptions {
  /** `untrustedPaths` of the shape result. */
  paths: readonly string[];
  /** A random integer, fresh for every response. */
  random: number;
}

/** A marked value, its encoding and the tag that encloses its untrusted text. */
export interface MarkedText extends EncodedText {
  value: JsonValue;
  tag: string;
}

/** Marks the untrusted text of a shaped value and encodes it again (spec 11 §8). */
export function encodeMarked(value: JsonValue, request: MarkRequest): MarkedText {
  const tag = chooseUntrustedTag(value, { random: request.random });
  const marked = markUntrusted(value, { paths: request.paths, tag });
  return { ...encodeShaped(marked, { ...request, untrustedMark: tag }), value: marked, tag };
}
