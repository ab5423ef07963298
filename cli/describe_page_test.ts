import assert from "node:assert/strict";
import { loadCatalog } from "../lib/catalog/mod.ts";
import { runRecorded } from "./testing/recorded_host.ts";
import { exampleCommand } from "./describe_page.ts";

const { ops } = loadCatalog();

async function page(opId: string): Promise<string> {
  return (await runRecorded(["describe", opId], { ops, terminals: ["stdout"] })).stdout;
}

Deno.test("describe: body fields beside the listed ones are named, and how to give them", async () => {
  const shown = await page("groupssettings.groups.update");
  const [, further = ""] = shown.split("FURTHER BODY FIELDS");
  assert.match(further.split("SEE ALSO")[0] ?? "", /whoCanBanUsers/);
  assert.match(further, /Give one as body\.\w+=… or\s+body\.\w+:=<json>\./);
  assert.match(await page("calendar.events.insert"), /FURTHER BODY FIELDS[^]*guestsCanModify/);
});

Deno.test("describe: nothing is announced where every body field is listed", async () => {
  for (const opId of ["gmail.users.messages.list", "docs.documents.batchUpdate"]) {
    assert.doesNotMatch(await page(opId), /FURTHER BODY FIELDS/);
  }
});

Deno.test("describe: an example gives away neither a file nor a group", () => {
  for (const op of ops) {
    assert.doesNotMatch(exampleCommand(op, "write"), /role=(?:owner|OWNER)/, op.op_id);
  }
});
