import assert from "node:assert/strict";
import { serviceAccountKey } from "../lib/auth/testdata/service_account.ts";
import { systemClock } from "../lib/clock/mod.ts";
import { type Emulator, startEmulator } from "../lib/emulator/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { isolatedEnvironment, ROOT, runProgram, withFolder } from "./testing/spawned.ts";

const PLANTED = {
  "vault key": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
  "client secret": "GOCSPX-canary0client0secret",
  "API key": "AIzaCanaryApiKey0123456789",
  "developer token": "canary-developer-token",
  "API key of the environment": "AIzaCanaryOfTheEnvironment",
} as const;

interface Step {
  argv: string[];
  stdin?: string;
  env?: Record<string, string>;
  /** Exit code; 0 unless it is meant to fail. */
  code?: number;
}

const READ = ["--args", '{"userId":"me"}', "--format", "json"];
const GEOCODE = ["read", "maps.geocoding.geocode", "--args", '{"address":"x"}'];
const KEYWORDS = [
  "read",
  "googleads.keywordPlanIdeas.generateKeywordIdeas",
  "--args",
  '{"customerId":"1234567890","keywords":"tea"}',
];

/** A life of a profile, command by command. */
function session(folder: string): Step[] {
  return [
    { argv: ["auth", "vault", "status"] },
    { argv: ["auth", "status"] },
    { argv: ["doctor"], code: 1 },
    { argv: ["read", "gmail.users.labels.list", ...READ], code: 3 },
    {
      argv: ["auth", "use-oauth-client", "--client-id", "c.example", "--secret-stdin"],
      stdin: PLANTED["client secret"],
    },
    { argv: ["auth", "use-api-key", "--stdin"], stdin: PLANTED["API key"] },
    { argv: ["auth", "use-ads-developer-token", "--stdin"], stdin: PLANTED["developer token"] },
    // Somebody does it wrong: the value must not come back in the complaint.
    { argv: ["auth", "use-api-key", PLANTED["API key"]], code: 2 },
    { argv: ["auth", "use-oauth-client", PLANTED["client secret"]], code: 2 },
    { argv: ["auth", "use-service-account", `${folder}/key.json`] },
    {
      argv: ["login", "--scope", "gmail.readonly,gmail.labels,gmail.modify,adwords,drive.readonly"],
    },
    { argv: ["login", "--service", "calendar", "--log-level", "debug"] },
    { argv: ["auth", "status"] },
    { argv: ["auth", "setup", "gmail.users.labels.list"] },
    { argv: ["auth", "setup", "googleads.keywordPlanIdeas.generateKeywordIdeas"] },
    ...["auto", "byo_oauth", "service_account", "api_key"].map((strategy) => ({
      argv: ["auth", "probe", "--strategy", strategy],
    })),
    { argv: ["auth", "probe", "--strategy", "adc"] },
    { argv: ["doctor", "--format", "text"] },
    { argv: ["auth", "profiles", "--format", "text"] },
    { argv: ["config", "list"] },
    { argv: ["read", "gmail.users.labels.list", ...READ] },
    { argv: ["read", "gmail.users.messages.list", ...READ, "--max-items", "1"] },
    { argv: ["read", "drive.files.list", "--args", "{}", "--dry-run"] },
    // The emulator knows neither key nor token, and says so as Google does.
    { argv: [...GEOCODE], code: 3 },
    { argv: [...KEYWORDS], code: 3 },
    {
      argv: ["write", "gmail.users.labels.create", ...READ.slice(0, 1), '{"userId":"me"}'],
      code: 2,
    },
    {
      argv: ["code", 'gum_print(gum_call("gmail.users.labels.list", {userId: "me"}))'],
    },
    {
      argv: ["destructive", "gmail.users.labels.delete", "--args", '{"userId":"me","id":"x"}'],
      code: 5,
    },
    { argv: ["audit", "tail"] },
    { argv: ["cache", "stats"] },
    { argv: ["gain"] },
    { argv: ["mcp", "--stdio", "--log-level", "debug"] },
    {
      argv: ["--profile", "hosted", ...GEOCODE],
      env: { GUM_API_KEY: PLANTED["API key of the environment"] },
      code: 3,
    },
    { argv: ["auth", "vault", "rekey"], code: 2 },
    { argv: ["logout", "--forget-client"] },
    { argv: ["auth", "status"] },
  ];
}

/** What an MCP client sends, in order; each waits for its answer. */
function mcpRequests(): [string, JsonObject][] {
  const call = (name: string, args: JsonObject): [string, JsonObject] => [
    "tools/call",
    { name, arguments: args },
  ];
  return [
    ["initialize", {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "taint", version: "1" },
    }],
    ["tools/list", {}],
    ["resources/list", {}],
    ["resources/read", { uri: "gum://status/health" }],
    call("gum.read", { op_id: "gmail.users.labels.list", args: { userId: "me" } }),
    call("gum.read", { op_id: "maps.geocoding.geocode", args: { address: "y" } }),
    call("gum.read", { op_id: "admin.directory.users.list", args: { customer: "my_customer" } }),
    call("gum.destructive", {
      op_id: "gmail.users.labels.delete",
      args: { userId: "me", id: "Label_1" },
    }),
    call("gum.write", { op_id: "gmail.users.labels.create", args: { nonsense: "1" } }),
  ];
}

