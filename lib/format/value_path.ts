/** The `value(<path>)` rendering of the command line (spec 03 §3.13). */

import { isJsonObject, type JsonValue } from "../json/mod.ts";
import { cellText } from "./cell_text.ts";

/** One step of a path: a key, then any element or a certain one. */
interface PathStep {
  key: string;
  index?: number | "every";
}

/** One line a match, nothing for a miss; undefined when the path does not parse. */
export function renderValuePath(value: JsonValue, path: string): string | undefined {
  const steps = parsePath(path);
  if (steps === undefined) return undefined;
  let matches: JsonValue[] = [value];
  for (const step of steps) matches = matches.flatMap((match) => follow(match, step));
  return matches.map((match) => `${cellText(match)}\n`).join("");
}

function parsePath(path: string): PathStep[] | undefined {
  const steps: PathStep[] = [];
  for (const segment of path.split(".")) {
    const match = /^([^[\]]+)(?:\[([0-9]*)\])?$/.exec(segment);
    if (match === null) return undefined;
    const [, key = "", index] = match;
    steps.push(
      index === undefined ? { key } : { key, index: index === "" ? "every" : Number(index) },
    );
  }
  return steps;
}

function follow(value: JsonValue, step: PathStep): JsonValue[] {
  if (!isJsonObject(value) || !Object.hasOwn(value, step.key)) return [];
  const member = value[step.key] as JsonValue;
  if (step.index === undefined) return [member];
  if (!Array.isArray(member)) return [];
  if (step.index === "every") return member;
  const element = member[step.index];
  return element === undefined ? [] : [element];
}
