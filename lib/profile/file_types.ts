/** What a profile file holds (spec 03 §2.1). */

import type { Format } from "../catalog/types.ts";
import type { Profile } from "./types.ts";

/** A `[[tests]]` entry. */
export interface ProfileTest {
  name: string;
  /** Absent: the only profile of the file. */
  profile?: string;
  /** Relative to the profile file. */
  fixture: string;
  expect_format?: Format | "raw";
  expect_max_tokens?: number;
  expect_lossy?: boolean;
  expect_result_count?: number;
  /** Stage 5's sum only. */
  expect_omitted_count?: number;
  /** Present at any depth of the shaped value; a dot path is allowed. */
  expect_fields?: string[];
}

/** A parsed profile file. */
export interface ProfileFile {
  profiles: Map<string, Profile>;
  /** Op or variant id to profile name. */
  overrideBindings: Map<string, string>;
  tests: ProfileTest[];
  shape: "envelope" | "bare";
}
