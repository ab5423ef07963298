/** Test only: reading resources, and a plugin inventory to read about. */

import { deepStrictEqual, equal } from "node:assert/strict";
import { decodeToonDocument } from "../../lib/format/mod.ts";
import type { JsonObject, JsonValue } from "../../lib/json/mod.ts";
import type { PluginListRow } from "../../lib/plugin/status/mod.ts";
import type { RawPeer } from "./raw_peer.ts";
import type { PluginView } from "../types.ts";

/** The one item of a read; fails on an error. */
export async function readItem(
  peer: RawPeer,
  uri: string,
): Promise<{ mimeType: string; text: string }> {
  const { result, error } = await peer.request("resources/read", { uri });
  if (error !== undefined) throw new Error(`${uri}: ${JSON.stringify(error)}`);
  const { contents } = result as { contents: JsonObject[] };
  equal(contents.length, 1);
  const [item] = contents;
  equal(item?.uri, uri);
  deepStrictEqual(Object.keys(item ?? {}).toSorted(), ["mimeType", "text", "uri"]);
  return item as { mimeType: string; text: string };
}

/** The rows of a status document as objects. */
export function tableOf(text: string): Record<string, JsonValue>[] {
  const { fields, rows } = decodeToonDocument(text);
  return rows.map((row) => Object.fromEntries(fields.map((name, at) => [name, row[at] ?? null])));
}

/** The error of a read. */
export async function readError(peer: RawPeer, uri: JsonValue): Promise<JsonObject> {
  const { error } = await peer.request("resources/read", { uri });
  return error as JsonObject;
}

/** A row of the plugin inventory. */
const pluginRow = (name: string, status: string): PluginListRow => ({
  name,
  version: "1.0.0",
  shape: "mcp",
  status,
  tos: "ok",
  risk: "read",
  variant_count: 1,
});

/** A plugin inventory with one plugin of each status. */
export function pluginView(changes: Partial<PluginView> = {}): PluginView {
  const statuses: Record<
    string,
    "quarantined" | "installed_pending_restart" | "needs_configuration"
  > = {
    bad: "quarantined",
    pending: "installed_pending_restart",
    unset: "needs_configuration",
  };
  const named = (query: { opId?: string; variantId?: string }) =>
    (query.opId ?? query.variantId ?? "").split(".")[0] ?? "";
  return {
    rows: () => [
      pluginRow("zed", "active"),
      pluginRow("pending", "installed_pending_restart"),
      pluginRow("bad", "quarantined"),
      pluginRow("", "active"),
      pluginRow("unset", "needs_configuration"),
    ],
    canaries: () => [
      { canary_id: "zed.b", op_id: "zed.op", variant_id: "zed.v", status: "stale" },
      { canary_id: "zed.a", op_id: "zed.op", variant_id: "zed.v", status: "stale" },
    ],
    lookup: (query) => {
      const pluginName = named(query);
      const status = statuses[pluginName];
      return status && {
        status,
        pluginName,
        reason: status === "quarantined" ? "digest" : "",
        credentialAliases: ["token"],
      };
    },
    record: (name) => name === "zed" ? { name, b: 1, a: "<&>" } : undefined,
    schema: (ref) => ref === "zed.schema.v1" ? { type: "object", $id: "x" } : undefined,
    schemaRefs: () => ["zed.schema.v1"],
    ...changes,
  };
}

/** A folder that goes away with its scope. */
export async function tempFolder(): Promise<
  { path: string; [Symbol.asyncDispose](): Promise<void> }
> {
  const path = await Deno.makeTempDir({ prefix: "gum-mcp-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
