/** The functions of the script language that reach the host (spec 09 §5). */

import { type HostBridge, replyOf, type RunSettings } from "./host.ts";
import { printable } from "./json.ts";
import { print } from "./printing.ts";
import { jsonOf, valueOfReply } from "./script_json.ts";
import { builtin, ErrorValue, type Value } from "./values.ts";

/** Fewest and most arguments of each. */
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  gum_call: [1, 3],
  gum_confirm_destructive: [1, 2],
  gum_describe: [1, 1],
  gum_pages: [1, 3],
  gum_parallel: [1, 1],
  gum_search: [1, 2],
};

/** What the host said about a failure. */
function hostError(envelope: string): ErrorValue {
  const { error_code: code, message } = JSON.parse(envelope);
  return new ErrorValue("gum error", `${code}: ${message}`, { code: String(code), envelope });
}

/** Host functions and constants of one run. */
export function hostFunctions(bridge: HostBridge, settings: RunSettings): Record<string, Value> {
  const call = (name: string, args: readonly Value[]): Value => {
    const reply = replyOf(bridge.call(name, jsonOf([...args])));
    if (!reply.ok) throw hostError(reply.envelope);
    return valueOfReply(reply.json);
  };
  const functions: Record<string, Value> = {
    gum_allow_destructive: settings.allowDestructive,
    gum_allow_write: settings.allowWrite,
    gum_print: builtin("gum_print", [1, 1], (value = null) => {
      const text = typeof value === "string" ? value : jsonOf(value);
      print(bridge, jsonOf([printable(text)]));
      return null;
    }),
  };
  for (const [name, counts] of Object.entries(COUNTS)) {
    functions[name] = builtin(name, counts, (...args) => call(name, args));
  }
  return functions;
}
