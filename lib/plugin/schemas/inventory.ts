/** Which schema refs are taken, by whom and with which body (spec 06 §3.3). */

import { sha256Hex } from "../../digest/mod.ts";
import { GumError } from "../../errors/mod.ts";
import { jcs } from "../../format/jcs.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { PluginFileSystem } from "../file_system.ts";
import type { PluginPaths, PluginVariantRow } from "../types.ts";
import type { MaterializedBundle } from "./bundle.ts";

/** A shipped request schema; undefined when GUM ships none under the ref. */
export type EmbeddedSchemas = (ref: string) => JsonObject | undefined;

const GUM = "gum";

interface Claim {
  owner: string;
  hash: string;
}

/**
 * Refuses a ref that somebody else serves with another body, whatever state its owner is in.
 *
 * @param plugin The plugin being installed; its own older rows do not count.
 * @throws GumError `SCHEMA_REF_COLLISION`
 */
export async function checkSchemaCollisions(
  bundles: readonly MaterializedBundle[],
  inventory: {
    plugin: string;
    variants: readonly PluginVariantRow[];
    embedded: EmbeddedSchemas;
  },
): Promise<void> {
  const claims = claimedRefs(inventory);
  for (const { request, response } of bundles) {
    for (const { ref, hash } of [request, response]) {
      const claim = claims.get(ref) ?? await embeddedClaim(ref, inventory.embedded);
      if (claim === undefined || claim.hash === hash) continue;
      throw collision(ref, { existing: claim.owner, declared: inventory.plugin });
    }
  }
}

function claimedRefs(
  { plugin, variants }: { plugin: string; variants: readonly PluginVariantRow[] },
): Map<string, Claim> {
  const claims = new Map<string, Claim>();
  for (const row of variants) {
    if (row.owner_plugin === plugin) continue;
    for (const [ref, hash] of Object.entries(row.schema_hashes ?? {})) {
      const earlier = claims.get(ref);
      // Two bodies under one ref in the inventory itself: a damaged profile, not a new plugin's fault.
      if (earlier !== undefined && earlier.hash !== hash) {
        throw collision(ref, { existing: earlier.owner, declared: row.owner_plugin });
      }
      claims.set(ref, { owner: row.owner_plugin, hash });
    }
  }
  return claims;
}

async function embeddedClaim(ref: string, embedded: EmbeddedSchemas): Promise<Claim | undefined> {
  const schema = embedded(ref);
  return schema && { owner: GUM, hash: await sha256Hex(jcs(schema)) };
}

function collision(ref: string, owners: { existing: string; declared: string }): GumError {
  return new GumError("SCHEMA_REF_COLLISION", {
    message: `schema ref ${ref} of ${owners.declared} has another body than that of ` +
      owners.existing,
    details: {
      schema_ref: ref,
      existing_owner: owners.existing,
      declared_owner: owners.declared,
    },
    userMessage: `Another schema is served as ${ref} already.`,
    suggestion: "Give the schema ref a version, such as flights.search.v2.",
  });
}

/** Removes stored schemas that no variant refers to. Never fails: leftovers only cost room. */
export async function sweepSchemas(
  variants: readonly PluginVariantRow[],
  { paths, fs }: { paths: PluginPaths; fs: PluginFileSystem },
): Promise<void> {
  const wanted = new Set(
    variants.flatMap((row) =>
      Object.entries(row.schema_hashes ?? {}).map(([ref, hash]) => `${ref}.${hash}.json`)
    ),
  );
  try {
    for await (const { name } of Deno.readDir(paths.schemas)) {
      if (name.endsWith(".json") && !wanted.has(name)) {
        await fs.remove(`${paths.schemas}/${name}`);
      }
    }
  } catch {
    // No folder, or another process swept first.
  }
}
