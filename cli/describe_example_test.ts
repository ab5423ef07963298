/** What the page of an operation offers to paste has to run as it stands. */

import assert from "node:assert/strict";
import { loadCatalog } from "../lib/catalog/mod.ts";
import type { Op } from "../lib/catalog/types.ts";
import { findGumError } from "../lib/errors/mod.ts";
import { openSession } from "../lib/session/mod.ts";
import { parseCallArguments } from "./arg_grammar.ts";
import { arrayFields } from "./call_fields.ts";
import { exampleCommand } from "./describe_page.ts";

/** The words of a POSIX command line without expansions. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)]
    .map(([word]) =>
      word.replaceAll(/'([^']*)'|\\(')/g, (_all, quoted, escaped) => quoted ?? escaped)
    );
}

function riskOf(op: Op): "read" | "write" | "destructive" {
  return op.variants.find(({ variant_id }) => variant_id === op.default_variant_id)?.risk_class ??
    "read";
}

Deno.test("describe: an example without a placeholder is an answer of the emulator when pasted", async () => {
  const session = await openSession({
    profileName: "default",
    emulator: true,
    log: { log: () => {} },
  });
  const refused: string[] = [];
  let ran = 0;
  try {
    for (const op of loadCatalog().ops) {
      const risk = riskOf(op);
      const line = exampleCommand(op, risk);
      // Ids of things have to be filled in; mails are composed from flags; plugins answer themselves.
      if (/<[^>]+>/.test(line) || / --(?!risk=)/.test(line)) continue;
      if (op.variants.some(({ auth_strategy }) => auth_strategy === "plugin_managed")) continue;
      const args = await parseCallArguments(shellWords(line).slice(4), {
        arrayFields: arrayFields(op),
        readSource: () => Promise.reject(new Error("no file is shown")),
      });
      const invocation = {
        opId: op.op_id,
        args,
        allowWrite: risk === "write",
        allowDestructive: risk === "destructive",
        caller: "cli",
      } as const;
      try {
        await session.kernel.dispatch(invocation);
        ran++;
      } catch (error) {
        const code = findGumError(error)?.code ?? "";
        // Whoever pastes it is asked first; what it then does is another matter.
        if (code === "REQUIRES_CONFIRMATION") ran++;
        else refused.push(`${op.op_id}: ${code} ${error instanceof Error ? error.message : error}`);
      }
    }
  } finally {
    await session.close();
  }
  assert.deepEqual(refused, []);
  assert.ok(ran > 60, `${ran} examples`);
});

Deno.test("describe: words are read as a shell reads them", () => {
  assert.deepEqual(shellWords(`gum call a.b 'q=tide tables' 'x:=["a"]' 'it'\\''s=1'`), [
    "gum",
    "call",
    "a.b",
    "q=tide tables",
    'x:=["a"]',
    "it's=1",
  ]);
});
