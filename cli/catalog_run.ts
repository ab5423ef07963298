/** What `gum describe` and `gum catalog list-overrides` print (spec 08 §4.1). */

import { embeddedRequestSchema, exampleArgs } from "../lib/catalog/lookup/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import { missingPluginHint } from "./active_plugins.ts";
import { stylesFor, terminalWidth } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum describe`. @throws GumError `OP_NOT_FOUND` with suggestions. */
export async function runDescribe({ words, flags, host }: CommandContext): Promise<void> {
  const opId = words[0] ?? "";
  const catalog = await host.factories.catalog([opId]);
  const op = catalog.findOp(opId);
  if (op === undefined) {
    const { HIDDEN_HINT, suggestOps } = await import("../lib/catalog/mod.ts");
    const suggestions = suggestOps(opId, {
      opIds: catalog.ops.map((known) => known.op_id),
      search: await host.factories.search(),
    });
    throw new GumError("OP_NOT_FOUND", {
      message: `unknown operation ${JSON.stringify(opId)}`,
      details: { op_id: opId, suggestions },
      ...(catalog.isHidden?.(opId) ? { suggestion: HIDDEN_HINT } : {}),
    });
  }
  const hint = await missingPluginHint(op, host);
  if (host.isTerminal("stdout") && !flags.changed("format")) {
    const { describePage } = await import("./describe_page.ts");
    const mail = opId.startsWith("gmail.")
      ? (await import("./mail_flags.ts")).mailFlagHelp(opId)
      : [];
    const ref = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id)
      ?.binding?.request_ref;
    // What ships is read on its own: the snapshot would read the whole catalog first.
    const schema = ref === undefined
      ? undefined
      : embeddedRequestSchema(ref) ?? catalog.requestSchema(ref);
    const look = { width: terminalWidth(host), styles: stylesFor(host, "stdout") };
    return host.stdout.write(describePage(op, { ...look, hint, mail, schema }));
  }
  const contract = { op, example_args: exampleArgs(op), ...(hint === undefined ? {} : { hint }) };
  host.stdout.write(JSON.stringify(contract, null, 2) + "\n");
}

/** Runs `gum catalog list-overrides`. */
export async function runListOverrides({ host }: CommandContext): Promise<void> {
  const { riskOverrides } = await import("../lib/catalog/lookup/mod.ts");
  // No id to look up: what ships and the plugins' operations are all there is to list.
  const { ops } = await host.factories.catalog([]);
  const rows = riskOverrides(ops);
  for (const row of rows) host.stdout.write(JSON.stringify(row) + "\n");
  if (rows.length === 0 && host.isTerminal("stderr")) {
    host.stderr.write("no variant has a risk class decided by hand\n");
  }
}
