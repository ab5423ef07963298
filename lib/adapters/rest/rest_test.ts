import assert from "node:assert/strict";
import { secret } from "../../auth/mod.ts";
import type { AdapterRequest, Credentials } from "../../dispatch/types.ts";
import type { HttpBinding, Variant } from "../../catalog/types.ts";
import { GumError } from "../../errors/mod.ts";
import { TransportFailure, UpstreamFailure } from "../../errors/wire/mod.ts";
import { createHttpClient } from "../../http/mod.ts";
import { googleError, json, type Script, startPeer } from "../../http/testdata/peer.ts";
import type { JsonObject } from "../../json/mod.ts";
import { createAdapterRegistry, createRestAdapter } from "../mod.ts";
import { isRepeatable } from "./rest.ts";

const NEVER = new AbortController().signal;

function request(
  http: HttpBinding,
  args: JsonObject,
  extra: Partial<AdapterRequest> & { variant?: Partial<Variant> } = {},
): AdapterRequest {
  const { variant: variantExtra, ...rest } = extra;
  const variant: Variant = {
    variant_id: "v",
    variant_schema_version: 1,
    stability: "stable",
    interface_kind: "discovery-rest",
    backend_kind: "typed-rest-sdk",
    risk_class: http.method === "GET" ? "read" : "write",
    auth_strategy: "byo_oauth",
    capabilities: [],
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest.typed-rest-sdk",
      operation_key: "o",
      http,
    },
    ...variantExtra,
  };
  return {
    opId: "a.b",
    args,
    resolved: {
      op: {
        op_id: "a.b",
        op_schema_version: 1,
        title: "",
        summary: "",
        service: "a",
        service_family: "a",
        default_variant_id: "v",
        variants: [variant],
      },
      variant,
      adapterKey: "rest.typed-rest-sdk",
      deprecated: false,
    },
    requestId: "req-0",
    grants: { allowWrite: false, allowDestructive: false, confirmed: false },
    ...rest,
  };
}

async function over(
  script: Script,
  run: (world: {
    send(request: AdapterRequest): Promise<unknown>;
    seen: ReturnType<typeof startPeer>["requests"];
    adapter: ReturnType<typeof createRestAdapter>;
  }) => Promise<void>,
) {
  await using peer = startPeer(script);
  using http = createHttpClient({ rewriteOrigin: (url) => peer.rewrite(url) });
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const adapter = createRestAdapter({ http, version: "1.2.3", clock });
  await run({
    adapter,
    seen: peer.requests,
    send: (built) => adapter.execute(built, NEVER).catch((error) => error),
  });
}

const GET: HttpBinding = { method: "GET", path: "https://www.googleapis.com/x" };

Deno.test("TestBackendKindTypedRestSDK: query keys sorted and repeated, null left out, numbers plain", async () => {
  await over(() => json({}), async ({ send, seen }) => {
    await send(
      request(GET, { z: "1 2&3", a: ["x", null, "y"], n: 1.5e9, gone: null, flag: false }),
    );
    assert.equal(seen[0]?.target, "/x?a=x&a=y&flag=false&n=1500000000&z=1+2%263");
    assert.equal(seen[0]?.headers.get("accept"), "application/json");
    assert.equal(seen[0]?.headers.get("user-agent"), "gum/1.2.3 (gzip)");
    assert.equal(seen[0]?.headers.get("content-type"), null);
    const nested = await send(request(GET, { obj: { a: 1 } }));
    assert.ok(nested instanceof GumError && nested.code === "INVALID_ARGS");
    assert.equal(seen.length, 1);
  });
});

Deno.test("TestBackendBindingTypedRestSDK: bodies by method: JSON, verbatim text, none", async () => {
  await over(() => json({}), async ({ send, seen }) => {
    const post: HttpBinding = { method: "POST", path: "https://www.googleapis.com/x" };
    await send(request(post, { body: { a: 1 } }));
    await send(request(post, { body: '{"raw": true}' }));
    await send(request(post, { body: null }));
    await send(request(post, { body: "" }));
    await send(request(post, { body: [1] }));
    assert.deepEqual(seen.map((one) => one.body), ['{"a":1}', '{"raw": true}', "", "", "[1]"]);
    assert.deepEqual(
      seen.map((one) => one.headers.get("content-type")),
      ["application/json", "application/json", null, null, "application/json"],
    );
    const answer = await send(request({ ...post, method: "DELETE" }, { body: { a: 1 } }));
    assert.deepEqual((answer as { warnings: string[] }).warnings, [
      "DELETE sends no body; the given one was left out",
    ]);
    assert.deepEqual([seen[5]?.body, seen[5]?.target], ["", "/x"]);
  });
});

