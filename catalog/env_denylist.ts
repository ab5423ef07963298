/**
 * Environment names that no plugin may ask for (spec 06 §3.13). The list is a text asset that
 * installation and spawning read as well; the generator reads its bytes and no plugin code.
 *
 * @module
 */
import type { Catalog } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { readIfPresent } from "./outputs.ts";

/** Where the one list lives. */
export const ENV_DENYLIST = new URL("../lib/plugin/env_denylist.txt", import.meta.url);

/** Patterns of the list: comments and empty lines go. */
export function parseDenylist(text: string): string[] {
  return text.split("\n").map((line) => line.replace(/#.*$/, "").trim()).filter(Boolean);
}

/** True when a name is on the list; a trailing `*` matches by prefix. */
export function isDeniedName(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern
  );
}

/**
 * No variant asks for a denied credential name. Without the list a variant that asks for any
 * fails, so that a missing asset cannot pass for permission.
 *
 * @throws CatalogError `PLUGIN_ENV_PROHIBITED`.
 */
export async function checkCredentialNames(
  catalog: Catalog,
  denylist: URL = ENV_DENYLIST,
): Promise<void> {
  const bytes = await readIfPresent(denylist);
  const patterns = bytes === undefined ? ["*"] : parseDenylist(new TextDecoder().decode(bytes));
  for (const op of catalog.ops) {
    for (const variant of op.variants) {
      const denied = (variant.auth_components ?? [])
        .map((component) => component.credential_alias ?? "")
        .find((alias) => alias !== "" && isDeniedName(alias, patterns));
      if (denied === undefined) continue;
      throw new CatalogError("PLUGIN_ENV_PROHIBITED", denied, {
        opId: op.op_id,
        variantId: variant.variant_id,
      });
    }
  }
}
