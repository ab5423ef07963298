/** Shapes inside the long-tail pack (spec 04 §10). Keys are one letter: there are many of them. */

import type { DiscoveryMediaUpload, DiscoverySchema } from "../derive/mod.ts";
import type { RiskClass } from "../types.ts";

/** How much of the long tail a session sees: the profile key `catalog.long_tail`. */
export type LongTailExposure = "off" | "read" | "all";

/** Files of a pack, beside the checksum file. */
export const PACK_FILES = ["methods.bin", "schemas.bin", "strings.bin", "bm25.bin"] as const;

/** One file of a pack. */
export type PackFile = typeof PACK_FILES[number];

/** Name of the checksum file: one `sha256sum -c` line for each pack file. */
export const CHECKSUM_FILE = "longtail.sha256";

/** Where a pack's bytes come from. */
export interface PackSource {
  /** Whole file. @throws Deno.errors.NotFound */
  read(file: PackFile | typeof CHECKSUM_FILE): Uint8Array<ArrayBuffer>;
  /** Part of a file. */
  range(file: PackFile, part: { offset: number; length: number }): Uint8Array<ArrayBuffer>;
}

/** Where the operation of an old id is now. */
export interface Rename {
  to: string;
  /** Newest document revision when it was noticed, `YYYYMMDD`. */
  since: string;
}

/** Renames by old id. */
export type Renames = Readonly<Record<string, Rename>>;

/** What a Discovery document contributes to its methods. */
export interface PackedDocument {
  /** API name as Google spells it. */
  n: string;
  /** Version. */
  v: string;
  /** Title shown in operation titles. */
  t: string;
  rootUrl: string;
  servicePath: string;
}

/** Another version of the same operation; what is absent equals the main one. */
export interface PackedVersion {
  /** Index into `documents`. */
  d: number;
  /** Method id, when it differs. */
  i?: string;
  p: string;
  /** Indices into `scopes`. */
  c?: number[];
}

/** One operation. */
export interface PackedOperation {
  o: string;
  /** Index into `documents`. */
  d: number;
  /** Method id. */
  i: string;
  h: string;
  p: string;
  s: string;
  /** Title, when the derived one had to be repaired. */
  t?: string;
  /** Parameter name to an index into `specs`. */
  a?: Record<string, number>;
  /** Patterns of the reserved placeholders: indices into `patterns`; absent: as its id says. */
  r?: number[];
  /** Name of the request schema. */
  q?: string;
  /** Name of the response schema. */
  e?: string;
  /** Body properties that this method requires. */
  b?: string[];
  /** The answer is a long-running operation. */
  l?: 1;
  c?: number[];
  /** Media upload. */
  u?: DiscoveryMediaUpload;
  /** Media download. */
  m?: 1;
  /** Reviewed risk class and why. */
  k?: [RiskClass, string];
  /** Other versions, best first. */
  w?: PackedVersion[];
  /** Ids it had before. */
  y?: string[];
}

/** What a service brings along beside its documents. */
export interface ServiceContext {
  service: string;
  service_family: string;
  /** Field name to the value the host supplies. */
  host_defaults?: Record<string, string>;
  scope_preference?: string[];
}

/** Operations of one service, or a part of them: one compressed chunk. */
export interface MethodsChunk {
  context: ServiceContext;
  documents: PackedDocument[];
  /** Parameters and body properties, each once. */
  specs: DiscoverySchema[];
  scopes: string[];
  /** Short patterns, the first for none; a pack that lacks the list knows no patterns. */
  patterns?: string[];
  /** Request schema name to its writable properties, as indices into `specs`. */
  bodies: Record<string, Record<string, number>>;
  operations: PackedOperation[];
}

/** Schemas of one document, without descriptions. */
export type SchemasChunk = Record<string, DiscoverySchema>;
