// Written by embed.ts from embedded/*.toml. Do not edit.

/** TOML text of every embedded profile, by name. */
export const EMBEDDED_PROFILES: Readonly<Record<string, string>> = {
  "_base.list_ops":
    "format = \"toon\"\nstrip_nulls = true\ncollapse_arrays = { max_items = 20 }\nrecovery = \"local_artifact\"\n",
};
