import assert from "node:assert/strict";
import { environmentOf } from "../lib/config/environment.ts";
import { emulatorChoice } from "./emulator_choice.ts";

Deno.test("emulator choice: the flag beats the variable, an origin names a running one", () => {
  const origin = "http://127.0.0.1:8085";
  const chosen = (flag?: string, variable?: string) =>
    emulatorChoice(flag, environmentOf({ GUM_EMULATOR: variable }));
  assert.deepEqual(chosen(), { emulator: false });
  assert.deepEqual(chosen("true"), { emulator: true });
  assert.deepEqual(chosen(undefined, "1"), { emulator: true });
  for (const off of ["", "0", "false"]) {
    assert.deepEqual(chosen(undefined, off), { emulator: false });
  }
  assert.deepEqual(chosen("false", "1"), { emulator: false });
  assert.deepEqual(chosen("false", origin), { emulator: false });
  assert.deepEqual(chosen("true", origin), { emulator: true, emulatorOrigin: origin });
  assert.deepEqual(chosen(`${origin}/`, "1"), { emulator: true, emulatorOrigin: origin });
  assert.deepEqual(chosen("http://localhost:1", origin).emulatorOrigin, "http://localhost:1");
  assert.throws(() => chosen(undefined, "http://10.0.0.1:80"), /GUM_EMULATOR/);
});
