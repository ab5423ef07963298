import assert from "node:assert/strict";
import { findGumError } from "../errors/mod.ts";
import { silentLogger } from "../log/mod.ts";
import { openSession } from "./mod.ts";
import { kernelSettings, narrowerMode, sessionConfiguration } from "./settings.ts";

async function withConfig(
  text: string | undefined,
  body: (directories: { config: string; data: string; cache: string }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gum-session-" });
  try {
    await Deno.mkdir(`${folder}/c/gum/work`, { recursive: true });
    if (text !== undefined) {
      await Deno.writeTextFile(`${folder}/c/gum/work/config.toml`, text, { mode: 0o600 });
    }
    await body({ config: `${folder}/c`, data: `${folder}/d`, cache: `${folder}/k` });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const LABELS = { opId: "gmail.users.labels.list", args: { userId: "me" } };

/** Code and details of what a profile with this configuration answers on the emulator. */
async function answer(
  text: string | undefined,
  invocation: typeof LABELS = LABELS,
): Promise<{ code: string; details: Readonly<Record<string, unknown>> }> {
  let found: { code: string; details: Readonly<Record<string, unknown>> } | undefined;
  await withConfig(text, async (directories) => {
    const session = await openSession({
      profileName: "work",
      emulator: true,
      directories,
      log: silentLogger,
    });
    try {
      await session.kernel.dispatch(invocation);
      found = { code: "ok", details: {} };
    } catch (error) {
      const known = findGumError(error);
      if (known === undefined) throw error;
      found = { code: known.code, details: known.details };
    } finally {
      await session.close();
    }
  });
  return found ?? { code: "none", details: {} };
}

Deno.test("session: a profile's policy holds, patterns included", async () => {
  assert.equal((await answer(undefined)).code, "ok");
  assert.equal((await answer('policy.allow_ops = ["gmail.*"]\n')).code, "ok");
  assert.equal((await answer('policy.allow_ops = ["drive.*"]\n')).code, "POLICY_DENIED");
  const denied = await answer('policy.deny_ops = ["gmail.*.list"]\n');
  assert.deepEqual([denied.code, denied.details.reason], ["POLICY_DENIED", "op_id in deny_ops"]);
  assert.equal((await answer('policy.deny_ops = ["gmail.*.get"]\n')).code, "ok");
});

Deno.test("session: a policy that cannot be read refuses everything", async () => {
  const refused = await answer('policy.deny_ops = "drive.files.delete"\n');
  assert.deepEqual(
    [refused.code, refused.details.reason, refused.details.rule],
    ["POLICY_DENIED", "policy config invalid", "policy.deny_ops"],
  );
});

Deno.test("session: an unreadable configuration refuses every credential with its own error", async () => {
  assert.equal((await answer("cache = = 1\n")).code, "CONFIG_PARSE_ERROR");
  assert.equal((await answer("config_schema_version = 999\n")).code, "CONFIG_SCHEMA_UNSUPPORTED");
});

Deno.test("session: what the configuration says reaches the kernel's settings", async () => {
  const text = `
auth.expected_subject.byo_oauth = "0123456789abcdef"
policy.mode = "no_delete"
policy.admin_writes = "off"
validation.strict = true
validation.unknown_read_params_allowlist."gmail.users.list" = ["x"]
dispatch.preferred_interface_kinds = ["grpc"]
output = { default_format = "json", tee_mode = "failures" }
cache = { normalize_datetimes = true, diff_only = true }
media.dirs = ["/srv/files"]
`;
  await withConfig(text, async (directories) => {
    const given = { profileName: "work", directories, log: silentLogger };
    const { config, problem } = await sessionConfiguration(given);
    assert.equal(problem, undefined);
    assert.deepEqual(kernelSettings(config, { emulator: false }), {
      profileName: "work",
      allowOps: [],
      denyOps: [],
      invalidPolicyKey: undefined,
      policyMode: "no_delete",
      adminWrites: "off",
      strictValidation: true,
      unknownReadParamsAllowlist: { "gmail.users.list": ["x"] },
      preferredInterfaceKinds: ["grpc"],
      normalizeDatetimes: true,
      diffOnly: true,
      expectedSubjects: { byo_oauth: "0123456789abcdef" },
      defaultFormat: "json",
      teeMode: "failures",
      mediaDirs: ["/srv/files"],
    });
    const narrowed = kernelSettings(config, { emulator: true, policyMode: "read_only" });
    assert.deepEqual([narrowed.policyMode, narrowed.expectedSubjects], ["read_only", {}]);
  });
});

Deno.test("session: a limit of the session only narrows", () => {
  assert.equal(narrowerMode(undefined, "draft_only"), "draft_only");
  assert.equal(narrowerMode("full", "draft_only"), "draft_only");
  assert.equal(narrowerMode("read_only", "full"), "read_only");
  assert.equal(narrowerMode("read_only", "no_delete"), "read_only");
});

Deno.test("session: what tunes the MCP surface comes from the profile, clamped", async () => {
  const text = "[meta_tools.search_apis]\nk = 99\n[meta_tools.describe_op]\nmax_variants = 2\n" +
    '[output]\nuntrusted_text = "mark"\n';
  await withConfig(text, async (directories) => {
    const session = await openSession({
      profileName: "work",
      emulator: true,
      directories,
      log: silentLogger,
    });
    const { tuning, untrustedText } = session;
    await session.close();
    assert.equal(tuning?.searchK, 20);
    assert.equal(tuning?.describeMaxVariants, 2);
    assert.equal(tuning?.searchTruncateChars, 120);
    assert.equal(tuning?.searchMaxItems, undefined);
    assert.equal(untrustedText, "mark");
  });
});
