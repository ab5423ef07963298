/** Packs over one another: a service of an upper one hides the same service below. */

import type { RankedHit } from "../search/rank.ts";
import type { LongTailPack } from "./pack.ts";
import type { LongTailSearch } from "./search.ts";

/** The pack of several; the first that has a service answers for it. */
export function layeredPack(layers: readonly LongTailPack[]): LongTailPack {
  const owner = (id: string): LongTailPack | undefined => {
    const service = id.slice(0, Math.max(0, id.indexOf(".")));
    return layers.find((layer, at) =>
      at === layers.length - 1 || layer.services().includes(service)
    );
  };
  return {
    findOp: (opId) => owner(opId)?.findOp(opId),
    findVariant: (variantId) => owner(variantId)?.findVariant(variantId),
    requestSchema: (ref) => owner(ref)?.requestSchema(ref),
    isHidden: (opId) => owner(opId)?.isHidden(opId) ?? false,
    services: () => [...new Set(layers.flatMap((layer) => layer.services()))],
    operationIds: (service) => owner(`${service}.`)?.operationIds(service) ?? [],
    everyOp: (service) => owner(`${service}.`)?.everyOp(service) ?? [],
  };
}

/** One search over an update and the pack below it. */
export function layeredSearch(
  upper: { search: LongTailSearch; services: ReadonlySet<string> },
  lower: LongTailSearch,
): LongTailSearch {
  const serviceOf = (hit: RankedHit): string => hit.hit.op_id.split(".", 1)[0] ?? "";
  const quarters = ({ coverage }: RankedHit): number => Math.round(coverage * 4);
  const layered = (above: RankedHit[], below: RankedHit[]): RankedHit[] =>
    [...above, ...below.filter((hit) => !upper.services.has(serviceOf(hit)))]
      .sort((a, b) => quarters(b) - quarters(a) || b.hit.score - a.hit.score);
  return {
    size: lower.size + upper.search.size,
    ranked: (query, topK, within) =>
      layered(upper.search.ranked(query, topK, within), lower.ranked(query, topK, within)),
    named: (opId) =>
      upper.services.has(opId.split(".", 1)[0] ?? "")
        ? upper.search.named(opId)
        : lower.named(opId),
    knows: (term) => upper.search.knows(term) || lower.knows(term),
    hiddenBest(query) {
      const [above, below] = [upper.search.hiddenBest(query), lower.hiddenBest(query)];
      return layered(above === undefined ? [] : [above], below === undefined ? [] : [below])[0];
    },
  };
}
