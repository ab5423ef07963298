import assert from "node:assert/strict";
import fc from "fast-check";
import { isGumError } from "../errors/mod.ts";
import {
  baseDirectories,
  isAbsolutePath,
  isProfileName,
  profileDirectories,
  profileName,
  selectProfile,
} from "./directories.ts";
import { environmentOf } from "./environment.ts";

Deno.test("profileName: the grammar of account profile names", () => {
  for (const good of ["default", "work", "a.b_c-9", "x".repeat(64), "Profiles2", ".hidden"]) {
    assert.equal(profileName(good), good);
  }
  assert.equal(profileName(""), "default");
  const bad = [
    ".",
    "..",
    "a..b",
    "a b",
    " a",
    "a/b",
    "a\\b",
    "a\u0000",
    "ä",
    "x".repeat(65),
    "profiles",
    "PROFILES",
  ];
  for (const name of bad) {
    assert.throws(() => profileName(name), (error) => {
      assert.ok(isGumError(error, "PROFILE_NAME_INVALID"), name);
      assert.match(String(error), /invalid profile name/);
      return true;
    });
    assert.equal(isProfileName(name), false, name);
  }
  for (const device of ["con", "NUL", "com1", "lpt9.txt", "dot."]) {
    assert.equal(isProfileName(device, "windows"), false, device);
    assert.equal(isProfileName(device, "linux"), true, device);
  }
});

Deno.test("profileName: an accepted name is one path component below its base", () => {
  fc.assert(fc.property(fc.string({ maxLength: 70 }), (name) => {
    if (!isProfileName(name)) return;
    const { config } = profileDirectories({ config: "/c", data: "/d", cache: "/e" }, name);
    assert.equal(new URL(`file://${config}`).pathname, `/c/gum/${name}`);
  }));
});

Deno.test("selectProfile: the flag wins over the variable, empty means default", () => {
  const environment = environmentOf({ GUM_PROFILE: "from-env" });
  assert.equal(selectProfile({ flag: "mine", environment }), "mine");
  assert.equal(selectProfile({ flag: "", environment }), "default");
  assert.equal(selectProfile({ flag: undefined, environment }), "from-env");
  assert.equal(selectProfile({ flag: undefined, environment: environmentOf({}) }), "default");
});

Deno.test("baseDirectories: absolute XDG values, else the home directory", () => {
  assert.deepEqual(baseDirectories(environmentOf({ HOME: "/home/u/" })), {
    config: "/home/u/.config",
    data: "/home/u/.local/share",
    cache: "/home/u/.cache",
  });
  assert.deepEqual(
    baseDirectories(environmentOf({
      USERPROFILE: "/users/u",
      XDG_CONFIG_HOME: "/xc",
      XDG_DATA_HOME: "relative",
      XDG_CACHE_HOME: "  /xx  ",
    })),
    { config: "/xc", data: "/users/u/.local/share", cache: "/xx" },
  );
  const all = { XDG_CONFIG_HOME: "/1", XDG_DATA_HOME: "/2", XDG_CACHE_HOME: "/3" };
  assert.deepEqual(baseDirectories(environmentOf(all)), { config: "/1", data: "/2", cache: "/3" });
  assert.throws(
    () => baseDirectories(environmentOf({ XDG_CONFIG_HOME: "/1" })),
    (error) => isGumError(error, "HOME_UNRESOLVED"),
  );
  // A relative home would be another one in every directory.
  assert.throws(
    () => baseDirectories(environmentOf({ HOME: "home/u" })),
    (error) => isGumError(error, "HOME_UNRESOLVED") && /not an absolute path/.test(String(error)),
  );
  assert.equal(baseDirectories(environmentOf({ HOME: "u", USERPROFILE: "/u" })).data[1], "u");
});

Deno.test("isAbsolutePath: POSIX, drive and UNC paths", () => {
  for (const path of ["/a", "C:\\a", "c:/a", "\\\\host\\share"]) assert.ok(isAbsolutePath(path));
  for (const path of ["a", "./a", "C:a", ""]) assert.ok(!isAbsolutePath(path));
});

Deno.test("Environment: empty values are absent, only 1 is one", () => {
  const environment = environmentOf({ GUM_PROFILE: "", GUM_EMULATOR: "1", GUM_USE_ADC: "true" });
  assert.equal(environment.text("GUM_PROFILE"), undefined);
  assert.equal(environment.isOne("GUM_EMULATOR"), true);
  assert.equal(environment.isOne("GUM_USE_ADC"), false);
  assert.equal(environment.isOne("GUM_GAIN_DISABLED"), false);
});
