/** Help topics: the manifest, the bodies and their size (spec 04 §2.13). */
import { CatalogError } from "../lib/catalog/validate/mod.ts";

/** Largest body of a topic, in bytes. */
export const HELP_TOPIC_LIMIT = 8192;

/** One row of `help-topics.v1.json`. */
export interface HelpTopic {
  topic: string;
  status: "active" | "deprecated";
  one_line_description: string;
  /** Empty for an active topic. */
  redirect_topic: string;
}

/** `help-topics.v1.json`. */
export interface HelpTopics {
  schema_version: 1;
  topics: HelpTopic[];
}

/**
 * Every body fits.
 *
 * @throws CatalogError `HELP_TOPIC_TOO_LARGE`.
 */
export function validateSizes(bodies: ReadonlyMap<string, number>): void {
  for (const [topic, size] of bodies) {
    if (size <= HELP_TOPIC_LIMIT) continue;
    throw new CatalogError(
      "HELP_TOPIC_TOO_LARGE",
      `topic "${topic}" is ${size} bytes (max ${HELP_TOPIC_LIMIT})`,
    );
  }
}

/**
 * Manifest and bodies agree: every active row has a body and every body a row; redirects of
 * deprecated rows lead to an active topic.
 *
 * @throws CatalogError `HELP_TOPIC_INVALID` or `HELP_TOPIC_TOO_LARGE`.
 */
export function checkHelpTopics(
  manifest: HelpTopics,
  bodies: ReadonlyMap<string, number>,
): void {
  const fail = (detail: string): never => {
    throw new CatalogError("HELP_TOPIC_INVALID", detail);
  };
  if (manifest.schema_version !== 1) fail("schema_version");
  const active = new Set<string>();
  for (const row of manifest.topics) {
    if (!/^[a-z0-9-]+$/.test(row.topic) || row.topic === "topics") fail(`topic "${row.topic}"`);
    if (row.one_line_description.trim() === "" || row.one_line_description.includes("\n")) {
      fail(`topic "${row.topic}": description`);
    }
    if (row.status === "active") {
      if (active.has(row.topic)) fail(`topic "${row.topic}" twice`);
      active.add(row.topic);
      if (row.redirect_topic !== "") fail(`topic "${row.topic}": active and redirected`);
      if (!bodies.has(row.topic)) fail(`topic "${row.topic}" has no body`);
    }
  }
  for (const row of manifest.topics) {
    if (row.status === "deprecated" && !active.has(row.redirect_topic)) {
      fail(`topic "${row.topic}" redirects to "${row.redirect_topic}"`);
    }
  }
  for (const topic of bodies.keys()) if (!active.has(topic)) fail(`body "${topic}" has no row`);
  validateSizes(bodies);
}

/** Reads manifest and body sizes below the input folder. */
export async function readHelpTopics(
  inputs: URL,
): Promise<{ manifest: HelpTopics; bodies: Map<string, number> }> {
  const manifest: HelpTopics = JSON.parse(
    await Deno.readTextFile(new URL("data/help-topics.v1.json", inputs)),
  );
  const bodies = new Map<string, number>();
  for await (const entry of Deno.readDir(new URL("help/", inputs))) {
    if (!entry.isFile || !entry.name.endsWith(".md")) continue;
    const info = await Deno.stat(new URL(`help/${entry.name}`, inputs));
    bodies.set(entry.name.slice(0, -".md".length), info.size);
  }
  return { manifest, bodies };
}
