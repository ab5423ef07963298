/** What the claim would be with other calls: other seeds, one service less, another naive Drive. */

import {
  asSent,
  createFixtureKernel,
  type FixtureSet,
  measureCalls,
  type MeasuredFixture,
  type MeasuredRow,
} from "../lib/gain/replay/mod.ts";
import { parseJson } from "../lib/json/mod.ts";
import { parseFieldMask, projectByMask } from "../lib/profile/mod.ts";
import type { TokenCounter } from "../lib/tokens/mod.ts";
import { claimOf, replayParts, type ToolLists } from "./gain_replay.ts";
import { recordFixtures } from "./record_release_fixtures.ts";
import { readReleasePlan } from "./record_release_fixtures_plan.ts";

/** Both comparisons for other calls than those of the set. */
export interface Variation {
  name: string;
  like_for_like_as_sent: number;
  full_wire_as_sent: number;
  like_for_like: number;
  full_wire: number;
}

/** Seeds beside the plan's own; nobody chose between them. */
const OTHER_SEEDS = ["2", "3", "4", "5"];

/** What a comparison is made with. */
export interface Sides {
  lists: ToolLists;
  count: TokenCounter;
}

function variation(
  name: string,
  rows: readonly MeasuredRow[],
  { lists, count }: Sides,
): Variation {
  const claim = claimOf(lists, { measured: [{ rows }], count });
  return {
    name,
    like_for_like_as_sent: claim.like_for_like_as_sent,
    full_wire_as_sent: claim.full_wire_as_sent,
    like_for_like: claim.like_for_like,
    full_wire: claim.full_wire,
  };
}

/** The claim without the calls of one service, those that move it most first. */
export function withoutServices(rows: readonly MeasuredRow[], sides: Sides): Variation[] {
  const whole = variation("", rows, sides).like_for_like_as_sent;
  const services = new Set(rows.map(({ opId }) => opId.split(".")[0] ?? ""));
  services.delete("gum_parallel");
  return [...services].map((service) =>
    variation(service, rows.filter(({ opId }) => opId.split(".")[0] !== service), sides)
  ).sort((left, right) =>
    Math.abs(right.like_for_like_as_sent - whole) - Math.abs(left.like_for_like_as_sent - whole)
  );
}

/** What Drive answers when nobody names fields. */
const DRIVE_DEFAULTS: Readonly<Record<string, string>> = {
  "drive.files.list": "kind,nextPageToken,incompleteSearch,files(kind,id,name,mimeType)",
  "drive.files.get": "kind,id,name,mimeType",
  "drive.permissions.list": "kind,nextPageToken,permissions(kind,id,type,role)",
};

/** The claim with Drive's own default fields on the naive side. */
export function driveDefaults(
  set: FixtureSet,
  sides: Sides & { measured: readonly MeasuredFixture[] },
): Variation {
  const { measured, count } = sides;
  const rows = measured.flatMap(({ rows }, index) =>
    rows.map((row, element): MeasuredRow => {
      const call = set.fixtures[index]?.calls[element];
      const brief = DRIVE_DEFAULTS[row.opId];
      if (brief === undefined || call?.request.naive_args === undefined) return row;
      if (call.request.http_status !== undefined) return row;
      const mask = parseFieldMask(brief);
      if (!mask.ok) throw new Error(brief);
      const body = projectByMask(mask.mask, parseJson(call.body));
      return { ...row, raw: count(JSON.stringify(body)), rawAsSent: count(asSent(body)) };
    })
  );
  return variation("Drive's default fields on the naive side", rows, sides);
}

/** The claim for the sets that other seeds draw by the same rules. */
export async function otherSeeds({ lists, count }: Sides): Promise<Variation[]> {
  const kernel = await createFixtureKernel(replayParts());
  const found: Variation[] = [];
  for (const seed of OTHER_SEEDS) {
    const recorded = await recordFixtures({ ...readReleasePlan(), seed });
    const measured = await measureCalls(recorded, { kernel, format: "toon", count });
    found.push(variation(seed, measured.flatMap(({ rows }) => rows), { lists, count }));
  }
  return found;
}
