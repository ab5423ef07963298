import assert from "node:assert/strict";
import { parseCatalog, scopesForOp } from "../lib/catalog/mod.ts";
import type { Catalog, Op, Variant } from "../lib/catalog/types.ts";
import {
  parseMask,
  type ProjectionTree,
  requestRef,
  unknownSelectors,
  validate,
} from "../lib/catalog/validate/mod.ts";
import { FIELDLESS_OPS } from "./build.ts";
import { sha256Hex } from "../lib/digest/mod.ts";

const FOLDER = new URL("./", import.meta.url);
const bytes = await Deno.readFile(new URL("catalog.json", FOLDER));
const catalog: Catalog = parseCatalog(bytes);
const ops = new Map(catalog.ops.map((op) => [op.op_id, op]));
const variants: { op: Op; variant: Variant }[] = catalog.ops.flatMap((op) =>
  op.variants.map((variant) => ({ op, variant }))
);

function operation(opId: string): Op {
  const op = ops.get(opId);
  assert.ok(op, `${opId} is not in the catalog`);
  return op;
}

function defaultVariant(opId: string): Variant {
  const op = operation(opId);
  const variant = op.variants.find((candidate) => candidate.variant_id === op.default_variant_id);
  assert.ok(variant);
  return variant;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(new URL(path, FOLDER)));
}

Deno.test("TestCatalogIntegrity: the checksum file vouches for these bytes, and only these", async () => {
  const line = await Deno.readTextFile(new URL("catalog.json.sha256", FOLDER));
  const expected = line.split(/\s/)[0];
  assert.equal(await sha256Hex(bytes), expected);
  const flipped = bytes.slice();
  flipped[100] = (flipped[100] ?? 0) ^ 1;
  assert.notEqual(await sha256Hex(flipped), expected);
});

Deno.test("TestCatalogChecksumFileFormat: one line that sha256sum -c reads", async () => {
  const line = await Deno.readTextFile(new URL("catalog.json.sha256", FOLDER));
  assert.match(line, /^[0-9a-f]{64} {2}catalog\.json\n$/);
});

Deno.test({
  name: "TestCatalogChecksumFileFormat: sha256sum accepts it",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const check = await new Deno.Command("sha256sum", {
      args: ["-c", "catalog.json.sha256"],
      cwd: FOLDER,
      stdout: "null",
      stderr: "null",
    }).output();
    assert.equal(check.code, 0);
  },
});

Deno.test("catalog: two-space JSON with LF, sorted, and it validates", () => {
  const text = new TextDecoder().decode(bytes);
  assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  assert.ok(!text.includes("\r") && !text.includes("\\u003c"));
  const ids = catalog.ops.map((op) => op.op_id);
  assert.deepEqual(ids, [...ids].sort());
  validate(catalog, { fieldlessOps: FIELDLESS_OPS, requireSomeDefault: true });
});

/**
 * Where the catalog deviates from the recorded facts on purpose: the message update is bound to
 * PATCH (it takes `updateMask`), and contacts are always the caller's own.
 */
const CORRECTED: Readonly<Record<string, { method?: string; path?: string }>> = {
  "chat.spaces.messages.update": { method: "PATCH" },
  "people.connections.list": { path: "https://people.googleapis.com/v1/people/me/connections" },
};

Deno.test("catalog: every expected operation, with method, path, class and variant id", async () => {
  const rows = await readJson<[string, string, string, string, string][]>(
    "testdata/expected_operations.json",
  );
  assert.equal(rows.length, 227);
  assert.equal(catalog.ops.length, 227);
  for (const [opId, variantId, method, path, riskClass] of rows) {
    const variant = defaultVariant(opId);
    assert.equal(variant.variant_id, variantId);
    assert.equal(variant.risk_class, riskClass, opId);
    assert.equal(variant.binding?.http?.method ?? "", CORRECTED[opId]?.method ?? method, opId);
    assert.equal(variant.binding?.http?.path ?? "", CORRECTED[opId]?.path ?? path, opId);
  }
});

