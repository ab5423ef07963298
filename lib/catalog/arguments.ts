/** The argument list of an operation, whatever way the catalog states it. */

import type { FieldLocation, Op, RequestField } from "./types.ts";

/** One argument as callers see it. */
export interface OpArgument extends Omit<RequestField, "location" | "type"> {
  /** Absent for the legacy name-and-type pairs. */
  location?: FieldLocation;
  type: string;
}

/** Old spellings that are read but never written. */
const CURRENT_TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["bool", "boolean"],
  ["", "string"],
]);

/** Every argument in catalog order: request fields, then legacy pairs that they do not cover. */
export function operationArguments(op: Op): OpArgument[] {
  const fields: OpArgument[] = [...op.request_fields ?? []];
  const known = new Set(fields.map(({ name }) => name));
  const addPairs = (pairs: readonly [string, string][] | undefined, required: boolean) => {
    for (const [name, type] of pairs ?? []) {
      if (known.has(name)) continue;
      known.add(name);
      fields.push({ name, type: CURRENT_TYPE_NAMES.get(type) ?? type, required });
    }
  };
  addPairs(op.params_required, true);
  addPairs(op.params_optional, false);
  return fields;
}

/** True when a call through the CLI or a meta-tool fails without this argument. */
export function mustBeGiven(argument: OpArgument): boolean {
  return argument.required === true && argument.host_default === undefined;
}

const NAME_ORDER: readonly FieldLocation[] = ["path", "query", "arg", "header"];

/**
 * Names a caller must give: path first, then query, arg, header, and the one word `body` when any
 * body field is required.
 */
export function requiredNames(op: Op): string[] {
  const needed = operationArguments(op).filter(mustBeGiven);
  const names = NAME_ORDER.flatMap((location) =>
    needed.filter((argument) => (argument.location ?? "arg") === location).map(({ name }) => name)
  );
  return needed.some(({ location }) => location === "body") ? [...names, "body"] : names;
}
