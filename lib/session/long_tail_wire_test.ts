import assert from "node:assert/strict";
import { embeddedSource, longTailMethods, openSessionLongTail } from "../catalog/mod.ts";
import type { LongTailMethod, LongTailPack, Op } from "../catalog/mod.ts";
import { isGumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import { sampleValue } from "../resource_names/testdata/sample_value.ts";
import { openSession, type Session } from "./mod.ts";

const SAMPLE = 2_000;

/** A small generator with a printed seed: a failure can be repeated with GUM_LONGTAIL_SEED. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function withSession(
  exposure: string,
  run: (session: Session) => Promise<void>,
): Promise<void> {
  const config = await Deno.makeTempDir();
  await Deno.mkdir(`${config}/gum/default`, { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(
    `${config}/gum/default/config.toml`,
    `[catalog]\nlong_tail = "${exposure}"\n\n[validation.unknown_read_params_allowlist]\n` +
      `"compute.zones.list" = ["brandNew"]\n"compute.instances.insert" = ["brandNew"]\n`,
    { mode: 0o600 },
  );
  const session = await openSession({
    profileName: "default",
    emulator: true,
    directories: { config },
  });
  try {
    await run(session);
  } finally {
    await session.close();
    await Deno.remove(config, { recursive: true });
  }
}

function sampled(pack: LongTailPack, random: () => number): string[] {
  const ids = pack.services().flatMap((service) => pack.operationIds(service));
  const chosen = new Set<string>();
  while (chosen.size < SAMPLE) chosen.add(ids[Math.floor(random() * ids.length)] ?? "");
  return [...chosen].sort();
}

/** A value that a schema accepts; deeper structure is left to the service. */
function valueOf(schema: JsonObject, random: () => number): JsonValue {
  if (Array.isArray(schema.enum)) {
    return schema.enum[Math.floor(random() * schema.enum.length)] ?? "";
  }
  switch (schema.type) {
    case "integer":
      return Math.floor(random() * 1_000);
    case "number":
      return Math.floor(random() * 1_000) / 8;
    case "boolean":
      return random() < 0.5;
    case "array":
      return [0, 1].map(() => valueOf(isJsonObject(schema.items) ? schema.items : {}, random));
    case "object":
      return {};
  }
  if (typeof schema.pattern === "string") return sampleValue(schema.pattern, random);
  const alphabet = "abcXYZ059-_~ äß&=+:@";
  return "v" + Array.from({ length: 6 }, () => alphabet[Math.floor(random() * 20)]).join("").trim();
}

function generated(schema: JsonObject | undefined, random: () => number): JsonObject {
  const { properties, required } = schema ?? {};
  if (!isJsonObject(properties)) return {};
  const needed = Array.isArray(required) ? required : [];
  const entries = Object.entries(properties).filter(([name]) =>
    needed.includes(name) || random() < 0.4
  );
  return Object.fromEntries(entries.map(([name, spec]) => {
    if (!isJsonObject(spec)) return [name, "v"];
    return [name, isJsonObject(spec.properties) ? generated(spec, random) : valueOf(spec, random)];
  }));
}

/** The URL that the Discovery template gives for these arguments, by rules of its own. */
function expectedUrl(method: LongTailMethod, args: JsonObject): { path: string; query: string[] } {
  const names: string[] = [];
  const path = method.path.split(/(\{\+?[^}]+\})/).map((piece) => {
    const name = /^\{\+?([^}]+)\}$/.exec(piece)?.[1];
    if (name === undefined) return piece;
    names.push(name);
    const text = String(args[name]);
    return piece.startsWith("{+")
      ? encodeURI(text).replaceAll("?", "%3F").replaceAll("#", "%23")
      : encodeURIComponent(text);
  }).join("");
  const query = Object.entries(args).flatMap(([name, value]) =>
    names.includes(name) || name === "body"
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => `${name}=${String(one)}`)
  );
  return { path, query: query.sort() };
}

function comparablePath(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase())
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function requestOf(text: string): { method: string; url: URL; body: JsonValue | undefined } {
  const { request } = JSON.parse(text);
  const { body } = request;
  return {
    method: request.method,
    url: new URL(request.url),
    body: typeof body === "string" && body !== "" ? JSON.parse(body) : body,
  };
}

