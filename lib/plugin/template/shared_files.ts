/** What new plugins of both shapes have in common: manifest and schemas. */

import type { PluginShape } from "../types.ts";

/** The manifest. */
export function manifest(
  id: string,
  { shape, executable }: { shape: PluginShape; executable: string },
): string {
  return `manifest_schema_version = 1

[plugin]
name = "${id}"
display_name = "${id}"
version = "0.1.0"
description = "Say in one sentence what it does"
namespace_owner = "example.${id}"   # a name that stays yours, such as a reversed domain
shape = "${shape}"
executable = "${executable}"
license = "MIT"
tos = "own"
risk = "low"

[requirements.canary]
tool = "greet"
args = { name = "canary" }
timeout_ms = 5000

[declared_capabilities]
network = false                     # true with net_hosts = ["api.example.com:443"]

[[tools]]
name = "greet"
tool_name = "greet"
description = "Say hello"
risk_class = "read"                 # read, write or destructive
auth_strategy = "none"
schema_ref = "${id}.greet"
raw_result_allowed = true
`;
}

/** The schemas of the one tool. */
export function schemas(): string {
  const bundle = {
    $defs: {
      request: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: { name: { type: "string", minLength: 1, description: "Whom to greet" } },
      },
      response: {
        type: "object",
        required: ["greeting"],
        properties: { greeting: { type: "string" } },
      },
    },
  };
  return JSON.stringify(bundle, null, 2) + "\n";
}
