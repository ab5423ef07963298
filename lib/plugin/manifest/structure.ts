/** Checking a manifest against its outline (spec 06 §2.2.2). */

import type { JsonObject } from "../../json/mod.ts";
import { OUTLINE } from "./outline.ts";
import { invalidManifest, type Refusals, thrown } from "./refusals.ts";

/** Keys the schema does not constrain but the gates or the mapping read. */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "/tools": [
    "binding_schema_version",
    "binding",
    "service_root_template",
    "rpc_service",
    "rpc_method",
  ],
};

/** Checks the outline; a refusal is `PLUGIN_MANIFEST_INVALID` with the JSON pointer. */
export async function checkStructure(tree: JsonObject, to: Refusals = thrown): Promise<void> {
  // Compiled when GUM is built: a schema compiler takes longer to load than a plugin to start.
  const { validate } = await import("./outline_validator.ts");
  if (validate(tree)) return;
  for (const { instancePath, message } of [...validate.errors ?? []]) {
    to(invalidManifest(instancePath, message ?? "does not have the outline"));
  }
}

/** Places of keys that no rule of this version reads, as JSON pointers. */
export function unknownKeys(tree: JsonObject): string[] {
  const found: string[] = [];
  const visit = (value: unknown, schema: JsonObject, at: { shown: string; rule: string }): void => {
    const items = schema.items as JsonObject | undefined;
    if (Array.isArray(value) && items !== undefined) {
      value.forEach((item, index) =>
        visit(item, items, { shown: `${at.shown}/${index}`, rule: at.rule })
      );
      return;
    }
    const known = schema.properties as Record<string, JsonObject> | undefined;
    if (known === undefined || typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const shown = `${at.shown}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const next = Object.hasOwn(known, key) ? known[key] : undefined;
      if (next !== undefined) visit(member, next, { shown, rule: `${at.rule}/${key}` });
      else if (!READ_ELSEWHERE[at.rule]?.includes(key)) found.push(shown);
    }
  };
  visit(tree, OUTLINE, { shown: "", rule: "" });
  return found;
}
