/** Shapes of expression profiles (spec 03 §2.1 and the profile DSL). */

import type { Format } from "../catalog/types.ts";

/** Where a profile came from; exact strings of the contract. */
export type ProfileSource = "project-local" | "user-global" | "catalog-embedded";

/** A profile; a key that was not declared is undefined, while `false`, `0` and `[]` are declared. */
export interface Profile {
  name: string;
  format?: Format;
  inherits?: string;
  field_mask?: string;
  field_mask_mode?: "upstream" | "dual_fetch" | "none";
  projection?: string[];
  keep_fields?: string[];
  drop_fields?: string[];
  strip_nulls?: boolean;
  flatten?: boolean;
  flatten_singletons?: boolean;
  collapse_arrays?: { max_items: number };
  truncate_strings?: { default_chars?: number; fields?: Record<string, number> };
  dedupe?: { by: string[] };
  sort_by?: string;
  limit?: number;
  omit_zero_counts?: boolean;
  /** Stored in NFC. */
  on_empty?: string;
  /** Dot paths of free text written by strangers (spec 11 §8). */
  untrusted_fields?: string[];
  recovery?: "none" | "local_artifact" | "resource_link";
  tee_mode?: "off" | "failures" | "always";
  source?: ProfileSource;
}

/** A profile after layer merge and inheritance: `inherits` is gone. */
export type ResolvedProfile = Omit<Profile, "inherits">;
