/**
 * GUM as a library: open a session for an account profile, dispatch operations through its kernel,
 * search and describe the catalog.
 *
 * ```ts
 * import { openSession } from "@gum/gum";
 *
 * const session = await openSession({ profileName: "default", emulator: true });
 * const answer = await session.kernel.dispatch({
 *   opId: "calendar.calendarList.list",
 *   args: {},
 *   caller: "cli",
 * });
 * const text = new TextDecoder().decode(answer.body);
 * await session.close();
 * ```
 *
 * @module
 */

export { openSession, type Session, type SessionOptions } from "./lib/session/mod.ts";
export type {
  Invocation,
  Kernel,
  OutputFormat,
  RiskClass,
  ShapedResponse,
} from "./lib/dispatch/types.ts";
export { GumError, isGumError } from "./lib/errors/mod.ts";
export { VERSION } from "./lib/version/mod.ts";
