/** The workflows as they would run: what they call exists, in the order that makes a release safe. */

import assert from "node:assert/strict";

const ROOT = new URL("..", import.meta.url).pathname;
const FOLDER = `${ROOT}.github/workflows`;

/** A job's own lines, by its name. */
function jobsOf(workflow: string): Map<string, string> {
  const jobs = new Map<string, string>();
  const [, body = ""] = workflow.split(/^jobs:\n/m);
  for (const part of body.split(/^(?= {2}[a-z][\w-]*:$)/m)) {
    const name = /^ {2}([\w-]+):$/m.exec(part)?.[1];
    if (name !== undefined) jobs.set(name, part);
  }
  return jobs;
}

function needsOf(job: string): string[] {
  const [, value = ""] = /^ {4}needs: (.+)$/m.exec(job) ?? [];
  return value.replace(/[[\]\s]/g, "").split(",").filter((name) => name !== "");
}

const release = jobsOf(await Deno.readTextFile(`${FOLDER}/release.yml`));
const job = (name: string): string => {
  const found = release.get(name);
  assert.ok(found !== undefined, `release.yml has a job ${name}`);
  return found;
};

/** Every job that must have succeeded before this one starts. */
function before(name: string): Set<string> {
  const direct = needsOf(job(name));
  return new Set(direct.flatMap((needed) => [needed, ...before(needed)]));
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args],
    cwd: folder,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

Deno.test("TestReleaseTagJob: it is first, and everything else waits for it", () => {
  assert.match(job("validate-tag"), /^ {6}- run: bash \.ci\/validate_tag "\$TAG" /m);
  assert.deepEqual(needsOf(job("validate-tag")), []);
  for (const name of release.keys()) {
    if (name !== "validate-tag") assert.ok(before(name).has("validate-tag"), name);
  }
});

Deno.test({
  name: "TestReleaseTagJob: only vX.Y.Z at the head of the default branch passes",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "gum-tag-" });
    const passes = async (tag: string): Promise<boolean> => {
      const { success } = await new Deno.Command("bash", {
        args: [`${ROOT}.ci/validate_tag`, tag, "main"],
        cwd: folder,
      }).output();
      return success;
    };
    try {
      await git(folder, "init", "-q", "-b", "main");
      await git(folder, "commit", "-q", "--allow-empty", "-m", "one");
      for (const tag of ["v1.2.2", "v1.2.3-rc.1", "1.2.3", "v1.2", "v1.2.3+x", "latest"]) {
        await git(folder, "tag", "-a", "-m", tag, tag);
      }
      assert.equal(await passes("v1.2.2"), true);
      for (
        const tag of ["v1.2.3-rc.1", "1.2.3", "v1.2", "v1.2.3+x", "latest", "v9.9.9", "v1.2.2\nx"]
      ) {
        assert.equal(await passes(tag), false, tag);
      }
      await git(folder, "commit", "-q", "--allow-empty", "-m", "two");
      assert.equal(await passes("v1.2.2"), false, "the branch has moved on");
      await git(folder, "tag", "v1.2.3");
      assert.equal(await passes("v1.2.3"), true);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("TestProvenanceJobs: generated, published and verified before anybody is offered a file", () => {
  assert.match(
    job("provenance"),
    /uses: slsa-framework\/slsa-github-generator\/\.github\/workflows\/generator_generic_slsa3\.yml@v2\.0\.0/,
  );
  assert.match(job("provenance"), /base64-subjects: \$\{\{ needs\.build\.outputs\.hashes \}\}/);
  assert.match(job("build"), /base64 -w0 dist\/release\/checksums\.txt/);
  assert.match(job("build"), /subject-checksums: dist\/release\/checksums\.txt/);
  assert.match(job("publish"), /gh release create "\$TAG" --verify-tag --draft /);
  const verify = job("verify-provenance");
  assert.match(verify, /slsa-framework\/slsa-verifier\/actions\/installer@v2\.6\.0/);
  const order = [
    "gh release download",
    "sha256sum --check --strict",
    "slsa-verifier verify-artifact",
    "gh attestation verify",
    'gh release edit "$TAG" --draft=false',
  ].map((words) => verify.indexOf(words));
  assert.ok(order.every((at) => at > 0), `${order}`);
  assert.deepEqual(order, order.toSorted((left, right) => left - right));
  assert.match(verify, /for archive in \*\.tar\.gz \*\.zip; do/);
  const done = before("verify-provenance");
  for (
    const name of ["pre-release-tests", "audit", "build", "repro-canary", "provenance", "publish"]
  ) {
    assert.ok(done.has(name), name);
  }
  for (const [name, body] of release) {
    if (name !== "verify-provenance") assert.doesNotMatch(body, /--draft=false/, name);
  }
});

Deno.test("workflows: they call tasks and scripts that exist, and run the pinned Deno", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const [, pinned = ""] = /DENO_VERSION="\$\{GUM_CI_DENO:-([0-9.]+)\}"/.exec(
    await Deno.readTextFile(`${ROOT}.ci/run`),
  ) ?? [];
  assert.match(pinned, /^\d+\.\d+\.\d+$/);
  let called = 0;
  for await (const { name } of Deno.readDir(FOLDER)) {
    const text = await Deno.readTextFile(`${FOLDER}/${name}`);
    for (const [, task = ""] of text.matchAll(/\btask (?:-q )?([a-z][\w:-]*)/g)) {
      assert.ok(Object.hasOwn(tasks, task), `${name}: deno task ${task}`);
      called++;
    }
    for (const [, script = ""] of text.matchAll(/bash (\.ci\/\w+)/g)) {
      assert.ok((await Deno.stat(`${ROOT}${script}`)).isFile, `${name}: ${script}`);
      called++;
    }
    for (const [, version] of text.matchAll(/deno@([0-9.]+)/g)) assert.equal(version, pinned, name);
    // Other people's actions are named by commit; the provenance tools must be named by tag.
    for (const [, action = "", ref = ""] of text.matchAll(/uses: ([^@\s]+)@(\S+)/g)) {
      assert.match(ref, action.startsWith("slsa-framework/") ? /^v\d/ : /^[0-9a-f]{40}$/, action);
    }
    assert.match(text, /^permissions:\n {2}contents: read$/m, `${name} starts with no rights`);
  }
  assert.ok(called >= 4);
});

Deno.test("TestToolchains: changes are tried on the pinned Deno and on the newest, on three systems", async () => {
  const ci = await Deno.readTextFile(`${FOLDER}/ci.yml`);
  const [, pinned] = /deno: \["([0-9.]+)"\]/.exec(ci) ?? [];
  assert.match(await Deno.readTextFile(`${ROOT}.ci/run`), new RegExp(`GUM_CI_DENO:-${pinned}\\}`));
  assert.match(ci, /^ {12}deno: latest$/m);
  assert.match(ci, /GUM_CI_DENO: \$\{\{ matrix\.deno \}\}/);
  for (const system of ["ubuntu", "macos", "windows"]) {
    assert.match(ci, new RegExp(`${system}-latest`));
  }
});

Deno.test("workflows: actionlint has nothing to say", async () => {
  const folder = Deno.env.get("GUM_ACTIONLINT") ?? "actionlint";
  const checked = await new Deno.Command(folder, { args: ["-no-color"], cwd: ROOT }).output()
    .catch((error) => {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    });
  if (checked === undefined) return console.log("skipped: actionlint is not installed");
  assert.equal(new TextDecoder().decode(checked.stdout), "");
  assert.equal(checked.code, 0);
});
