/**
 * Ten tasks of an agent, done twice on the same emulated account: with GUM over a real MCP
 * connection, and with a naive server of one tool for each operation that hands on what Google
 * answers. Counted is every token that enters the model's context, once: the tool list, each call,
 * each result.
 *
 * @module
 */

import { InMemoryTransport } from "@modelcontextprotocol/client";
import { serveStdio as serveConnection } from "@modelcontextprotocol/server/stdio";
import { loadCatalog } from "../lib/catalog/mod.ts";
import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../lib/json/mod.ts";
import { openSession, type Session } from "../lib/session/mod.ts";
import type { TokenCounter } from "../lib/tokens/mod.ts";
import { createMcpSurface } from "../mcp/mod.ts";
import { type NaiveSchema, naiveTools } from "./gain_replay_naive.ts";
import { connectRaw, type RawClient } from "./gain_replay_server.ts";
import { steppingClock } from "./record_release_fixtures.ts";
import { SCENARIOS } from "./scenarios_plan.ts";
import type { ClientTransport } from "./stdio_peer.ts";

/** What an agent sees and does, on either side. */
export interface Agent {
  /** Calls a tool and reads its answer. */
  call(tool: string, args: JsonObject): Promise<string>;
}

/** One task, written for both sides. */
export interface Scenario {
  name: string;
  /** With GUM's tools. */
  gum(agent: Agent, known: JsonObject): Promise<void>;
  /** With one tool for each operation; gives what the task needs to know. */
  naive(agent: NaiveAgent): Promise<{ known: JsonObject; facts: string[] }>;
}

/** The naive side: answers are JSON. */
export interface NaiveAgent {
  call(op: string, args: JsonObject): Promise<JsonValue>;
}

/** Tokens of one side. */
export interface SideTokens {
  tools: number;
  calls: number;
  results: number;
  /** How many calls it took. */
  count: number;
  /** Results as a client shows them that hands the model `structuredContent` instead of the text. */
  structured: number;
}

/** What became of one scenario. */
export interface ScenarioResult {
  name: string;
  gum: SideTokens;
  naive: SideTokens;
  facts: number;
  missing: string[];
}

/** Sum of a side. */
export function sideTotal(side: SideTokens): number {
  return side.tools + side.calls + side.results;
}

/** Plays every scenario on both sides. */
export async function playScenarios(
  count: TokenCounter,
  options: { schema?: NaiveSchema } = {},
): Promise<ScenarioResult[]> {
  const list = count(JSON.stringify({ tools: naiveTools(loadCatalog(), options.schema) }));
  const results: ScenarioResult[] = [];
  for (const scenario of SCENARIOS) {
    const naive: SideTokens = { tools: list, calls: 0, results: 0, count: 0, structured: 0 };
    const { known, facts } = await withSession((session) =>
      scenario.naive(naiveAgent(session, { side: naive, count }))
    );
    const gum: SideTokens = { tools: 0, calls: 0, results: 0, count: 0, structured: 0 };
    const transcript = await withSession((session) =>
      playGum(session, { scenario, side: gum, count, known })
    );
    results.push({
      name: scenario.name,
      gum,
      naive,
      facts: facts.length,
      missing: facts.filter((fact) => !tells(transcript, fact)),
    });
  }
  return results;
}

/** A text that stands in JSON or in a TOON cell is escaped there. */
function tells(transcript: string, fact: string): boolean {
  const escaped = JSON.stringify(fact).slice(1, -1);
  return [fact, escaped, fact.replaceAll('"', '""'), JSON.stringify(escaped).slice(1, -1)]
    .some((form) => transcript.includes(form));
}

async function withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
  const data = await Deno.makeTempDir({ prefix: "gum-scenario-" });
  const session = await openSession({
    profileName: "scenario",
    emulator: true,
    clock: steppingClock(),
    directories: { data },
  });
  try {
    return await use(session);
  } finally {
    await session.close();
    await Deno.remove(data, { recursive: true });
  }
}