Deno.test("TestCatalogDeclaresCapabilities: every variant, one fixed order, code alone", () => {
  for (const { op, variant } of variants) {
    assert.ok(variant.capabilities.length > 0, op.op_id);
    const http = variant.binding?.http;
    const atoms = new Set(variant.capabilities);
    assert.equal(atoms.has("path_params"), http?.path.includes("{") === true, op.op_id);
    assert.equal(
      atoms.has("query_params"),
      http !== undefined &&
        op.request_fields?.some((field) => field.location === "query") === true,
      op.op_id,
    );
    assert.ok(!atoms.has("lro_return"), `${op.op_id}: no shipped operation is long-running`);
  }
  assert.deepEqual(defaultVariant("gum.code").capabilities, ["code_execution"]);
  assert.equal(defaultVariant("gum.code").binding?.http, undefined);
});

Deno.test("TestCatalogCuratedExecutionSupport: two partial variants, both without download", () => {
  const limited = variants.filter(({ variant }) =>
    (variant.execution_support ?? "full") !== "full"
  );
  assert.deepEqual(
    limited.map(({ variant }) => [
      variant.variant_id,
      variant.execution_support,
      variant.unsupported_capabilities,
    ]),
    [
      ["drive.v3.rest.files.export", "partial", ["media_download"]],
      ["drive.v3.rest.files.get", "partial", ["media_download"]],
    ],
  );
});

Deno.test("TestCatalogCarriesDefaultFields: list operations ask for what a reader needs", () => {
  const masked = variants.filter(({ variant }) => variant.default_fields !== undefined);
  assert.ok(masked.length >= 30, `${masked.length} masks`);
  assert.equal(
    defaultVariant("gmail.users.messages.list").default_fields,
    "nextPageToken,resultSizeEstimate,messages(id,threadId)",
  );
  // The service refuses this call without a mask.
  assert.ok(defaultVariant("drive.about.get").default_fields);
});

Deno.test("TestDefaultFieldsAreWellFormedReadMasks: grammar, no wildcard, reads only", () => {
  for (const { op, variant } of variants) {
    if (variant.default_fields === undefined) continue;
    assert.equal(variant.risk_class, "read", op.op_id);
    assert.ok(!variant.default_fields.includes("*"), op.op_id);
    parseMask(variant.default_fields);
  }
});

Deno.test("TestDefaultFieldsMatchDiscoverySchema: every selector exists in the response", async () => {
  const projections = await readJson<Record<string, ProjectionTree>>("default-fields-schema.json");
  let checked = 0;
  for (const { op, variant } of variants) {
    if (variant.default_fields === undefined) continue;
    const projection = projections[op.op_id];
    assert.ok(projection, op.op_id);
    assert.deepEqual(unknownSelectors(parseMask(variant.default_fields), projection), [], op.op_id);
    checked++;
  }
  assert.ok(checked > 0);
});

Deno.test("TestFirstPartySchemaRefsCoverTheEmbeddedStore: one document a ref, one ref a document", async () => {
  const files = new Set<string>();
  for await (const entry of Deno.readDir(new URL("schemas/", FOLDER))) {
    if (!entry.name.startsWith("_")) files.add(entry.name);
  }
  const refs = new Set<string>();
  for (const { op, variant } of variants) {
    const ref = variant.binding?.request_ref;
    assert.equal(ref !== undefined, (op.request_fields ?? []).length > 0, op.op_id);
    assert.equal(variant.binding?.response_ref, undefined);
    if (ref === undefined) continue;
    assert.equal(ref, requestRef(op.op_id));
    assert.ok(!refs.has(ref), ref);
    refs.add(ref);
    assert.ok(files.has(`${ref}.json`), ref);
    const text = await Deno.readTextFile(new URL(`schemas/${ref}.json`, FOLDER));
    assert.ok(!text.includes("\n"), "canonical JSON has no line break");
    const document = JSON.parse(text);
    assert.equal(document.$id, ref);
    assert.equal(document.additionalProperties, false);
    for (const field of op.request_fields ?? []) {
      const level = field.location === "body" ? document.properties.body : document;
      assert.ok(level.properties[field.name], `${op.op_id} ${field.name}`);
      assert.equal(
        level.required?.includes(field.name) ?? false,
        field.required === true,
        `${op.op_id} ${field.name}`,
      );
    }
  }
  assert.equal(files.size, refs.size);
});

Deno.test("TestCodeInvocationArgsAreDeclared: the whole argument surface of gum.code", () => {
  assert.deepEqual(
    operation("gum.code").request_fields?.map((field) => `${field.name}:${field.location}`),
    [
      "language:arg",
      "source:arg",
      "allow_write:arg",
      "allow_destructive:arg",
      "destructive_budget:arg",
      "destructive_scope:arg",
    ],
  );
});

