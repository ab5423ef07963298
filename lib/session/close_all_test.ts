import { deepStrictEqual, rejects } from "node:assert/strict";
import { closeAll } from "./close_all.ts";

Deno.test("closing: what fails does not keep the rest open, and is reported", async () => {
  const ran: string[] = [];
  const step = (name: string, error?: string) => () => {
    ran.push(name);
    if (error !== undefined) throw new Error(error);
  };
  await rejects(
    closeAll([
      step("scripts", "no sandbox"),
      async () => await Promise.reject(new Error("no plugin")),
      step("audit"),
    ]),
    /no sandbox/,
  );
  deepStrictEqual(ran, ["scripts", "audit"]);
  await closeAll([step("again")]);
});
