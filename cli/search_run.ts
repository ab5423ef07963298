/** What `gum search` prints (spec 08 §4.1). */

import type { SearchHit, SearchWithin } from "../lib/catalog/types.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { notAChoice } from "./choices.ts";
import { invalidArg } from "./errors.ts";
import type { FlagValues } from "./parse.ts";
import type { CommandContext } from "./types.ts";

const MAX_HITS = 50;
const DEFAULT_HITS = 10;
const ON_EMPTY = "No matching operations found. Try a broader query.";

/** Runs `gum search`. */
export async function runSearch({ words, flags, host }: CommandContext): Promise<void> {
  const format = flags.text("format") ?? (host.isTerminal("stdout") ? "table" : "json");
  if (format !== "json" && format !== "table") {
    throw invalidArg("--format", notAChoice(format, ["json", "table"]));
  }
  const asked = flags.integer("top-k") ?? DEFAULT_HITS;
  const topK = asked <= 0 ? DEFAULT_HITS : Math.min(asked, MAX_HITS);
  const search = await host.factories.search();
  const hits = search.search(words.join(" "), topK, within(flags));
  const hidden = hiddenMatch(search.hiddenBest?.(words.join(" ")), flags);
  if (format === "json") {
    return host.stdout.write(JSON.stringify(root(hits, hidden), null, 2) + "\n");
  }
  const { writeSearchTable } = await import("./search_table.ts");
  writeSearchTable(host, { hits, size: search.size, onEmpty: ON_EMPTY });
  // Also in a pipe: whoever reads the table there cannot know either that something is missing.
  if (hidden === undefined) return;
  const { HIDDEN_HINT } = await import("../lib/catalog/mod.ts");
  host.stderr.write(`${hidden} would match best. ${HIDDEN_HINT}\n`);
}

/** The asked service and tier: what is left out here takes no place among the hits. */
function within(flags: FlagValues): SearchWithin {
  const service = flags.text("service");
  const tier = flags.text("tier");
  if (tier !== undefined && tier !== "curated" && tier !== "long_tail") {
    throw invalidArg("--tier", notAChoice(tier, ["curated", "long_tail"]));
  }
  return {
    ...(service === undefined ? {} : { service }),
    ...(tier === undefined ? {} : { tier }),
  };
}

/** What the profile hides, when it would have come first among what was asked for. */
function hiddenMatch(best: string | undefined, flags: FlagValues): string | undefined {
  const service = flags.text("service");
  const asked = flags.text("tier") !== "curated" &&
    (service === undefined || best?.startsWith(`${service}.`));
  return asked ? best : undefined;
}

function root(hits: readonly SearchHit[], hidden: string | undefined): JsonObject {
  const expression: JsonObject = {
    profile: "gum.search_apis",
    op_id: "gum.search_apis",
    variant_id: "gum.search_apis.v1",
    lossy: false,
    result_count: hits.length,
    omitted_count: 0,
  };
  if (hits.length === 0) expression.on_empty_message = ON_EMPTY;
  if (hidden !== undefined) expression.hidden_match = hidden;
  const results = hits.map(({ op_id, score, summary, risk_class, auth_strategy, tier }) => ({
    op_id,
    score,
    summary,
    risk_class,
    auth_strategy,
    ...(tier === undefined ? {} : { tier }),
  }));
  return { results, _expression: expression };
}