Deno.test("TestBuildDataManagerOps: own scope, POST writes, status by a required id", () => {
  const datamanager = catalog.ops.filter((op) => op.service === "datamanager");
  assert.equal(datamanager.length, 4);
  for (const op of datamanager) {
    assert.deepEqual(scopesForOp(op.op_id, catalog.ops), [
      "https://www.googleapis.com/auth/datamanager",
    ]);
    assert.equal(defaultVariant(op.op_id).auth_strategy, "byo_oauth");
    assert.equal(op.service_family, "ads");
  }
  for (const id of ["datamanager.events.ingest", "datamanager.audienceMembers.ingest"]) {
    assert.equal(defaultVariant(id).binding?.http?.method, "POST");
    assert.equal(defaultVariant(id).risk_class, "write");
    assert.equal(defaultVariant(id).confirmation_policy, "high_stakes_write");
    const validateOnly = operation(id).request_fields?.find((f) => f.name === "validateOnly");
    assert.deepEqual([validateOnly?.location, validateOnly?.type], ["body", "boolean"]);
  }
  assert.equal(defaultVariant("datamanager.audienceMembers.remove").risk_class, "destructive");
  const status = operation("datamanager.requestStatus.retrieve");
  assert.equal(defaultVariant(status.op_id).binding?.http?.method, "GET");
  const requestId = status.request_fields?.find((field) => field.name === "requestId");
  assert.deepEqual([requestId?.location, requestId?.required], ["query", true]);
});

Deno.test("TestGoogleAdsCatalogBinding: three reads on their own scope, no invented targeting", () => {
  const ads = catalog.ops.filter((op) => op.service === "googleads");
  assert.equal(ads.length, 3);
  for (const op of ads) {
    const variant = defaultVariant(op.op_id);
    assert.equal(variant.backend_kind, "google-ads-sdk");
    assert.equal(variant.risk_class, "read");
    assert.ok(variant.risk_override && variant.risk_override_reason);
    assert.deepEqual(variant.scopes, ["https://www.googleapis.com/auth/adwords"]);
    assert.match(variant.binding?.http?.path ?? "", /\{customerId\}:generate[A-Za-z]+$/);
    const fields = new Map(op.request_fields?.map((field) => [field.name, field]));
    assert.deepEqual(
      [fields.get("customerId")?.location, fields.get("customerId")?.required],
      ["path", true],
    );
    assert.ok(![...fields.keys()].some((name) => /developer/i.test(name)));
    for (const name of ["geoTargetConstants", "language"]) {
      assert.equal(fields.get(name)?.default, undefined);
    }
    assert.equal(fields.get("keywordPlanNetwork")?.default, "GOOGLE_SEARCH");
  }
});

Deno.test("catalog: six risk overrides, each with a reason", () => {
  const overridden = variants.filter(({ variant }) => variant.risk_override === true);
  assert.deepEqual(overridden.map(({ op }) => op.op_id), [
    "calendar.calendarList.delete",
    "googleads.keywordPlanIdeas.generateKeywordForecastMetrics",
    "googleads.keywordPlanIdeas.generateKeywordHistoricalMetrics",
    "googleads.keywordPlanIdeas.generateKeywordIdeas",
    "sheets.spreadsheets.values.clear",
    "tasks.tasks.clear",
  ]);
});

Deno.test("catalog: Admin writes are guarded, and the eight tenant-wide ones are absent", () => {
  const writes = variants.filter(({ op, variant }) =>
    op.service === "admin" && variant.risk_class !== "read"
  );
  assert.equal(writes.length, 8);
  for (const { op, variant } of writes) {
    const policy = variant.admin_policy;
    const whole = /\.(users|groups)\.delete$/.test(op.op_id);
    assert.equal(
      policy?.blast_radius,
      whole ? "admin_high_blast_write" : "admin_reversible_write",
      op.op_id,
    );
    assert.equal(policy?.fixture_marker_prefix, "gum-fixture-");
    assert.ok((policy?.fixture_resource_keys ?? []).length > 0);
    assert.ok(
      variant.risk_class === "destructive" || variant.confirmation_policy === "high_stakes_write",
    );
    assert.ok(variant.effects?.includes("admin"));
  }
  for (
    const method of [
      "orgunits.insert",
      "orgunits.update",
      "roles.insert",
      "roleAssignments.insert",
      "domains.insert",
      "domainAliases.insert",
      "verificationCodes.generate",
      "chromeosdevices.action.batch",
    ]
  ) assert.equal(ops.has(`admin.directory.${method}`), false, method);
});

