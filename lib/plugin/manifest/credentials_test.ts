import assert from "node:assert/strict";
import { type GumError, isGumError } from "../../errors/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { CREDENTIAL_KINDS, validateCredentialDescriptors } from "./mod.ts";

const descriptor = (more: JsonObject = {}): JsonObject => ({
  alias: "session",
  env: "ECHO_SESSION",
  kind: "session",
  display_name: "Echo session cookie",
  setup_hint: "Copy it from the browser",
  ...more,
});

function refused(needs: string[], descriptors: JsonObject[], why: RegExp) {
  assert.throws(() => validateCredentialDescriptors(needs, descriptors), (error) => {
    assert.ok(isGumError(error, "PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID"), String(error));
    const text = JSON.stringify((error as GumError).toEnvelope());
    assert.match(text, why);
    assert.ok(!text.includes("ECHO_SESSION"), "a message names the alias, never the variable");
    return true;
  });
}

Deno.test("TestValidateCredentialDescriptorsHappyPath: one descriptor for every needed name", () => {
  assert.deepEqual(validateCredentialDescriptors([], []), []);
  const [only] = validateCredentialDescriptors(["ECHO_SESSION"], [descriptor()]);
  assert.equal(only?.alias, "session");
  const bare = validateCredentialDescriptors(["ECHO_SESSION", "google_access_token"], [
    descriptor({ setup_hint: "" }),
  ]);
  assert.equal(bare.length, 1, "the reserved token needs none");
});

Deno.test("TestValidateCredentialDescriptorsMissingDescriptor: a needed name without one", () => {
  refused(["ECHO_SESSION"], [], /1 needed credential/);
});

Deno.test("TestValidateCredentialDescriptorsExtraDescriptor: one for a name that is not needed", () => {
  refused([], [descriptor()], /not among needs_user_creds/);
});

Deno.test("TestValidateCredentialDescriptorsDuplicateAlias: an alias names one secret, a name has one descriptor", () => {
  refused(
    ["ECHO_SESSION", "OTHER"],
    [descriptor(), descriptor({ env: "OTHER" })],
    /alias is used twice/,
  );
  refused(["ECHO_SESSION"], [descriptor(), descriptor({ alias: "b" })], /two descriptors/);
});

Deno.test("TestValidateCredentialDescriptorsInvalidKind: kinds are a closed list", () => {
  refused(["ECHO_SESSION"], [descriptor({ kind: "password" })], /kind must be one of/);
  refused(["ECHO_SESSION"], [descriptor({ kind: null })], /kind must be one of/);
});

Deno.test("TestValidateCredentialDescriptorsAllKinds: each of them passes", () => {
  for (const kind of CREDENTIAL_KINDS) {
    assert.equal(
      validateCredentialDescriptors(["ECHO_SESSION"], [descriptor({ kind })])[0]?.kind,
      kind,
    );
  }
});

Deno.test("descriptor texts: lengths in code points, grammar of names, no variable in a text", () => {
  const ok = (more: JsonObject) =>
    validateCredentialDescriptors(["ECHO_SESSION"], [descriptor(more)]);
  ok({ display_name: "ü".repeat(80), setup_hint: "😀".repeat(160) });
  refused(["ECHO_SESSION"], [descriptor({ display_name: "x".repeat(81) })], /1 to 80/);
  refused(["ECHO_SESSION"], [descriptor({ display_name: "" })], /1 to 80/);
  refused(["ECHO_SESSION"], [descriptor({ setup_hint: "x".repeat(161) })], /at most 160/);
  refused(["ECHO_SESSION"], [descriptor({ setup_hint: "set ECHO_SESSION" })], /may not name/);
  refused(["ECHO_SESSION"], [descriptor({ alias: "Bad" })], /alias is missing/);
  refused(["ECHO_SESSION"], [descriptor({ env: "" })], /not a variable name/);
  refused(["ECHO_SESSION"], [descriptor({ env: "1X" })], /not a variable name/);
});