Deno.test("TestBackendKindDiscoveryRest: named arguments travel as headers, reserved names never", async () => {
  await over(() => json({}), async ({ send, seen }) => {
    const http: HttpBinding = {
      ...GET,
      header_params: {
        mask: "X-Goog-FieldMask",
        auth: "Authorization",
        len: "Content-Length",
        list: "X-List",
      },
    };
    await send(
      request(http, { mask: "a,b", auth: "Bearer stolen", len: "9", list: ["1", "2"], q: "1" }),
    );
    assert.equal(seen[0]?.headers.get("x-goog-fieldmask"), "a,b");
    assert.equal(seen[0]?.headers.get("x-list"), "1,2");
    assert.equal(seen[0]?.headers.get("authorization"), null);
    assert.equal(seen[0]?.target, "/x?q=1");
    const broken = await send(request(http, { mask: "a\r\nx-evil: 1" }));
    assert.ok(broken instanceof GumError && broken.details.field === "mask");
    for (const text of ["places.näme", "名前", "a\u0001b", "a\u007f"]) {
      const foreign = await send(request(http, { mask: text }));
      assert.ok(foreign instanceof GumError, text);
      assert.deepEqual([foreign.code, foreign.details.field], ["INVALID_ARGS", "mask"]);
    }
    assert.equal(seen.length, 1);
  });
});

function credentials(extra: Partial<Credentials>): Credentials {
  return { subjectFingerprint: "f", signInStrategy: "byo_oauth", ...extra };
}

Deno.test("TestBackendKindRawHTTP: where each credential goes", async () => {
  await over(() => json({ status: "OK" }), async ({ send, seen }) => {
    await send(request(GET, {}, {
      credentials: credentials({ token: secret("tok"), quotaProjectId: "proj" }),
    }));
    assert.equal(seen[0]?.headers.get("authorization"), "Bearer tok");
    assert.equal(seen[0]?.headers.get("x-goog-user-project"), "proj");
    await send(request(GET, { q: "1" }, { credentials: credentials({ apiKey: secret("KEY") }) }));
    assert.equal(seen[1]?.headers.get("x-goog-api-key"), "KEY");
    assert.equal(seen[1]?.target, "/x?q=1", "a key is in the query for Maps only");
    const maps: HttpBinding = {
      method: "GET",
      path: "https://maps.googleapis.com/maps/api/geocode/json",
    };
    await send(
      request(maps, { zip: "1" }, { credentials: credentials({ apiKey: secret("KEY") }) }),
    );
    assert.equal(seen[2]?.target, "/maps/api/geocode/json?zip=1&key=KEY");
    const routes: HttpBinding = {
      method: "POST",
      path: "https://routes.googleapis.com/v2:compute",
    };
    await send(request(routes, {}, { credentials: credentials({ apiKey: secret("KEY") }) }));
    assert.ok(!seen[3]?.target.includes("KEY"));
    const both = await send(request(GET, {}, {
      credentials: credentials({ token: secret("t"), apiKey: secret("k") }),
    }));
    assert.ok(both instanceof TypeError);
    assert.equal(seen.length, 4);
  });
});

Deno.test("a foreign host never sees a credential, and no error shows a key", async () => {
  await over(() => ({ kind: "drop" }), async ({ send, seen }) => {
    const foreign = await send(request({ method: "GET", path: "https://evil.example/x" }, {}, {
      credentials: credentials({ token: secret("tok") }),
    }));
    assert.ok(foreign instanceof GumError);
    assert.deepEqual([foreign.code, foreign.details.host], ["POLICY_DENIED", "evil.example"]);
    assert.equal(seen.length, 0);
    const maps: HttpBinding = {
      method: "GET",
      path: "https://maps.googleapis.com/maps/api/x/json",
    };
    const lost = await send(
      request(maps, {}, { credentials: credentials({ apiKey: secret("KEYKEY") }) }),
    );
    assert.ok(lost instanceof TransportFailure);
    assert.ok(!`${lost.message}${lost.stack}`.includes("KEYKEY"));
  });
});

