/** Starting and stopping an emulator. */

import { type ConnectionRelay, startConnectionRelay } from "./connection_relay.ts";
import { answerControl, namesThisMachine } from "./control.ts";
import { developerToken, emulatedAccount } from "./credentials.ts";
import { defaultLogger } from "../log/mod.ts";
import { Frame } from "./frame.ts";
import { IdentityProvider } from "./identity.ts";
import { OperationRegistry } from "./operations.ts";
import { HOST_PREFIX, rewriteUrl } from "./rewrite.ts";
import type { Emulator, EmulatorOptions } from "./types.ts";
import { worldAccounts, worldClock } from "./world.ts";

const CONTROL_PREFIX = "/_control/";

/**
 * Starts an emulator on loopback.
 *
 * @throws Deno.errors.AddrInUse when the asked port is taken.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const seed = options.seed ?? 1;
  const clock = options.clock ?? worldClock;
  const accounts = await Promise.all(
    worldAccounts(options.accounts ?? 0).map((person, index) =>
      emulatedAccount(person, { seed, index })
    ),
  );
  const closing = new AbortController();
  const operations = new OperationRegistry();
  const identity = new IdentityProvider({ accounts, seed });
  const frame = new Frame({
    seed,
    clock,
    accounts,
    developerToken: developerToken(seed),
    identity,
    operations,
    closing: closing.signal,
  });
  /** Answers under way: the server ends without waiting for them. */
  const answering = new Set<Promise<Response>>();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: closing.signal,
    onListen() {},
    onError: (error) => {
      // A defect of the emulator itself: visible to whoever tests against it.
      const text = error instanceof Error ? error.stack ?? error.message : String(error);
      defaultLogger().log("error", "emulator failure", { error: text });
      return new Response(`emulator failure: ${text}\n`, { status: 500 });
    },
  }, (request, info) => {
    const url = new URL(request.url);
    const authority = `127.0.0.1:${relay.port}`;
    if (url.pathname.startsWith(CONTROL_PREFIX)) {
      return answerControl(request, { frame, path: url.pathname, authority });
    }
    if (!namesThisMachine(request, authority)) {
      return new Response("gum emulator: this is not the host you mean\n", { status: 421 });
    }
    const target = splitTarget(request.url, url);
    if (target === undefined) {
      return new Response("gum emulator: use /_host/<google host>/…\n", { status: 404 });
    }
    const answer = frame.answer({
      request,
      ...target,
      query: url.searchParams,
      connection: relay.connectionOf(info.remoteAddr.port),
    });
    answering.add(answer);
    const forget = () => answering.delete(answer);
    answer.then(forget, forget);
    return answer;
  });
  let relay: ConnectionRelay;
  try {
    relay = startConnectionRelay({ port: options.port ?? 0, targetPort: server.addr.port });
  } catch (error) {
    closing.abort();
    await server.finished;
    throw error;
  }
  const origin = `http://127.0.0.1:${relay.port}`;
  const [first] = accounts;
  if (first === undefined) throw new Error("the world has no account");
  let closed: Promise<void> | undefined;
  return {
    origin,
    account: {
      email: first.person.email,
      displayName: first.person.displayName,
      fingerprint: first.fingerprint,
    },
    credentials: {
      bearer: first.bearer,
      apiKey: first.apiKey,
      developerToken: frame.options.developerToken,
    },
    accounts: accounts.map((account) => ({
      email: account.person.email,
      displayName: account.person.displayName,
      fingerprint: account.fingerprint,
      bearer: account.bearer,
      apiKey: account.apiKey,
    })),
    rewrite: (url) => rewriteUrl(url, origin),
    journal: frame.journal,
    clearJournal: () => {
      frame.journal.length = 0;
    },
    addFault: (fault) => frame.faults.add(fault),
    clearFaults: () => frame.faults.clear(),
    startOperation: (operation) => operations.start(operation),
    identity,
    inspect: () => frame.inspect(),
    close() {
      closed ??= (async () => {
        closing.abort(new DOMException("the emulator is closing", "AbortError"));
        await relay.close();
        await server.finished;
        await Promise.allSettled(answering);
      })();
      return closed;
    },
  };
}

/** Host and raw path of a request; undefined when it names no host. */
function splitTarget(raw: string, url: URL): { host: string; path: string } | undefined {
  if (!url.pathname.startsWith(HOST_PREFIX)) return undefined;
  const start = raw.indexOf(HOST_PREFIX) + HOST_PREFIX.length;
  const end = raw.search(/[?#]/);
  const rest = end === -1 ? raw.slice(start) : raw.slice(start, end);
  const slash = rest.indexOf("/");
  const host = (slash === -1 ? rest : rest.slice(0, slash)).toLowerCase();
  if (!/^[a-z0-9.-]+$/.test(host)) return undefined;
  return { host, path: slash === -1 ? "/" : rest.slice(slash) };
}
