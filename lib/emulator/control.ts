/** The control endpoint, `/_control/…`: journal, faults, state, operations. Loopback only. */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json/mod.ts";
import { readFault } from "./faults.ts";
import type { Frame } from "./frame.ts";
import type { IdentitySwitches } from "./identity.ts";
import { journalLine, journalSummary } from "./journal.ts";
import { readOperation } from "./operations.ts";

/**
 * Answers a control request.
 *
 * Requests that a web page could have sent (an `Origin`, a foreign `Host`) are refused.
 */
export async function answerControl(
  request: Request,
  options: { frame: Frame; path: string; authority: string },
): Promise<Response> {
  if (request.headers.has("origin") || !namesThisMachine(request, options.authority)) {
    return json({ error: "control requests come from this machine only" }, 403);
  }
  try {
    return await route(request, options);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    return json({ error: error.message }, 400);
  }
}

/**
 * Whether a request was addressed to loopback by name. A page whose own name was made to point here
 * sends that name.
 */
export function namesThisMachine(request: Request, authority: string): boolean {
  const host = request.headers.get("host") ?? "";
  const port = authority.slice(authority.lastIndexOf(":"));
  return host === `127.0.0.1${port}` || host === `localhost${port}`;
}

async function route(
  request: Request,
  { frame, path }: { frame: Frame; path: string },
): Promise<Response> {
  const key = `${request.method} ${path}`;
  switch (key) {
    case "GET /_control/journal":
      return new Response(frame.journal.map((entry) => `${journalLine(entry)}\n`).join(""), {
        headers: { "content-type": "application/x-ndjson; charset=utf-8" },
      });
    case "DELETE /_control/journal":
      frame.journal.length = 0;
      return new Response(null, { status: 204 });
    case "GET /_control/summary":
      return json(journalSummary(frame.journal));
    case "GET /_control/faults":
      return json({ faults: frame.faults.list() });
    case "POST /_control/faults": {
      const added = frame.faults.add(readFault(await bodyOf(request)));
      return json({ id: added.id }, 201);
    }
    case "DELETE /_control/faults":
      frame.faults.clear();
      return new Response(null, { status: 204 });
    case "GET /_control/inspect":
      return json(frame.inspect());
    case "GET /_control/operations":
      return json({ operations: frame.options.operations.inspect() });
    case "POST /_control/operations":
      return json(frame.options.operations.start(readOperation(await bodyOf(request))), 201);
    case "PUT /_control/identity": {
      const body = await bodyOf(request);
      if (!isJsonObject(body)) throw new TypeError("identity switches are an object");
      frame.options.identity.switches = body as IdentitySwitches;
      return new Response(null, { status: 204 });
    }
    case "GET /_control/connection":
      return json(connectionOf(frame));
    case "GET /_control/accounts":
      return json({
        accounts: frame.options.accounts.map(({ person, fingerprint }) => ({
          email: person.email,
          display_name: person.displayName,
          fingerprint,
        })),
      });
  }
  const id = /^DELETE \/_control\/faults\/([0-9]{1,9})$/.exec(key)?.[1];
  if (id !== undefined) {
    return frame.faults.remove(Number(id))
      ? new Response(null, { status: 204 })
      : json({ error: "no such fault" }, 404);
  }
  return json({ error: "no such control route" }, 404);
}

/** What another process needs to call this emulator as the seeded account. */
function connectionOf({ options }: Frame): JsonObject {
  const [first] = options.accounts;
  if (first === undefined) throw new TypeError("the world has no account");
  return {
    account: {
      email: first.person.email,
      display_name: first.person.displayName,
      fingerprint: first.fingerprint,
    },
    accounts: options.accounts.map(({ person, fingerprint, bearer, apiKey }) => ({
      email: person.email,
      display_name: person.displayName,
      fingerprint,
      bearer,
      api_key: apiKey,
    })),
    credentials: {
      bearer: first.bearer,
      api_key: first.apiKey,
      developer_token: options.developerToken,
    },
  };
}

async function bodyOf(request: Request): Promise<JsonValue> {
  return parseJson(await request.text());
}

function json(body: JsonObject, status = 200): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
  });
}
