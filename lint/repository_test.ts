/** What holds for every file of the repository. */

import assert from "node:assert/strict";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** Files that git tracks below some folders. */
async function tracked(...folders: string[]): Promise<string[]> {
  const { code, stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--", ...folders],
    cwd: ROOT,
  }).output();
  assert.equal(code, 0, "git lists the tracked files");
  return new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
}

/** Forms of real credentials; what the emulator hands out looks like none of them. */
const SECRETS = [
  /AIza[0-9A-Za-z_-]{35}/,
  /ya29\.[0-9A-Za-z_-]{30,}/,
  /1\/\/0[0-9A-Za-z_-]{30,}/,
  /GOCSPX-[0-9A-Za-z_-]{20,}/,
  /gh[pousr]_[0-9A-Za-z]{36}/,
  /xox[abprs]-[0-9A-Za-z-]{20,}/,
];
const PRIVATE_KEY = /-----BEGIN (?:RSA |EC |)PRIVATE KEY-----/;
const ADDRESS = /[A-Za-z0-9._%+-]+@((?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})/g;
const RESERVED = /(^|\.)(example\.(com|org|net)|example|test|invalid|localhost)$/;

Deno.test("TestFixturesNoSecrets: fixtures hold no credentials and only reserved addresses", async () => {
  const files = await tracked("testdata", "catalog/testdata", "lib/emulator", "examples");
  const found: string[] = [];
  let scanned = 0;
  for (const file of files) {
    if (/\.(gz|bin|png|pdf|zip)$/.test(file)) continue;
    const text = await Deno.readTextFile(`${ROOT}/${file}`);
    scanned++;
    for (const form of SECRETS) if (form.test(text)) found.push(`${file}: ${form.source}`);
    if (PRIVATE_KEY.test(text)) found.push(`${file}: a private key`);
    if (!file.startsWith("testdata") && !file.startsWith("catalog/testdata")) continue;
    for (const [address, domain = ""] of text.matchAll(ADDRESS)) {
      if (!RESERVED.test(domain.toLowerCase())) found.push(`${file}: ${address}`);
    }
  }
  assert.ok(scanned > 50, "fixtures were scanned");
  assert.deepEqual(found, []);
});

Deno.test("TestFixturesNoSecrets: a planted key would be found", () => {
  const planted = ["AI", "za", "A".repeat(35)].join("");
  assert.ok(SECRETS.some((form) => form.test(`key=${planted}`)));
});

Deno.test("TestSanitizersAreOn: leaked promises, timers and handles fail a test", async () => {
  const { test } = JSON.parse(await Deno.readTextFile(`${ROOT}/deno.json`));
  assert.equal(test.sanitizeOps, true);
  assert.equal(test.sanitizeResources, true);
  const loosened: string[] = [];
  for (const file of (await tracked("*_test.ts"))) {
    const source = await Deno.readTextFile(`${ROOT}/${file}`);
    // Each exception stands in this list with its reason.
    if (/sanitize(Ops|Resources|Exit):\s*false/.test(source)) loosened.push(file);
  }
  assert.deepEqual(loosened, []);
});
