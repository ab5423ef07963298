/** Help topics: an embedded manifest and one markdown body each (spec 01 §3.11, 04 §2.13). */

import { readAssetText } from "../lib/assets/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";

/** Largest body of a topic, in bytes. */
const MAX_TOPIC_BYTES = 8192;

/** A row of the manifest. */
export type HelpTopic =
  | { topic: string; status: "active"; description: string; body: string }
  | { topic: string; status: "deprecated"; description: string; redirect: string };

/** Where the manifest and the bodies come from. */
export interface HelpSource {
  manifest: () => string;
  body: (topic: string) => string;
}

/** The files that ship with this build. */
export const embeddedHelp: HelpSource = {
  manifest: () => readAssetText("catalog/data/help-topics.v1.json"),
  body: (topic) => readAssetText(`catalog/help/${topic}.md`),
};

/**
 * Every topic, sorted by name.
 *
 * @throws GumError `HELP_TOPIC_TOO_LARGE` for a body over {@link MAX_TOPIC_BYTES}.
 */
export function loadHelpTopics(source: HelpSource = embeddedHelp): HelpTopic[] {
  const topics = manifestRows(source.manifest()).map((row) => readTopic(row, source));
  for (const entry of topics) {
    if (entry.status === "active") checkTopicSize(entry.topic, entry.body);
  }
  return topics.sort((left, right) => left.topic < right.topic ? -1 : 1);
}

/** Throws `HELP_TOPIC_TOO_LARGE` naming topic, size and limit. */
export function checkTopicSize(topic: string, body: string): void {
  const size = new TextEncoder().encode(body).length;
  if (size <= MAX_TOPIC_BYTES) return;
  throw new GumError("HELP_TOPIC_TOO_LARGE", {
    message: `HELP_TOPIC_TOO_LARGE: topic "${topic}" is ${size} bytes (max ${MAX_TOPIC_BYTES})`,
    details: { topic, size, max: MAX_TOPIC_BYTES },
  });
}

interface ManifestRow {
  topic: string;
  status: string;
  one_line_description: string;
  redirect_topic: string;
}

function manifestRows(text: string): ManifestRow[] {
  const manifest = parseJson(text);
  const rows = isJsonObject(manifest) ? manifest.topics : undefined;
  if (!Array.isArray(rows)) throw new Error("the help manifest has no topics");
  return rows.map((row) => {
    const fields = isJsonObject(row) ? row : {};
    return {
      topic: textOf(fields.topic),
      status: textOf(fields.status),
      one_line_description: textOf(fields.one_line_description),
      redirect_topic: textOf(fields.redirect_topic),
    };
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function readTopic(row: ManifestRow, source: HelpSource): HelpTopic {
  const { topic, one_line_description: description } = row;
  return row.status === "deprecated"
    ? { topic, status: "deprecated", description, redirect: row.redirect_topic }
    : { topic, status: "active", description, body: source.body(topic) };
}
