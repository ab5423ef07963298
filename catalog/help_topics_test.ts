import assert from "node:assert/strict";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import {
  checkHelpTopics,
  HELP_TOPIC_LIMIT,
  type HelpTopics,
  readHelpTopics,
  validateSizes,
} from "./help_topics.ts";

const FOLDER = new URL("./", import.meta.url);
const ROOT = new URL("../", FOLDER);
/** The topics that ship, in manifest order. */
const SEED_TOPICS: readonly string[] = [
  "auth",
  "profiles",
  "plugins",
  "gain",
  "code-mode",
  "field-masks",
  "toon-format",
  "recovery",
  "gmail",
  "drive",
  "calendar",
  "docs",
  "sheets",
];

const { manifest, bodies } = await readHelpTopics(FOLDER);

Deno.test("TestHelpTopicsSeedSet: thirteen active topics, a body each, no redirect", () => {
  checkHelpTopics(manifest, bodies);
  assert.deepEqual(manifest.topics.map((row) => row.topic), SEED_TOPICS);
  assert.equal(manifest.topics.length, 13);
  for (const row of manifest.topics) {
    assert.equal(row.status, "active");
    assert.equal(row.redirect_topic, "");
  }
});

Deno.test("help topics: manifest and bodies must agree", () => {
  const broken = (change: (topics: HelpTopics) => void, sizes = bodies): string => {
    const copy = structuredClone(manifest);
    change(copy);
    try {
      checkHelpTopics(copy, sizes);
      return "ok";
    } catch (error) {
      assert.ok(error instanceof CatalogError);
      return error.detail;
    }
  };
  assert.match(broken((copy) => copy.topics.pop()), /no row/);
  assert.match(broken(() => {}, new Map([...bodies].slice(1))), /no body/);
  const deprecated = (redirect_topic: string) => (copy: HelpTopics) =>
    copy.topics.push({
      topic: "old-name",
      status: "deprecated",
      one_line_description: "Moved.",
      redirect_topic,
    });
  assert.equal(broken(deprecated("auth")), "ok");
  assert.match(broken(deprecated("nowhere")), /redirects/);
  assert.match(broken(deprecated("old-name")), /redirects/);
});

Deno.test("TestValidateSizesRejectsOversizedTopic: one byte too many fails, naming the topic", () => {
  validateSizes(new Map([["auth", HELP_TOPIC_LIMIT]]));
  assert.throws(
    () => validateSizes(new Map([["auth", HELP_TOPIC_LIMIT + 1]])),
    (error: unknown) => {
      assert.ok(error instanceof CatalogError);
      assert.equal(error.message, 'HELP_TOPIC_TOO_LARGE: topic "auth" is 8193 bytes (max 8192)');
      return true;
    },
  );
});

Deno.test("TestErrTopicTooLargeError: the code stands at the front of the message", () => {
  assert.throws(
    () => validateSizes(new Map([["gain", 9000]])),
    /^CatalogError: HELP_TOPIC_TOO_LARGE: /,
  );
});

Deno.test("TestHelpTopicIdentifiersExist: quoted identifiers occur somewhere else in the repository", async () => {
  const sources = await repositoryText();
  for (const topic of SEED_TOPICS) {
    const body = await Deno.readTextFile(new URL(`help/${topic}.md`, FOLDER));
    const quoted = [...body.matchAll(/`([^`\n]+)`/g)].flatMap((match) =>
      [...(match[1] ?? "").matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map((name) => name[0])
    );
    for (const name of quoted) assert.ok(sources.includes(name), `${topic}: ${name}`);
  }
});

/** Text of the repository's sources and documents without the help topics themselves. */
async function repositoryText(): Promise<string> {
  const parts: string[] = [];
  const walk = async (folder: URL): Promise<void> => {
    for await (const entry of Deno.readDir(folder)) {
      if (entry.name.startsWith(".") || entry.name === "help" || entry.name === "discovery") {
        continue;
      }
      if (entry.isDirectory) await walk(new URL(`${entry.name}/`, folder));
      // Only what the program emits or a contract names counts.
      else if (/\.(ts|json|toml)$/.test(entry.name) && !entry.name.endsWith("_test.ts")) {
        if (entry.name === "catalog.json" || entry.name === "deno.lock") continue;
        parts.push(await Deno.readTextFile(new URL(entry.name, folder)));
      }
    }
  };
  for (const folder of ["lib/", "cli/", "mcp/", "catalog/", "docs/"]) {
    await walk(new URL(folder, ROOT));
  }
  return parts.join("\n");
}