Deno.test("Maps web services: their status inside a 200 is the outcome", async () => {
  const maps: HttpBinding = {
    method: "GET",
    path: "https://maps.googleapis.com/maps/api/directions/json",
  };
  const outcomes: [string, string | undefined][] = [
    ["OK", undefined],
    ["ZERO_RESULTS", undefined],
    ["OVER_QUERY_LIMIT", "RATE_LIMITED"],
    ["OVER_DAILY_LIMIT", "RATE_LIMITED"],
    ["REQUEST_DENIED", "AUTH_REQUIRED"],
    ["INVALID_REQUEST", "INVALID_ARGS"],
    ["NOT_FOUND", "RESOURCE_NOT_FOUND"],
    ["UNKNOWN_ERROR", "SERVICE_DOWN"],
  ];
  for (const [status, code] of outcomes) {
    await over(() => json({ status, error_message: "why", routes: [] }), async ({ send }) => {
      const outcome = await send(request(maps, {}));
      assert.equal(outcome instanceof GumError ? outcome.code : undefined, code, status);
      if (outcome instanceof GumError) {
        assert.equal(outcome.message, "why");
        assert.ok(outcome.cause instanceof UpstreamFailure, "the body is there for the artifact");
      }
    });
    await over(() => json({ status }), async ({ send }) => {
      assert.ok(
        !(await send(request(GET, {})) instanceof Error),
        "other services may have a status",
      );
    });
  }
});

Deno.test("a condition goes out and 304 comes back; the response carries what the kernel keeps", async () => {
  await over(
    (one) =>
      one.headers.get("if-none-match") === '"e"'
        ? { kind: "answer", status: 304 }
        : json({ a: 1 }, { headers: { etag: 'W/"x"' } }),
    async ({ send }) => {
      const fresh = await send(request(GET, {})) as {
        etag: string;
        status: number;
        bytesIn: number;
      };
      assert.deepEqual([fresh.etag, fresh.status, fresh.bytesIn], ['W/"x"', 200, 7]);
      const unchanged = await send(request(GET, {}, { ifNoneMatch: '"e"' })) as { status: number };
      assert.equal(unchanged.status, 304);
      const uncalled = await send(request(GET, { x: "1" }, { ifNoneMatch: '"other"' }));
      assert.ok(!(uncalled instanceof Error));
    },
  );
});

Deno.test("what may be repeated: by method, or an idempotent read", () => {
  const variant = (risk: Variant["risk_class"], idempotent?: boolean) =>
    request(GET, {}, { variant: { risk_class: risk, annotations: { idempotent } } }).resolved
      .variant;
  for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
    assert.ok(isRepeatable(method, variant("write")));
  }
  assert.ok(isRepeatable("POST", variant("read", true)));
  assert.ok(!isRepeatable("POST", variant("read")));
  assert.ok(!isRepeatable("POST", variant("write", true)));
  assert.ok(!isRepeatable("PATCH", variant("destructive", true)));
});

Deno.test("TestDataManagerWireAndScope: ingest is one POST with its JSON, status is a GET with its query", async () => {
  await over(() => json({ requestId: "r" }), async ({ send, seen }) => {
    await send(request(
      { method: "POST", path: "https://datamanager.googleapis.com/v1/events:ingest" },
      { body: { events: [{ a: 1 }], validateOnly: true } },
    ));
    await send(request(
      { method: "GET", path: "https://datamanager.googleapis.com/v1/requestStatus:retrieve" },
      { requestId: "r 1" },
    ));
    assert.deepEqual(seen.map((one) => [one.method, one.host, one.target]), [
      ["POST", "datamanager.googleapis.com", "/v1/events:ingest"],
      ["GET", "datamanager.googleapis.com", "/v1/requestStatus:retrieve?requestId=r+1"],
    ]);
    assert.equal(seen[0]?.body, '{"events":[{"a":1}],"validateOnly":true}');
  });
});

Deno.test("a preview sends nothing and never holds a credential", async () => {
  await over(() => googleError(500), ({ adapter, seen }) => {
    const preview = adapter.preview?.(request(GET, { q: "é" }, {
      credentials: credentials({ apiKey: secret("KEYKEY") }),
    }));
    assert.ok(!JSON.stringify(preview).includes("KEYKEY"));
    assert.deepEqual(preview?.headers, ["accept", "user-agent", "x-goog-api-key"]);
    assert.equal(seen.length, 0);
    return Promise.resolve();
  });
});

Deno.test("no adapter guesses: only exact keys are found", () => {
  using http = createHttpClient();
  const registry = createAdapterRegistry({ rest: createRestAdapter({ http, version: "1" }) });
  for (const key of ["rest.typed-rest-sdk", "rest.discovery-rest", "rest.raw-http"]) {
    assert.ok(registry.find(key));
  }
  for (const key of ["", "rest", "rest.", "rest.typed-rest-sdk.x", "REST.raw-http", "toString"]) {
    assert.equal(registry.find(key), undefined, key);
  }
});
