/** What holds for every file of the repository. */

import assert from "node:assert/strict";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** Files below some folders that git tracks or would add, without those just deleted. */
async function tracked(...folders: string[]): Promise<string[]> {
  const { code, stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...folders],
    cwd: ROOT,
  }).output();
  assert.equal(code, 0, "git lists the tracked files");
  const listed = new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
  return [...new Set(listed)].filter(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.lstatSync(`${ROOT}/${path}`).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Forms of real credentials; what the emulator hands out looks like none of them. */
const SECRETS = [
  /AIza[0-9A-Za-z_-]{35}/,
  /ya29\.[0-9A-Za-z_-]{30,}/,
  /1\/\/0[0-9A-Za-z_-]{30,}/,
  /GOCSPX-[0-9A-Za-z_-]{20,}/,
  /gh[pousr]_[0-9A-Za-z]{36}/,
  /xox[abprs]-[0-9A-Za-z-]{20,}/,
  /github_pat_[0-9A-Za-z_]{50,}/,
  /npm_[0-9A-Za-z]{36}/,
  /AKIA[0-9A-Z]{16}/,
];
const PRIVATE_KEY = /-----BEGIN (?:RSA |EC |)PRIVATE KEY-----/;
/** Forms of which a text holds one; what counts upwards is made up, to be refused or redacted. */
function secretsIn(text: string): string[] {
  return SECRETS.filter((form) => {
    const all = text.match(new RegExp(form.source, "g")) ?? [];
    return all.some((match) => !match.includes("0123456789"));
  }).map((form) => form.source);
}

/** With its first line, as a key really is; code names the header alone. */
const WHOLE_KEY = new RegExp(`${PRIVATE_KEY.source}(?:\\s|\\\\n)+[A-Za-z0-9+/]{40}`);
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
    for (const form of secretsIn(text)) found.push(`${file}: ${form}`);
    if (PRIVATE_KEY.test(text)) found.push(`${file}: a private key`);
    if (!file.startsWith("testdata") && !file.startsWith("catalog/testdata")) continue;
    for (const [address, domain = ""] of text.matchAll(ADDRESS)) {
      if (!RESERVED.test(domain.toLowerCase())) found.push(`${file}: ${address}`);
    }
  }
  assert.ok(scanned > 50, "fixtures were scanned");
  assert.deepEqual(found, []);
});

Deno.test("TestFixturesNoSecrets: no other file of the tree holds a credential either", async () => {
  const found: string[] = [];
  for (const file of await tracked(".")) {
    // Tests plant what must not be leaked; Google's documents show forms of keys.
    if (/_test\.ts$|^catalog\/(?:discovery|longtail)\/|\.(?:gz|bin|png|wasm)$/.test(file)) continue;
    const text = await Deno.readTextFile(`${ROOT}/${file}`);
    for (const form of secretsIn(text)) found.push(`${file}: ${form}`);
    if (WHOLE_KEY.test(text)) found.push(`${file}: a private key`);
  }
  assert.deepEqual(found, []);
});

Deno.test("TestFixturesNoSecrets: a planted key would be found", () => {
  const planted = ["AI", "za", "A".repeat(35)].join("");
  assert.equal(secretsIn(`key=${planted}`).length, 1);
  assert.deepEqual(secretsIn(`key=${["AI", "za", "0123456789".repeat(4)].join("")}`), []);
  const header = ["-----BEGIN", "PRIVATE KEY-----"].join(" ");
  assert.ok(WHOLE_KEY.test(`${header}\n${"A".repeat(64)}`));
  assert.ok(WHOLE_KEY.test(`"${header}\\n${"A".repeat(64)}"`));
  assert.ok(!WHOLE_KEY.test(`"${header}"`));
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
