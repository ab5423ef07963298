/** Help topics that ship with the program (spec 04 §2.13). */

import { readAssetText } from "../lib/assets/mod.ts";

/** One active topic. */
export interface HelpTopic {
  topic: string;
  summary: string;
}

interface Manifest {
  topics: { topic: string; status: string; one_line_description: string }[];
}

/** Active topics; none in a build without them. */
export function helpTopics(): HelpTopic[] {
  let text: string;
  try {
    text = readAssetText("catalog/data/help-topics.v1.json");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return (JSON.parse(text) as Manifest).topics
    .filter((row) => row.status === "active")
    .map((row) => ({ topic: row.topic, summary: row.one_line_description }));
}

/** A topic's markdown; undefined for anything that is not an active topic. */
export function topicText(topic: string): string | undefined {
  if (!helpTopics().some((row) => row.topic === topic)) return undefined;
  return readAssetText(`catalog/help/${topic}.md`);
}
