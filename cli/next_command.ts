/** The command line that most likely helps after a failure. */

import type { JsonObject, JsonValue } from "../lib/json/mod.ts";
import { shellWord } from "./describe_page.ts";
import type { DispatchExtras } from "./errors.ts";

/** The command, ready to be typed; undefined when no single one is the answer. */
export function nextCommand(envelope: JsonObject, extras?: DispatchExtras): string | undefined {
  const op = text(envelope.op_id);
  const describe = op === undefined ? undefined : `gum describe ${shellWord(op)}`;
  switch (text(envelope.error_code)) {
    case "RISK_TOOL_MISMATCH": {
      const risk = text(envelope.variant_risk_class);
      // Another command is no way out of a script; the advice names the flags.
      if (extras?.command === "code") return describe;
      if (risk === undefined || op === undefined) return describe;
      if (extras?.command === "call") return `gum call ${shellWord(op)} --risk=${risk}`;
      if (risk !== "write") return `gum ${risk} ${shellWord(op)} --args '{…}'`;
      return extras?.command === "write"
        ? `gum write ${shellWord(op)} --allow-write --args '{…}'`
        : `gum call ${shellWord(op)} --risk=write`;
    }
    case "AUTH_REQUIRED":
    case "SCOPE_MISSING":
      return text(envelope.setup_command) ?? text(envelope.next_command) ?? "gum auth login";
    case "OP_NOT_FOUND": {
      const [nearest] = Array.isArray(envelope.suggestions) ? envelope.suggestions : [];
      if (typeof nearest === "string") return `gum describe ${shellWord(nearest)}`;
      return `gum search ${shellWord((op ?? "mail").replaceAll(/[^A-Za-z0-9]+/g, " ").trim())}`;
    }
    case "INVALID_ARGS":
    case "AMBIGUOUS_VARIANT":
    case "VARIANT_NOT_FOUND":
      return describe;
    case "VARIANT_QUARANTINED":
      return "gum plugin list";
    case "UNSUPPORTED_CAPABILITY":
      return envelope.status === "needs_configuration" ? pluginSetup(envelope) : undefined;
    case "SERVICE_DOWN":
      if (envelope.reason === "canary_failed") return pluginSetup(envelope);
      if (envelope.reason === "plugin_not_installed") return "gum plugin list";
      return envelope.reason === "emulator_unreachable" ? "gum emulator serve" : "gum doctor";
    case "AUTH_KEYCHAIN_UNAVAILABLE":
    case "CONFIG_PARSE_ERROR":
      return "gum doctor";
    case "POLICY_DENIED":
      return "gum config list";
    case "GAIN_DISABLED":
      return "gum config set gain.enabled=true";
    default:
      return undefined;
  }
}

function pluginSetup(envelope: JsonObject): string | undefined {
  const plugin = text(envelope.plugin_name);
  return plugin === undefined ? undefined : `gum plugin setup ${shellWord(plugin)}`;
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
