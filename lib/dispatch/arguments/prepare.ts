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

/** Assembles the body, fills defaults, checks. Problems are collected, never thrown. */
export function prepareArguments(
  op: Op,
  given: JsonObject,
  options: CheckOptions & DefaultOptions,
): AssembledArguments {
  const assembled = assembleBody(op, given);
  injectDefaults(op, assembled, options);
  checkArguments(op, assembled, options);
  return assembled;
}
