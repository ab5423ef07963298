import assert from "node:assert/strict";
import fc from "fast-check";
import { variant } from "../dispatch/testdata/fixture.ts";
import { isGumError } from "../errors/mod.ts";
import { pollRoutes, serviceHome } from "./mod.ts";

const LAST = {
  host: "drive.googleapis.com",
  versionPath: "/drive/v3",
  opId: "drive.files.list",
  variantId: "v",
};

function hrefs(name: string, known: Parameters<typeof pollRoutes>[1] = {}): string[] {
  return pollRoutes(name, known).map(({ url }) => url.href);
}

Deno.test("every row of the prefix table, most literal segments first", () => {
  const rows: [string, string][] = [
    [
      "projects/p/zones/eu-1/operations/op-1",
      "https://compute.googleapis.com/compute/v1/projects/p/zones/eu-1/operations/op-1",
    ],
    [
      "projects/p/regions/eu/operations/op-1",
      "https://compute.googleapis.com/compute/v1/projects/p/regions/eu/operations/op-1",
    ],
    [
      "projects/p/global/operations/op-1",
      "https://compute.googleapis.com/compute/v1/projects/p/global/operations/op-1",
    ],
    [
      "global/operations/op-1",
      "https://compute.googleapis.com/compute/v1/global/operations/op-1",
    ],
    [
      "projects/p/locations/l/operations/op-1",
      "https://run.googleapis.com/v2/projects/p/locations/l/operations/op-1",
    ],
    ["operations/op-1", "https://googleapis.com/v1/operations/op-1"],
    ["operations/a b/ü?#:", "https://googleapis.com/v1/operations/a%20b/%C3%BC%3F%23%3A"],
  ];
  for (const [name, href] of rows) assert.deepEqual(hrefs(name), [href]);
  for (const name of ["operations", "projects/p/operations/x", "x"]) {
    assert.deepEqual(hrefs(name), []);
  }
});

Deno.test("memory comes first, the last service that answered comes last, each address once", () => {
  const origin = {
    host: "drive.googleapis.com",
    versionPath: "/drive/v3",
    opId: "drive.files.download",
    variantId: "d",
  };
  assert.deepEqual(hrefs("operations/x", { origin, lastAnswered: LAST }), [
    "https://drive.googleapis.com/drive/v3/operations/x",
    "https://googleapis.com/v1/operations/x",
    "https://drive.googleapis.com/v1/operations/x",
  ]);
  assert.deepEqual(hrefs("x", { origin }), [
    "https://drive.googleapis.com/drive/v3/operations/x",
    "https://drive.googleapis.com/drive/v3/x",
  ]);
  assert.deepEqual(hrefs("customers/c/operations/x", { lastAnswered: LAST }), [
    "https://drive.googleapis.com/v1/operations/x",
    "https://drive.googleapis.com/v1/customers/c/operations/x",
  ]);
});

Deno.test("a full address is used as it is, on Google's hosts only", () => {
  const own = "https://run.googleapis.com/v1/operations/x?alt=json";
  assert.deepEqual(hrefs(own, { lastAnswered: LAST }), [own]);
  const foreign = [
    "https://googleapis.com.example.com/v1/x",
    "https://user:pw@run.googleapis.com/v1/x",
    "http://run.googleapis.com/v1/x",
    "https://run.googleapis.com:8443/v1/x",
    "https://run.googleapis.com/v1/x#y",
    "https://[bad/",
  ];
  for (const address of foreign) assert.deepEqual(hrefs(address, { lastAnswered: LAST }), []);
});

Deno.test("names with empty or dot segments are refused", () => {
  for (const name of ["", "a//b", "/a", "a/", "operations/..", "./operations/x"]) {
    assert.throws(() => pollRoutes(name), (error) => isGumError(error, "INVALID_ARGS"), name);
  }
});

Deno.test("the home of a service is read from the binding", () => {
  const homeOf = (path: string) => serviceHome(variant("v", ["read", "GET", path]));
  assert.deepEqual(homeOf("https://run.googleapis.com/v2/{+name}:run"), {
    host: "run.googleapis.com",
    versionPath: "/v2",
  });
  assert.deepEqual(homeOf("https://compute.googleapis.com/compute/v1/projects/{project}/x"), {
    host: "compute.googleapis.com",
    versionPath: "/compute/v1",
  });
  assert.deepEqual(homeOf("drive/v3/files/{id}"), {
    host: "www.googleapis.com",
    versionPath: "/drive/v3",
  });
  assert.deepEqual(homeOf("https://x.googleapis.com/things/{id}"), {
    host: "x.googleapis.com",
    versionPath: "/v1",
  });
  assert.equal(homeOf("https://plugins.example.com/v1/{id}"), undefined);
  assert.equal(
    serviceHome({ ...variant("v", ["read", "GET", "x"]), binding: undefined }),
    undefined,
  );
});

Deno.test("property: no name leads away from googleapis.com or out of its collection", () => {
  const segment = fc.oneof(
    fc.constantFrom("projects", "operations", "global", "locations", "..", "%2e%2e", "a:b", "@h"),
    fc.string({ unit: "binary" }),
  );
  const name = fc.oneof(
    fc.array(segment, { minLength: 1, maxLength: 7 }).map((parts) => parts.join("/")),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string().map((text) => `https://${text}.googleapis.com/${text}`),
  );
  fc.assert(fc.property(name, (operationName) => {
    let routes;
    try {
      routes = pollRoutes(operationName, { origin: LAST, lastAnswered: LAST });
    } catch (error) {
      assert.ok(isGumError(error, "INVALID_ARGS"));
      return;
    }
    for (const { url } of routes) {
      assert.equal(url.protocol, "https:");
      assert.match(url.hostname, /(^|\.)googleapis\.com$/);
      assert.equal(url.port + url.username + url.password + url.hash, "");
      if (operationName.includes("://")) continue;
      assert.equal(url.search, "");
      assert.match(url.pathname, /^\/(v1|v2|compute\/v1|drive\/v3)\//);
    }
  }));
});
