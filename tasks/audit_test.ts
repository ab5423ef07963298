import assert from "node:assert/strict";
import {
  askOsv,
  askRegistry,
  judge,
  readDenoAudit,
  readWaivers,
  type SourceAnswer,
} from "./audit.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const PACKAGES = ["smol-toml", "ajv"].map((name) => ({
  name,
  version: "1.0.0",
  needs: [],
  installScript: false,
}));

async function withServer<T>(
  answer: (request: Request) => Response | Promise<Response>,
  run: (origin: string) => Promise<T>,
): Promise<T> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  try {
    return await run(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

/** Runs `deno audit` over this lock file against a registry that answers like `answer`. */
function auditAgainst(answer: (request: Request) => Response): Promise<SourceAnswer> {
  return withServer(
    answer,
    (origin) => askRegistry({ env: { NPM_CONFIG_REGISTRY: `${origin}/` } }),
  );
}

Deno.test("TestGovulncheckPipeline: a known vulnerability of a locked package is a finding", async () => {
  const asked: string[] = [];
  const answer = await auditAgainst((request) => {
    asked.push(new URL(request.url).pathname);
    return Response.json({
      "smol-toml": [{
        id: 1,
        url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
        title: "made up",
        severity: "high",
        vulnerable_versions: "<99.0.0",
      }],
    });
  });
  assert.deepEqual(answer, {
    kind: "answered",
    source: "deno audit",
    findings: [{ id: "GHSA-aaaa-bbbb-cccc", package: "smol-toml" }],
  });
  assert.ok(asked.some((path) => path.endsWith("/security/advisories/bulk")));
  assert.deepEqual(judge([answer], { waivers: [], now: NOW }).problems, [
    "smol-toml: GHSA-aaaa-bbbb-cccc",
  ]);
});

Deno.test("TestGovulncheckPipeline: a registry without findings is a clean answer", async () => {
  assert.deepEqual(await auditAgainst(() => Response.json({})), {
    kind: "answered",
    source: "deno audit",
    findings: [],
  });
});

Deno.test("TestGovulncheckPipeline: a registry that knows no audit is no answer, never a clean one", async () => {
  const answer = await auditAgainst(() => new Response("no", { status: 405 }));
  assert.equal(answer.kind, "silent");
  assert.deepEqual(judge([answer], { waivers: [], now: NOW }), { checked: false, problems: [] });
});

Deno.test("TestGovulncheckPipeline: the open database is asked for every package and page", async () => {
  const asked: unknown[] = [];
  const answer = await withServer(async (request) => {
    const { queries } = await request.json();
    asked.push(queries);
    return Response.json(
      asked.length === 1
        ? { results: [{ vulns: [{ id: "GHSA-1" }], next_page_token: "p2" }, {}] }
        : { results: [{ vulns: [{ id: "CVE-2" }] }] },
    );
  }, (origin) => askOsv(PACKAGES, { origin }));
  assert.deepEqual(answer, {
    kind: "answered",
    source: "127.0.0.1",
    findings: [{ id: "GHSA-1", package: "smol-toml" }, { id: "CVE-2", package: "smol-toml" }],
  });
  const smolToml = { package: { name: "smol-toml", ecosystem: "npm" }, version: "1.0.0" };
  assert.deepEqual(asked, [
    [smolToml, { package: { name: "ajv", ecosystem: "npm" }, version: "1.0.0" }],
    [{ ...smolToml, page_token: "p2" }],
  ]);
});

Deno.test("TestGovulncheckPipeline: a database that fails or answers short is silent", async () => {
  for (
    const response of [
      () => new Response("", { status: 500 }),
      () => Response.json({ results: [] }),
    ]
  ) {
    const answer = await withServer(response, (origin) => askOsv(PACKAGES, { origin }));
    assert.equal(answer.kind, "silent");
  }
  assert.equal((await askOsv(PACKAGES, { origin: "http://127.0.0.1:1" })).kind, "silent");
});

Deno.test("TestGovulncheckPipeline: waivers name a reason, a reviewer and a near day", () => {
  const [waiver] = readWaivers(
    '[[waiver]]\nid = "GHSA-1"\nwhy = "never reached"\nreviewer = "someone"\nexpires = 2026-07-01\n',
  );
  assert.ok(waiver !== undefined);
  const found: SourceAnswer = {
    kind: "answered",
    source: "s",
    findings: [{ id: "GHSA-1", package: "p" }],
  };
  const clean: SourceAnswer = { kind: "answered", source: "s", findings: [] };
  const silent: SourceAnswer = { kind: "silent", source: "t", why: "down" };
  const problems = (answers: SourceAnswer[], expires = waiver.expires) =>
    judge(answers, { waivers: [{ ...waiver, expires }], now: NOW }).problems;
  assert.deepEqual(problems([found]), []);
  assert.deepEqual(problems([clean]), ["the waiver of GHSA-1 waives nothing"]);
  assert.deepEqual(problems([clean, silent]), [], "the silent source may need it");
  assert.deepEqual(problems([found], new Date("2026-05-30")), ["the waiver of GHSA-1 has expired"]);
  assert.deepEqual(problems([found], new Date("2026-09-30")), [
    "the waiver of GHSA-1 is for over 90 days",
  ]);
  for (const missing of ["id", "why", "reviewer", "expires"]) {
    const lines = ['id = "a"', 'why = "b"', 'reviewer = "c"', "expires = 2026-07-01"];
    const toml = `[[waiver]]\n${lines.filter((line) => !line.startsWith(missing)).join("\n")}\n`;
    assert.throws(() => readWaivers(toml), new RegExp(missing === "expires" ? "expires" : missing));
  }
});

Deno.test("TestGovulncheckPipeline: findings are read from every box of the report", () => {
  const box = (name: string, info: string) =>
    `╭ title\n│ Severity:   low\n│ Package:    ${name}\n╰ Info:       ${info}\n\n`;
  assert.deepEqual(
    readDenoAudit(
      box("a", "https://x/GHSA-1-2-3") + box("@s/b", "https://x/CVE-2026-1") + box("c", ""),
    ),
    [
      { package: "a", id: "GHSA-1-2-3" },
      { package: "@s/b", id: "CVE-2026-1" },
      { package: "c", id: "title" },
    ],
  );
});

Deno.test("TestGovulncheckPipeline: every change, every night and every release is audited", async () => {
  const workflow = await Deno.readTextFile(
    new URL("../.github/workflows/audit.yml", import.meta.url),
  );
  for (const when of ["push:", "pull_request:", "schedule:", "workflow_call:"]) {
    assert.ok(workflow.includes(`\n  ${when}`), when);
  }
  assert.ok(workflow.includes("- run: deno task -q audit\n"));
  assert.ok(!workflow.includes("continue-on-error"), "a finding stops the job");
});
