import assert from "node:assert/strict";
import type { Op, Variant } from "../catalog/types.ts";
import { parseProfileText } from "./parse_file.ts";
import { parsedLayer, type ProfileLayer } from "./layers.ts";
import { resolverOver } from "./resolver.ts";

const VARIANT = { variant_id: "mail.v1.list", output_profile: "mail.v1" } as Variant;
const OP = { op_id: "mail.list" } as Op;
const SHIPPED = 'format = "toon"\nuntrusted_fields = ["messages.snippet"]\n';

/** The untrusted fields of a call under a user's and a project's file. */
function fields(files: { user?: string; project?: string }): string[] | undefined {
  const layer = (source: ProfileLayer["source"], text: string, path = "mail.v1.toml") => {
    const file = parseProfileText(text, { path });
    return {
      ...parsedLayer(source, file.profiles),
      bindings: () =>
        new Map([...file.overrideBindings].map(([key, value]) => [key, { value, path, source }])),
    };
  };
  const layers: ProfileLayer[] = [];
  if (files.project !== undefined) layers.push(layer("project-local", files.project));
  if (files.user !== undefined) layers.push(layer("user-global", files.user));
  layers.push(layer("catalog-embedded", SHIPPED));
  const { profile } = resolverOver(() => layers).resolve({ op: OP, variant: VARIANT });
  return profile?.untrusted_fields;
}

const bound = (keys: string) =>
  `[output_profiles.lean]\n${keys}\n[override_bindings]\n"mail.list" = "lean"\n`;

Deno.test("TestUntrustedFields: a bound profile that does not speak of strangers' text leaves it known", () => {
  assert.deepEqual(fields({}), ["messages.snippet"]);
  assert.deepEqual(fields({ user: bound('format = "csv"') }), ["messages.snippet"]);
  assert.deepEqual(fields({ project: bound('format = "csv"') }), ["messages.snippet"]);
});

Deno.test("TestUntrustedFields: a user decides, a project can only add", () => {
  assert.deepEqual(fields({ user: "untrusted_fields = []\n" }), []);
  assert.deepEqual(fields({ user: bound('untrusted_fields = ["a"]') }), ["a"]);
  assert.deepEqual(fields({ project: "untrusted_fields = []\n" }), ["messages.snippet"]);
  assert.deepEqual(fields({ project: bound('untrusted_fields = ["a"]') }), [
    "a",
    "messages.snippet",
  ]);
  const both = { user: "untrusted_fields = []\n", project: 'untrusted_fields = ["a"]\n' };
  assert.deepEqual(fields(both), ["a"]);
});
