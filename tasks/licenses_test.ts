import assert from "node:assert/strict";
import {
  isAccepted,
  licenseProblems,
  lockedPackages,
  packageCache,
  packageTerms,
  withNeeds,
} from "./licenses.ts";
import { reachedPackages, shippedPackages, thirdPartyNotices } from "./third_party_notices.ts";

const LOCK = JSON.stringify({
  npm: {
    "@scope/a@1.2.0_peer@3.0.0": { dependencies: ["b", "c@1.0.0"] },
    "b@2.0.0": { optionalDependencies: ["d"] },
    "c@1.0.0": {},
    "c@2.0.0": {},
    "d@0.1.0": { scripts: true },
  },
});

Deno.test("TestLicenses: a lock names packages, versions and what each needs", () => {
  const lock = lockedPackages(LOCK);
  assert.deepEqual(lock.get("@scope/a@1.2.0_peer@3.0.0"), {
    name: "@scope/a",
    version: "1.2.0",
    needs: ["b@2.0.0", "c@1.0.0"],
    installScript: false,
  });
  assert.equal(lock.get("d@0.1.0")?.installScript, true);
  assert.deepEqual(
    withNeeds(lock, new Set(["@scope/a"])).map(({ name, version }) => `${name} ${version}`),
    ["@scope/a 1.2.0", "b 2.0.0", "c 1.0.0", "d 0.1.0"],
  );
});

Deno.test("TestLicenses: expressions are met by one side of OR and both sides of AND", () => {
  for (
    const good of ["MIT", "(MIT OR GPL-3.0-only)", "MIT AND ISC", "GPL-2.0-only OR (ISC AND MIT)"]
  ) {
    assert.ok(isAccepted(good), good);
  }
  for (
    const bad of ["GPL-3.0-only", "MIT AND GPL-3.0-only", "", "SEE LICENSE IN x", "UNLICENSED"]
  ) {
    assert.ok(!isAccepted(bad), bad);
  }
  assert.throws(() => isAccepted("(MIT"), SyntaxError);
});

Deno.test("TestLicenses: every locked package is under accepted terms and runs nothing at install", async () => {
  assert.deepEqual(await licenseProblems(), []);
  const lock = lockedPackages(await Deno.readTextFile(new URL("../deno.lock", import.meta.url)));
  assert.ok(lock.size > 20);
  // Deno runs no install script unless asked; a package that needs one to work would break.
  assert.deepEqual(
    [...lock.values()].filter(({ installScript }) => installScript).map(({ name }) => name),
    ["protobufjs"],
  );
});

Deno.test("TestLicenses: terms are read from the package, in old spellings too", async () => {
  const cache = await Deno.makeTempDir();
  const write = async (name: string, manifest: unknown) => {
    await Deno.mkdir(`${cache}/registry/${name}/1.0.0`, { recursive: true });
    await Deno.writeTextFile(
      `${cache}/registry/${name}/1.0.0/package.json`,
      JSON.stringify(manifest),
    );
    return { name, version: "1.0.0", needs: [], installScript: false };
  };
  try {
    const plain = await write("plain", { license: "MIT", repository: "owner/plain" });
    await Deno.writeTextFile(`${cache}/registry/plain/1.0.0/LICENSE.md`, "terms\r\nhere\n");
    assert.deepEqual(packageTerms(cache, plain), {
      license: "MIT",
      text: "terms\nhere",
      homepage: "https://github.com/owner/plain",
    });
    const old = await write("old", {
      licenses: [{ type: "MIT" }, { type: "GPL-3.0-only" }],
      repository: { url: "git+ssh://git@github.com/owner/old.git" },
    });
    assert.deepEqual(packageTerms(cache, old), {
      license: "MIT OR GPL-3.0-only",
      homepage: "https://github.com/owner/old",
    });
    assert.equal(packageTerms(cache, await write("none", {})).license, "");
    assert.throws(
      () => packageTerms(cache, { ...plain, name: "absent" }),
      /not in the package cache/,
    );
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});

Deno.test("TestThirdPartyNotices: what the executable contains is named with its terms, tests' packages are not", async () => {
  const text = await thirdPartyNotices();
  assert.equal(text, await thirdPartyNotices(), "the same bytes every time");
  const shipped = await shippedPackages();
  const cache = await packageCache();
  for (const entry of shipped) {
    assert.ok(text.includes(`${entry.name} ${entry.version} (`), entry.name);
    const { text: terms = "" } = packageTerms(cache, entry);
    assert.ok(text.includes(terms), `${entry.name}'s own text`);
  }
  const names = shipped.map(({ name }) => name);
  for (
    const inside of [
      "ajv",
      "smol-toml",
      "zod",
      "quickjs-emscripten-core",
      "@modelcontextprotocol/server",
    ]
  ) {
    assert.ok(names.includes(inside), inside);
  }
  for (const outside of ["fast-check", "js-tiktoken", "express"]) {
    assert.ok(!names.includes(outside), outside);
  }
  assert.ok(text.includes("Deno runtime (MIT)"));
  assert.ok(!/npm(?:js)?\.(?:org|com)\/[^\s]*\.tgz/.test(text), "no download address");
});

Deno.test("TestThirdPartyNotices: lazy imports and files behind files count, types do not", () => {
  const edge = (from: string, to: string, more = {}) => ({
    from,
    to,
    typeOnly: false,
    lazy: false,
    ...more,
  });
  const reached = reachedPackages(
    [
      edge("main.ts", "a.ts"),
      edge("a.ts", "ajv/dist/2020.js", { lazy: true }),
      edge("a.ts", "zod", { typeOnly: true }),
      edge("elsewhere.ts", "smol-toml"),
    ],
    { entries: ["main.ts"], packages: ["ajv", "zod", "smol-toml", "ajv-formats"] },
  );
  assert.deepEqual([...reached], ["ajv"]);
});