function naiveAgent(
  session: Session,
  account: { side: SideTokens; count: TokenCounter },
): NaiveAgent {
  const { side, count } = account;
  return {
    async call(op, args) {
      side.count++;
      side.calls += count(JSON.stringify({ name: op, arguments: args }));
      const body = await plainAnswer(session, { op, args });
      side.results += count(body);
      side.structured += count(body);
      return body.trim() === "" ? null : parseJson(body);
    },
  };
}

/** What Google answers, byte for byte; consent is not asked for. */
async function plainAnswer(
  session: Session,
  request: { op: string; args: JsonObject },
): Promise<string> {
  const op = session.catalog.findOp(request.op);
  const variant = op?.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
  const invocation = {
    opId: request.op,
    args: request.args,
    format: "raw" as const,
    suppressFieldMask: true,
    allowWrite: variant?.risk_class !== "read",
    allowDestructive: variant?.risk_class === "destructive",
  };
  const response = await session.kernel.dispatch(invocation).catch((cause) => {
    const token = cause instanceof GumError ? cause.details.confirmation_token : undefined;
    if (typeof token !== "string") throw new Error(`${request.op} has no answer`, { cause });
    return session.kernel.dispatch({ ...invocation, confirmed: true, confirmationToken: token });
  });
  return new TextDecoder().decode(response.upstreamBytes ?? response.body);
}

async function playGum(
  session: Session,
  play: { scenario: Scenario; side: SideTokens; count: TokenCounter; known: JsonObject },
): Promise<string> {
  const { side, count } = play;
  const surface = createMcpSurface(session, { version: "scenario" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveConnection(surface.connection(), { transport: far });
  const client = await connectRaw(near as unknown as ClientTransport);
  let transcript = "";
  try {
    side.tools = count(JSON.stringify(await client.request("tools/list")));
    await play.scenario.gum({
      async call(tool, args) {
        let text = await counted(client, { tool, args, side, count });
        const token = /"confirmation_token":"([^"]+)"/.exec(text)?.[1];
        if (text.includes('"REQUIRES_CONFIRMATION"') && token !== undefined) {
          const confirmed = { ...args, confirmed: true, confirmation_token: token };
          text = await counted(client, { tool, args: confirmed, side, count });
        }
        if (/^\{"error_code"/.test(text)) throw new Error(`${tool}: ${text}`);
        transcript += `${text}\n`;
        return text;
      },
    }, play.known);
  } finally {
    await client.close();
    await handle.close();
  }
  return transcript;
}

/** A call and everything the model is shown of its result. */
async function counted(
  client: RawClient,
  call: { tool: string; args: JsonObject; side: SideTokens; count: TokenCounter },
): Promise<string> {
  const { tool, args, side, count } = call;
  const request = { name: tool, arguments: args };
  side.count++;
  side.calls += count(JSON.stringify(request));
  const { content, structuredContent } = await client.request("tools/call", request);
  const text = (Array.isArray(content) ? content : []).map((block) =>
    isJsonObject(block) && typeof block.text === "string" ? block.text : JSON.stringify(block)
  ).join("\n");
  side.results += count(text);
  side.structured += structuredContent === undefined
    ? count(text)
    : count(JSON.stringify(structuredContent));
  return text;
}

if (import.meta.main) {
  const { loadTokenCounter } = await import("../lib/tokens/mod.ts");
  const count = await loadTokenCounter();
  for (const schema of ["request_schema", "request_fields"] as const) {
    const results = await playScenarios(count, { schema });
    let [gum, naive] = [0, 0];
    for (const result of results) {
      gum += sideTotal(result.gum);
      naive += sideTotal(result.naive);
      console.log(JSON.stringify(result));
    }
    console.log(`${schema}: ${naive} → ${gum}, ${(100 * (1 - gum / naive)).toFixed(1)} % saved`);
  }
}