/** A server in a process of its own; every question of its is declined. */
async function serve(
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command(program, {
    args,
    cwd: ROOT,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const writer = child.stdin.getWriter();
  const send = (message: JsonObject) =>
    writer.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  const requests = mcpRequests();
  const lines = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TransformStream<string, string>(lineSplitter()));
  let stdout = "";
  let next = 0;
  const advance = async () => {
    const request = requests[next];
    if (request === undefined) return await writer.close();
    const [method, params] = request;
    await send({ id: next++, method, params });
  };
  await advance();
  for await (const line of lines) {
    stdout += line + "\n";
    const message = JSON.parse(line) as JsonObject;
    if (typeof message.method === "string") {
      if (message.id !== undefined) await send({ id: message.id, result: { action: "decline" } });
      continue;
    }
    if (message.id === 0) await send({ method: "notifications/initialized" });
    await advance();
  }
  const { code } = await child.status;
  return { code, stdout, stderr: await errors };
}

function lineSplitter(): Transformer<string, string> {
  let rest = "";
  return {
    transform(chunk, controller) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) controller.enqueue(line);
    },
  };
}

/** What the wire carried: tokens, codes, verifiers, assertions, keys. */
function wireSecrets(emulator: Emulator): Map<string, string> {
  const found = new Map<string, string>();
  const FIELDS = ["refresh_token", "client_secret", "code", "code_verifier", "assertion", "token"];
  for (const { headers, bodyText = "", query } of emulator.journal) {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (bearer !== undefined) found.set(bearer, "access token");
    for (const name of ["x-goog-api-key", "developer-token"]) {
      const value = headers[name];
      if (value !== undefined) found.set(value, name);
    }
    for (const value of query.key ?? []) found.set(value, "key parameter");
    if (bodyText.startsWith("{")) continue;
    const form = new URLSearchParams(bodyText);
    for (const name of FIELDS) {
      const value = form.get(name);
      if (value !== null && value.length >= 12) found.set(value, name);
    }
  }
  return found;
}

/** Every file below a folder as text, compressed ones opened. */
async function everyFile(folder: string): Promise<[string, string][]> {
  const texts: [string, string][] = [];
  const walk = async (at: string) => {
    for await (const entry of Deno.readDir(at)) {
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory) await walk(path);
      if (!entry.isFile) continue;
      let stream: ReadableStream<Uint8Array<ArrayBuffer>> = (await Deno.open(path)).readable;
      if (path.endsWith(".gz")) stream = stream.pipeThrough(new DecompressionStream("gzip"));
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      // Byte for byte, so that databases can be searched as well.
      texts.push([path, new TextDecoder("latin1").decode(bytes)]);
    }
  };
  await walk(folder);
  return texts;
}

Deno.test("planted secrets appear in no output, file, log or traffic of a session of processes", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    await Deno.mkdir(home);
    const keyText = await serviceAccountKey();
    await Deno.writeTextFile(`${folder}/key.json`, keyText);
    const emulator = await startEmulator({ clock: systemClock });
    // Too short for the cache between processes: each command renews, and each renewal rotates.
    emulator.identity.switches = { expiresIn: 50, rotateRefreshToken: true };
    const outputs: [string, string][] = [];
    const unexpected: string[] = [];
    try {
      for (const { argv, stdin, env, code = 0 } of session(folder)) {
        const command = [
          Deno.execPath(),
          "run",
          "-q",
          "--no-prompt",
          "-P=gum",
          `${ROOT}testdata/peer_gum.ts`,
          emulator.origin,
          ...argv,
        ] as const;
        const variables = {
          ...await isolatedEnvironment(home),
          GUM_VAULT_KEY: PLANTED["vault key"],
          GUM_LOG_LEVEL: "debug",
          GOOGLE_APPLICATION_CREDENTIALS: `${folder}/key.json`,
          ...env,
        };
        const ran = argv[0] === "mcp"
          ? await serve(command, variables)
          : await runProgram(command, { stdin, env: variables });
        if (ran.code !== code) {
          unexpected.push(`${argv.join(" ")} ended with ${ran.code}: ${ran.stderr.slice(-600)}`);
        }
        outputs.push([`stdout of ${argv.join(" ")}`, ran.stdout]);
        outputs.push([`stderr of ${argv.join(" ")}`, ran.stderr]);
      }
    } finally {
      await emulator.close();
    }
    assert.deepEqual(unexpected, []);
    const wire = wireSecrets(emulator);
    const kinds = new Set(wire.values());
    for (
      const kind of [
        "access token",
        "refresh_token",
        "client_secret",
        "code",
        "code_verifier",
        "assertion",
        "developer-token",
      ]
    ) assert.ok(kinds.has(kind), `the session used a ${kind}`);
    const lines: string[] = JSON.parse(keyText).private_key.split("\n");
    const secrets = new Map<string, string>([
      ...wire,
      ...Object.entries(PLANTED).map(([name, value]): [string, string] => [value, name]),
      ...lines.filter((line) => line.length === 64).map((line): [string, string] => [
        line,
        "private key",
      ]),
    ]);
    const files = (await everyFile(home)).map(([path, text]): [string, string] => [
      path.slice(home.length),
      text,
    ]);
    assert.ok(files.some(([path]) => path.endsWith("audit.jsonl")));
    assert.ok(files.some(([path]) => path.endsWith("credentials.vault")));
    for (const [where, text] of [...outputs, ...files]) {
      for (const [value, name] of secrets) {
        assert.ok(!text.includes(value), `${name} in ${where}`);
      }
    }
    const mcp = outputs.find(([where]) => where.startsWith("stdout of mcp"))?.[1] ?? "";
    assert.ok(mcp.trim().split("\n").length >= 8, mcp.slice(0, 2_000));
    // The search can find what is there.
    assert.ok(outputs.some(([, text]) => text.includes("mara.lindqvist@example.com")));
  });
});
