import assert from "node:assert/strict";
import { environmentOf } from "../../config/environment.ts";
import { browserCommand, isHeadless } from "./browser.ts";

Deno.test("the address is one argument of the system's opener, whatever it holds", () => {
  const address = 'https://accounts.google.com/o?a=1&b="$(x)"';
  assert.deepEqual(browserCommand("darwin", address), { program: "open", args: [address] });
  assert.deepEqual(browserCommand("linux", address), { program: "xdg-open", args: [address] });
  assert.deepEqual(browserCommand("windows", address), {
    program: "rundll32",
    args: ["url.dll,FileProtocolHandler", address],
  });
});

Deno.test("headless is Linux without a display that is not inside Windows", () => {
  const on = (os: string, version: string, environment = {}) =>
    isHeadless(environmentOf(environment), { os, readVersion: () => version });
  assert.equal(on("linux", "Linux 6.1"), true);
  assert.equal(on("linux", "Linux 5.15 microsoft-standard-WSL2"), false);
  assert.equal(on("linux", "Linux", { DISPLAY: ":0" }), false);
  assert.equal(on("linux", "Linux", { WAYLAND_DISPLAY: "w" }), false);
  assert.equal(on("darwin", ""), false);
  assert.equal(on("windows", ""), false);
  const unreadable = () => {
    throw new Deno.errors.NotFound();
  };
  assert.equal(isHeadless(environmentOf({}), { os: "linux", readVersion: unreadable }), true);
});
