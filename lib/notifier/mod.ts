/**
 * The update notice of `gum version`: opt-in, on stderr, never waiting for the network
 * (spec 07 §3.21). What was found is kept in `<cache>/gum/<profile>/notify.json`; a refresh runs in
 * a process of its own, so a notice shows on a later run.
 *
 * @module
 */

import { type Clock, rfc3339 } from "../clock/mod.ts";
import { ensurePrivateDir, writeFileAtomic } from "../files/mod.ts";
import { isJsonObject, type JsonValue } from "../json/mod.ts";
import { isNewer, isReleaseVersion } from "./version_order.ts";

export { isNewer } from "./version_order.ts";
export { type OwnReleases, ownReleases, releaseSource } from "./own_releases.ts";

/** Name of the file in a profile's cache directory. */
const NOTICE_FILE = "notify.json";

const FRESH_MS = 86_400_000;
const FETCH_TIMEOUT_MS = 2_000;
/** A release document is a few KB; anything far beyond is something else. */
const LARGEST_ANSWER = 1024 * 1024;

/** Where releases are, fixed when a build is made. */
export interface ReleaseSource {
  /** Answers the latest release as JSON with a `tag_name`. */
  latest: string;
  /** Page for people. */
  page: string;
}

/** The last answer about the latest release. */
export interface KnownRelease {
  /** Milliseconds since the epoch. */
  checkedAt: number;
  latestVersion: string;
}

/** Reads the kept answer; a missing or damaged file is none. */
export async function readKnownRelease(directory: string): Promise<KnownRelease | undefined> {
  let value: JsonValue;
  try {
    value = JSON.parse(await Deno.readTextFile(`${directory}/${NOTICE_FILE}`));
  } catch {
    return undefined; // absent or damaged: as if nothing was ever asked
  }
  if (!isJsonObject(value)) return undefined;
  const { checked_at: checked, latest_version: latestVersion } = value;
  const checkedAt = typeof checked === "string" ? Date.parse(checked) : NaN;
  return Number.isNaN(checkedAt) || typeof latestVersion !== "string"
    ? undefined
    : { checkedAt, latestVersion };
}

/** What `gum version` has to do beside printing the version. */
export interface NoticePlan {
  /** One line for stderr, newline included. */
  line?: string;
  /** The answer is missing or a day old: start a refresh. */
  refresh: boolean;
}

/** Decides from the kept answer alone. A build without a release version never looks. */
export function planNotice(
  known: KnownRelease | undefined,
  facts: { version: string; now: number; page: string },
): NoticePlan {
  if (!isReleaseVersion(facts.version)) return { refresh: false };
  const refresh = known === undefined || facts.now - known.checkedAt >= FRESH_MS ||
    known.checkedAt > facts.now;
  if (known === undefined || !isNewer(known.latestVersion, facts.version)) return { refresh };
  const line = `[notify] gum ${known.latestVersion} is out, this is ${facts.version}: ` +
    `${facts.page}\n`;
  return { line, refresh };
}

/** Asks for the latest release and keeps the answer. Every failure leaves the old one in place. */
export async function refreshKnownRelease(
  directory: string,
  options: { source: ReleaseSource; clock: Clock; timeoutMs?: number },
): Promise<boolean> {
  try {
    const response = await fetch(options.source.latest, {
      headers: { accept: "application/json", "user-agent": "gum" },
      redirect: "error",
      signal: AbortSignal.timeout(options.timeoutMs ?? FETCH_TIMEOUT_MS),
    });
    const text = await limitedText(response);
    if (response.status !== 200 || text === undefined) return false;
    const value: JsonValue = JSON.parse(text);
    const tag = isJsonObject(value) ? value.tag_name : undefined;
    if (typeof tag !== "string" || tag.trim() === "") return false;
    await ensurePrivateDir(directory);
    const kept = { checked_at: rfc3339(options.clock.now()), latest_version: tag.trim() };
    await writeFileAtomic(
      `${directory}/${NOTICE_FILE}`,
      new TextEncoder().encode(JSON.stringify(kept)),
    );
    return true;
  } catch {
    return false; // a notice is a courtesy: no network, no page, no disk are all no news
  }
}

async function limitedText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  // A body that is not read to its end keeps its connection; leaving the loop cancels it.
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LARGEST_ANSWER) return undefined;
  }
  return text + decoder.decode();
}
