/**
 * What a caller named in a partial-response mask. A profile's stage 2 is a choice made for callers
 * who did not say what they want, so it gives way to what was named; arrays and wildcards name
 * nothing in particular. Pure.
 */

import type { JsonObject } from "../json/mod.ts";
import type { ResolvedProfile } from "../profile/types.ts";

/** Dot paths of a mask's selectors, in any of Google's spellings; a path through `*` names nothing. */
export function namedPaths(mask: string): string[] {
  return selectorsOf(mask)
    .filter((segments) => !segments.includes("*"))
    .map((segments) => segments.join("."));
}

/** `a(b,c/d),e.f` as lists of names. A mask that the service would refuse gives what can be read. */
function selectorsOf(mask: string): string[][] {
  const selectors: string[][] = [];
  const enclosing: string[][] = [];
  let prefix: string[] = [];
  let segments: string[] = [];
  const endSelector = () => {
    if (segments.length > 0) selectors.push([...prefix, ...segments]);
    segments = [];
  };
  for (const [token] of mask.matchAll(/[^,()/.\s]+|[,()]/g)) {
    if (token === ",") endSelector();
    else if (token === "(") {
      enclosing.push(prefix);
      prefix = [...prefix, ...segments];
      segments = [];
    } else if (token === ")") {
      endSelector();
      prefix = enclosing.pop() ?? [];
    } else segments.push(token);
  }
  endSelector();
  return selectors;
}

/**
 * The profile without what would remove a named field. A record array that is named as a whole says
 * which list is wanted, not which of its fields, so there the profile's choice stays.
 */
export function yieldingTo(
  profile: ResolvedProfile,
  asked: { mask: string; recordKey: string | undefined },
): ResolvedProfile {
  const { projection, keep_fields: keep, drop_fields: drop } = profile;
  if (!projection?.length && !keep?.length && !drop?.length) return profile;
  const listed = [...projection ?? [], ...keep ?? []];
  const named = namedPaths(asked.mask).filter((path) =>
    path !== asked.recordKey || !listed.some((kept) => isWithin(kept, path))
  );
  if (named.length === 0) return profile;
  const yielding = { ...profile };
  if (projection?.length) {
    yielding.projection = [...projection, ...named.map((path) => path.split(".")[0] as string)];
  }
  if (keep?.length) yielding.keep_fields = [...keep, ...named];
  if (drop?.length) {
    yielding.drop_fields = drop.filter((path) =>
      !named.some((name) => isWithin(name, path) || isWithin(path, name))
    );
  }
  return yielding;
}

function isWithin(path: string, ancestor: string): boolean {
  return path === ancestor || path.startsWith(`${ancestor}.`);
}

/**
 * What to say in place of "no match" when a caller's mask left the record array out: nothing is
 * known about matches then. Undefined where the mask kept it, or where the profile's paths do not
 * tell which array that is.
 */
export function leftOutMessage(profile: ResolvedProfile, mask: string): string | undefined {
  const chosen = new Set(selectorsOf(mask).map(([first]) => first));
  const records = innerPaths(profile);
  const [example] = records;
  if (example === undefined || chosen.size === 0 || chosen.has("*")) return undefined;
  if (records.some((path) => chosen.has(path.split(".")[0]))) return undefined;
  const [list, ...member] = example.split(".");
  return "The fields mask left the records out, so nothing is known about matches; " +
    `name them in fields, for example ${list}(${member.join("/")}).`;
}

/**
 * Whether an object has none of the members that the profile looks into. Google leaves an empty
 * list out, so this is how `{"resultSizeEstimate":0}` says that no message matched.
 */
export function lacksRecords(value: JsonObject, profile: ResolvedProfile): boolean {
  const paths = innerPaths(profile);
  return paths.length > 0 &&
    !paths.some((path) => Object.hasOwn(value, path.split(".")[0] as string));
}

/** The profile's paths that lead into a member, which is where its records are. */
function innerPaths({ keep_fields: keep, field_mask: mask }: ResolvedProfile): string[] {
  const paths = keep?.length ? keep : mask === undefined ? [] : namedPaths(mask);
  return paths.filter((path) => path.includes("."));
}
