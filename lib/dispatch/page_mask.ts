/** Partial-response masks at their top level (spec 02 §8.3). Pure. */

/** The mask itself when `field` survives it, else the mask with `field` added. */
export function maskKeeping(mask: string, field: string): string {
  const kept = topLevelNames(mask);
  return kept.includes("*") || kept.includes(field) || kept.length === 0
    ? mask
    : `${mask},${field}`;
}

/** First path segment of each selector: `items(id,name),nextPageToken` gives both names. */
function topLevelNames(mask: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= mask.length; index++) {
    const sign = mask[index];
    if (sign === "(") depth++;
    else if (sign === ")") depth--;
    if (sign !== undefined && (sign !== "," || depth > 0)) continue;
    const name = mask.slice(start, index).trim().split(/[/.(]/, 1)[0] ?? "";
    if (name !== "") names.push(name);
    start = index + 1;
  }
  return names;
}
