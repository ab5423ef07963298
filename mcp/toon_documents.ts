/** The text/plain status documents, written by the one TOON encoder (spec 01 §3.11). */

import { encodeToonDocument } from "../lib/format/mod.ts";
import { rfc3339 } from "../lib/clock/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import type { HelpTopic } from "./help_topics.ts";
import type { Surface } from "./surface.ts";
import { HEALTH_SUBSYSTEMS, type HealthProbe, type HealthSample } from "./types.ts";

/** Longest health detail, in code points. */
const DETAIL_POINTS = 80;

/** Life of a health sample in milliseconds; a keychain probe may start a helper program. */
const SAMPLE_LIFE = (subsystem: string): number => subsystem === "keychain" ? 60_000 : 5_000;

/** `gum://help/topics`. */
export function helpTopicsDocument(topics: readonly HelpTopic[]): string {
  const rows = topics.map((entry): JsonObject => ({
    topic: entry.topic,
    status: entry.status,
    one_line_description: entry.description,
    ...(entry.status === "deprecated" ? { redirect_topic: entry.redirect } : {}),
  }));
  return table("gum.help.topics", {
    columns: ["topic", "status", "one_line_description", "redirect_topic"],
    rows,
  });
}

/** `gum://plugins`: rows waiting for a restart are hidden here. */
export function pluginsDocument(surface: Surface): string {
  const rows = (surface.session.plugins?.rows() ?? [])
    .filter((row) => row.name !== "" && row.status !== "installed_pending_restart")
    .map((row): JsonObject => ({ ...row }));
  return table("gum.plugins", {
    columns: ["name", "version", "shape", "status", "tos", "risk", "variant_count"],
    rows: sortedBy(rows, "name"),
  });
}

/** `gum://status/canaries`: canaries of installed plugins, never the health of Google. */
export function canariesDocument(surface: Surface): string {
  const rows = (surface.session.plugins?.canaries() ?? []).map((row): JsonObject => ({ ...row }));
  return table("gum.status.canaries", {
    columns: [
      "canary_id",
      "op_id",
      "variant_id",
      "status",
      "last_run_at",
      "latency_ms",
      "error_code",
    ],
    rows: sortedBy(rows, "canary_id"),
  });
}

/** Probes subsystems and keeps samples for their life. */
export interface HealthBoard {
  document(): Promise<string>;
}

/** The board behind `gum://status/health`. Probes are local; a probe that throws is unavailable. */
export function createHealthBoard(surface: Surface): HealthBoard {
  const samples = new Map<string, { takenAt: number; sample: HealthSample }>();
  const { clock } = surface.session;
  const sampleOf = async (subsystem: typeof HEALTH_SUBSYSTEMS[number]): Promise<JsonObject> => {
    const now = clock.now();
    let kept = samples.get(subsystem);
    if (kept === undefined || now - kept.takenAt >= SAMPLE_LIFE(subsystem)) {
      kept = { takenAt: now, sample: await probe(surface.session.health?.[subsystem]) };
      samples.set(subsystem, kept);
    }
    return {
      subsystem,
      status: kept.sample.status,
      detail: bounded(kept.sample.detail),
      last_check_at: rfc3339(kept.takenAt),
    };
  };
  return {
    document: async () =>
      table("gum.status.health", {
        columns: ["subsystem", "status", "detail", "last_check_at"],
        rows: await Promise.all(HEALTH_SUBSYSTEMS.map(sampleOf)),
      }),
  };
}

async function probe(registered: HealthProbe | undefined): Promise<HealthSample> {
  if (registered === undefined) return { status: "degraded", detail: "probe not registered" };
  try {
    return await registered();
  } catch (error) {
    return {
      status: "unavailable",
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

function bounded(detail: string): string {
  const line = detail.replace(/\s+/g, " ").trim();
  const points = [...line];
  return points.length <= DETAIL_POINTS ? line : points.slice(0, DETAIL_POINTS - 1).join("") + "…";
}

function table(op: string, content: { columns: string[]; rows: JsonObject[] }): string {
  const document = encodeToonDocument(content.rows, {
    op,
    variant: `${op}.v1`,
    columns: content.columns,
  });
  if (document === undefined) throw new Error(`${op} has no table form`);
  return document;
}

function sortedBy(rows: JsonObject[], key: string): JsonObject[] {
  return rows.sort((left, right) => String(left[key]) < String(right[key]) ? -1 : 1);
}