Deno.test("long tail: sampled requests match their Discovery templates, by an independent checker", async () => {
  const seed = Number(
    Deno.env.get("GUM_LONGTAIL_SEED") ?? new Date().toISOString().slice(0, 10).replaceAll("-", ""),
  );
  const random = seeded(seed);
  const pack = openSessionLongTail("all");
  assert.ok(pack !== undefined);
  const methods = new Map<string, Map<string, LongTailMethod>>();
  let compared = 0;
  let unsupported = 0;
  await withSession("all", async ({ kernel, catalog }) => {
    for (const opId of sampled(pack, random)) {
      const at = `GUM_LONGTAIL_SEED=${seed} ${opId}`;
      const op = catalog.findOp(opId);
      const [variant] = op?.variants ?? [];
      assert.ok(op !== undefined && variant?.binding?.http !== undefined, at);
      const schema = variant.binding.request_ref === undefined
        ? undefined
        : catalog.requestSchema(variant.binding.request_ref);
      const args = generated(schema, random);
      const invocation = {
        opId,
        args,
        // What the host assumes is for people and agents; a script says all it means.
        caller: "cli" as const,
        dryRun: true,
        format: "raw" as const,
        allowWrite: variant.risk_class !== "read",
        allowDestructive: variant.risk_class === "destructive",
      };
      if (variant.execution_support === "schema_only") {
        unsupported++;
        await assert.rejects(
          kernel.dispatch(invocation),
          (error) => isGumError(error, "UNSUPPORTED_CAPABILITY"),
          at,
        );
        continue;
      }
      const answer = await kernel.dispatch(invocation).catch((error) => {
        throw new Error(`${at} ${JSON.stringify(args)}`, { cause: error });
      });
      const sent = requestOf(new TextDecoder().decode(answer.body));
      const service = op.service;
      let known = methods.get(service);
      if (known === undefined) {
        known = new Map(longTailMethods(embeddedSource(), service).map((one) => [one.opId, one]));
        methods.set(service, known);
      }
      const method = known.get(opId);
      assert.ok(method !== undefined, at);
      assert.equal(sent.method, method.httpMethod, at);
      assert.equal(sent.url.hostname, method.host, at);
      const { path, query } = expectedUrl(method, withHostDefaults(op, args));
      assert.equal(comparablePath(sent.url.pathname), comparablePath(path), at);
      assert.deepEqual([...sent.url.searchParams].map(([k, v]) => `${k}=${v}`).sort(), query, at);
      const takesBody = ["POST", "PUT", "PATCH"].includes(method.httpMethod);
      assert.deepEqual(sent.body, takesBody ? args.body : undefined, at);
      compared++;
    }
  });
  assert.ok(compared > SAMPLE * 0.97, `${compared} compared, ${unsupported} unsupported`);
});

/** What GUM itself supplies where the caller is silent. */
function withHostDefaults(op: Op, args: JsonObject): JsonObject {
  const defaults = (op.request_fields ?? []).flatMap(({ name, host_default }) =>
    host_default === undefined || Object.hasOwn(args, name) ? [] : [[name, host_default] as const]
  );
  return { ...Object.fromEntries(defaults), ...args };
}

Deno.test("TestLongTailUnknownArgHandling: unknown arguments of the long tail are refused, listed ones pass on reads", async () => {
  await withSession("all", async ({ kernel, emulator }) => {
    const read = (args: JsonObject, more: JsonObject = {}) =>
      kernel.dispatch({ opId: "compute.zones.list", args: { project: "p", ...args }, ...more });
    const refused = (error: unknown) => isGumError(error, "INVALID_ARGS");
    await assert.rejects(read({ other: 1 }), refused);
    await assert.rejects(read({ brandNew: "x", other: 1 }), refused);
    await assert.rejects(read({ brandNew: "x" }, { allowWrite: true }), refused);
    const answer = await read({ brandNew: "x" });
    assert.ok(answer.validationWarnings.some((text) => /read-only allowlist.*brandNew/.test(text)));
    assert.deepEqual(emulator?.journal.at(-1)?.query.brandNew, ["x"]);
    const sent = emulator?.journal.length;
    await assert.rejects(
      kernel.dispatch({
        opId: "compute.instances.insert",
        args: { project: "p", zone: "z", brandNew: "x" },
        allowWrite: true,
      }),
      refused,
    );
    assert.equal(emulator?.journal.length, sent);
  });
});

Deno.test("long tail: the profile's exposure bounds what a session finds and runs", async () => {
  const insert = "compute.instances.insert";
  const found = (session: Session, query: string) =>
    session.search().search(query, 20).map(({ op_id, tier }) => `${tier} ${op_id}`);
  await withSession("off", (session) => {
    assert.equal(session.catalog.findOp("compute.zones.list"), undefined);
    assert.ok(found(session, "compute engine zones").every((row) => !row.includes("compute.")));
    return Promise.resolve();
  });
  await withSession("read", async (session) => {
    assert.ok(session.catalog.findOp("compute.zones.list"));
    assert.equal(session.catalog.findOp(insert), undefined);
    assert.equal(session.catalog.findVariant("compute.v1.rest.instances.insert"), undefined);
    assert.ok(found(session, "list compute engine zones").includes("long_tail compute.zones.list"));
    assert.ok(
      !found(session, "create compute engine instance").some((row) => row.includes(insert)),
    );
    await assert.rejects(
      session.kernel.dispatch({
        opId: insert,
        args: { project: "p", zone: "z" },
        allowWrite: true,
      }),
      (error) => isGumError(error, "OP_NOT_FOUND"),
    );
    const answer = await session.kernel.dispatch({
      opId: "compute.zones.list",
      args: { project: "p" },
    });
    assert.equal(answer.variantId, "compute.v1.rest.zones.list");
    assert.equal(session.emulator?.journal.at(-1)?.path, "/compute/v1/projects/p/zones");
  });
  await withSession("all", async (session) => {
    const call = { opId: insert, args: { project: "p", zone: "z", body: { name: "vm" } } };
    assert.ok(session.catalog.findOp(insert));
    await assert.rejects(
      session.kernel.dispatch(call),
      (error) => !isGumError(error, "OP_NOT_FOUND"),
    );
    assert.equal(session.emulator?.journal.length, 0);
    await session.kernel.dispatch({ ...call, allowWrite: true });
    assert.equal(session.emulator?.journal.at(-1)?.method, "POST");
    const sent = session.emulator?.journal.length;
    await assert.rejects(
      session.kernel.dispatch({
        opId: "cloudresourcemanager.projects.setIamPolicy",
        args: { resource: "projects/p" },
        allowWrite: true,
        caller: "mcp",
      }),
      (error) => isGumError(error, "REQUIRES_CONFIRMATION"),
    );
    assert.equal(session.emulator?.journal.length, sent, "a sensitive write is confirmed first");
  });
});
