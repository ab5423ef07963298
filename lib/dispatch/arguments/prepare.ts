/** The whole way of arguments into a call, as the kernel and the command line walk it. Pure. */

import type { Op } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  assembleBody,
  type AssembledArguments,
  type DefaultOptions,
  injectDefaults,
} from "./assemble.ts";
import { checkArguments, type CheckOptions } from "./check.ts";
import { DEEPEST_NESTING, tooDeeplyNested } from "./nesting.ts";
import { noProblems } from "./problems.ts";

/** Assembles the body, fills defaults, checks. Problems are collected, never thrown. */
export function prepareArguments(
  op: Op,
  given: JsonObject,
  options: CheckOptions & DefaultOptions,
): AssembledArguments {
  const deep = tooDeeplyNested(given);
  if (deep !== undefined) return refused(deep);
  const assembled = assembleBody(op, given);
  injectDefaults(op, assembled, options);
  checkArguments(op, assembled, options);
  return assembled;
}

/** Looking at such a value any closer could exhaust the stack. */
function refused(field: string): AssembledArguments {
  const message = `"${field}" nests deeper than ${DEEPEST_NESTING} levels`;
  return {
    args: {},
    explicitBody: false,
    warnings: [],
    problems: { ...noProblems(), refusal: { field, reason: "nested_too_deeply", message } },
  };
}