Deno.test("catalog: host defaults of people's everyday arguments", () => {
  const hostDefault = (opId: string, name: string) =>
    operation(opId).request_fields?.find((field) => field.name === name)?.host_default;
  for (const op of catalog.ops.filter((candidate) => candidate.service === "gmail")) {
    assert.equal(hostDefault(op.op_id, "userId"), "me", op.op_id);
  }
  for (const op of catalog.ops.filter((candidate) => candidate.service === "drive")) {
    for (const name of ["supportsAllDrives", "includeItemsFromAllDrives"]) {
      if (!op.request_fields?.some((field) => field.name === name)) continue;
      assert.equal(hostDefault(op.op_id, name), "true", op.op_id);
    }
  }
  assert.equal(hostDefault("calendar.events.list", "calendarId"), "primary");
  // A whole calendar is never chosen by leaving an argument out.
  for (const id of ["calendar.calendars.clear", "calendar.calendars.delete"]) {
    assert.equal(hostDefault(id, "calendarId"), undefined);
  }
});

Deno.test("catalog: outward effects follow what an operation does", () => {
  const effects = (opId: string) => defaultVariant(opId).effects ?? [];
  assert.deepEqual(effects("gmail.users.messages.send"), ["sends_mail"]);
  assert.deepEqual(effects("gmail.users.drafts.create"), []);
  assert.deepEqual(effects("drive.permissions.create"), ["sends_mail", "shares"]);
  assert.deepEqual(effects("indexing.urlNotifications.publish"), ["publishes"]);
  for (const { op, variant } of variants) {
    if (variant.risk_class === "destructive") {
      assert.ok(variant.effects?.includes("deletes"), op.op_id);
    }
    if (variant.confirmation_policy === "high_stakes_write") {
      assert.ok((variant.effects ?? []).length > 0, op.op_id);
    }
  }
});

Deno.test("catalog: families keep one product's quota from pausing another", () => {
  const family = (opId: string) => operation(opId).service_family;
  assert.equal(family("gmail.users.messages.list"), "workspace");
  assert.equal(family("youtube.videos.list"), "youtube");
  assert.equal(family("places.searchText"), "maps");
  assert.equal(family("maps.geocoding.geocode"), "maps");
  assert.equal(family("customsearch.cse.list"), "search");
  assert.equal(family("googleads.keywordPlanIdeas.generateKeywordIdeas"), "ads");
  assert.equal(family("photoslibrary.albums.list"), "photos");
  assert.equal(family("flights.search"), "plugin.google-flights");
  assert.equal(family("gum.code"), "meta");
});

Deno.test("catalog: OAuth operations name scopes, and the repaired ones name the right ones", () => {
  for (const { op, variant } of variants) {
    assert.equal(
      variant.auth_strategy === "byo_oauth",
      (variant.scopes ?? []).length > 0,
      op.op_id,
    );
    assert.notEqual(variant.auth_strategy, "gum_oauth");
  }
  const scope = (opId: string) =>
    scopesForOp(opId, catalog.ops)?.map((url) => url.slice(url.lastIndexOf("/") + 1));
  assert.deepEqual(scope("gmail.users.drafts.send"), ["gmail.compose"]);
  assert.deepEqual(scope("calendar.acl.list"), ["calendar.acls.readonly"]);
  assert.deepEqual(scope("gmail.users.messages.send"), ["gmail.send"]);
  assert.deepEqual(scopesForOp("gmail.users.messages.delete", catalog.ops), [
    "https://mail.google.com/",
  ]);
});

Deno.test("catalog: media upload endpoints of Drive and Gmail", () => {
  const create = defaultVariant("drive.files.create").binding?.http?.media_upload;
  assert.equal(
    create?.multipart_path,
    "https://www.googleapis.com/upload/drive/v3/files",
  );
  assert.ok(create?.max_bytes);
  for (
    const id of [
      "drive.files.create",
      "drive.files.update",
      "gmail.users.messages.send",
      "gmail.users.drafts.create",
      "gmail.users.drafts.update",
      "gmail.users.drafts.send",
    ]
  ) {
    assert.ok(defaultVariant(id).capabilities.includes("media_upload"), id);
    assert.ok(defaultVariant(id).binding?.http?.media_upload?.resumable_path, id);
  }
});
