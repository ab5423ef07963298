import assert from "node:assert/strict";
import type { Op, Variant } from "../catalog/types.ts";
import { isJsonObject, type JsonValue } from "../json/mod.ts";
import { assembleProfileResolver, type FieldMask, parseFieldMask } from "./mod.ts";

const CATALOG = new URL("../../catalog/", import.meta.url);

async function readJsonFile<T>(name: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(new URL(name, CATALOG))) as T;
}

interface Reading {
  op: Op;
  variant: Variant;
}

async function readVariants(): Promise<Reading[]> {
  const { ops } = await readJsonFile<{ ops: Op[] }>("catalog.json");
  return ops.flatMap((op) =>
    op.variants.filter(({ risk_class }) => risk_class === "read").map((variant) => ({
      op,
      variant,
    }))
  );
}

/** Reads whose answers are bytes, a script's own output, or a handful of fields. */
const UNPROFILED: ReadonlySet<string> = new Set([
  "calendar.settings.get",
  "drive.files.export",
  "gmail.users.getProfile",
  "gmail.users.messages.attachments.get",
  "gmail.users.settings.getVacation",
  "googleads.keywordPlanIdeas.generateKeywordForecastMetrics",
  "gum.code",
  "indexing.urlNotifications.getMetadata",
  "maps.timezone.get",
  "searchconsole.sites.get",
]);

/** Not Google REST services with partial responses: plugins, Ads, and those with a mask header. */
function takesFields({ op, variant }: Reading): boolean {
  const adapter = variant.binding?.adapter_key ?? "";
  const headers = Object.values(variant.binding?.http?.header_params ?? {});
  return adapter.startsWith("rest.") && !op.op_id.startsWith("maps.") &&
    !headers.some((header) => header.toLowerCase() === "x-goog-fieldmask");
}

Deno.test("embedded profiles: every read that returns records or a large object has one", async () => {
  const bare = (await readVariants())
    .filter(({ op, variant }) => variant.output_profile === undefined && !UNPROFILED.has(op.op_id))
    .map(({ op }) => op.op_id);
  assert.deepEqual(bare, []);
});

Deno.test("embedded profiles: every one of those is masked where the service takes masks", async () => {
  // Settings of a group are all wanted, so nothing is left out at the source.
  const whole = new Set(["groupssettings.groups.get"]);
  const unmasked = (await readVariants())
    .filter((reading) => takesFields(reading) && reading.variant.output_profile !== undefined)
    .filter(({ op, variant }) => variant.default_fields === undefined && !whole.has(op.op_id))
    .map(({ op }) => op.op_id);
  assert.deepEqual(unmasked, []);
});

Deno.test("embedded profiles: every selector of a profile's own mask exists in the response", async () => {
  const trees = await readJsonFile<Record<string, JsonValue>>("default-fields-schema.json");
  const resolver = await assembleProfileResolver();
  let checked = 0;
  for (const { op, variant } of await readVariants()) {
    const { profile } = resolver.resolve({ op, variant });
    if (profile?.field_mask === undefined) continue;
    const parsed = parseFieldMask(profile.field_mask);
    assert.ok(parsed.ok, profile.name);
    assert.ok(op.op_id in trees, `${op.op_id} has a schema tree`);
    assert.deepEqual(unknown(parsed.mask, trees[op.op_id] as JsonValue), [], profile.name);
    checked++;
  }
  assert.ok(checked >= 15, `${checked} masks`);
});

function unknown(mask: FieldMask, tree: JsonValue, path = ""): string[] {
  if (!isJsonObject(tree)) return [];
  return [...mask.fields].flatMap(([name, sub]) => {
    const below = tree[name];
    if (below === undefined) return [path + name];
    return sub === undefined ? [] : unknown(sub, below, `${path}${name}.`);
  });
}

Deno.test("TestProfileStripNullsSafety: the example of the profile language works as it stands", async () => {
  const root = await Deno.makeTempDir({ prefix: "gum-example-" });
  try {
    await Deno.mkdir(`${root}/.gum/profiles`, { recursive: true });
    await Deno.writeTextFile(
      `${root}/.gum/profiles/gmail.messages.list.v1.toml`,
      `[output_profiles."_base.list_ops"]
format = "toon"
strip_nulls = true
collapse_arrays = { max_items = 20 }
recovery = "local_artifact"

[output_profiles."gmail.messages.list.v1"]
inherits = "_base.list_ops"
field_mask = "nextPageToken,messages(id,threadId)"
truncate_strings = { default_chars = 500, fields = { snippet = 180 } }
on_empty = "No matching messages."
`,
    );
    const reading = (await readVariants())
      .find(({ op }) => op.op_id === "gmail.users.messages.list");
    assert.ok(reading);
    const resolver = await assembleProfileResolver();
    const { profile, usedProjectLayer } = resolver.resolve({ ...reading, projectRootPath: root });
    assert.equal(usedProjectLayer, true);
    assert.equal(profile?.strip_nulls, true);
    assert.equal(profile?.field_mask, "nextPageToken,messages(id,threadId)");
    assert.deepEqual(profile?.truncate_strings, { default_chars: 500, fields: { snippet: 180 } });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
