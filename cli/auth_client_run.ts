/** What `gum auth use-oauth-client` and `use-service-account` do. */

import { secret } from "../lib/auth/mod.ts";
import type { Secret } from "../lib/dispatch/types.ts";
import { isJsonObject } from "../lib/json/mod.ts";
import { invalidArg, UsageError } from "./errors.ts";
import { namedFileText } from "./named_file.ts";
import { withOperatorAuth } from "./operator_auth.ts";
import { readSecret } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

const FILE_LIMIT = 64 * 1024;

/** Runs `gum auth use-oauth-client`. */
export async function runUseClient(context: CommandContext): Promise<void> {
  const { flags, host, profile, signal } = context;
  const hosted = flags.on("hosted");
  const client = await chosenClient(context);
  await withOperatorAuth(context, (auth) => auth.useOAuthClient({ ...client, hosted, signal }));
  const report = {
    profile,
    client_id: client.id,
    secret_stored: client.secret !== undefined,
    ...(hosted ? { hosted } : { next: "gum login" }),
  };
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
}

async function chosenClient(
  context: CommandContext,
): Promise<{ id: string; secret?: Secret }> {
  const { flags } = context;
  const path = flags.text("client-json");
  if (path !== undefined) {
    for (const other of ["client-id", "secret-stdin", "secret-file"]) {
      if (flags.changed(other)) throw invalidArg(`--${other}`, "excludes --client-json");
    }
    const kind = flags.on("hosted") ? "web" : "installed";
    return await readClientFile(context, { path, kind });
  }
  const id = flags.text("client-id")?.trim() ?? "";
  if (id === "") {
    throw new UsageError(
      "required flag --client-id is missing; --client-json <file> stands for it",
    );
  }
  if (flags.on("secret-stdin") && flags.changed("secret-file")) {
    throw invalidArg("--secret-file", "excludes --secret-stdin");
  }
  const file = flags.text("secret-file");
  if (file === undefined && !flags.on("secret-stdin")) return { id };
  const value = await readSecret(context, { what: "client secret", file });
  return { id, secret: value };
}

/** The file that Google's console offers for a client: `installed` = Desktop app, `web` = Web. */
export async function readClientFile(
  context: CommandContext,
  { path, kind }: { path: string; kind: "installed" | "web" },
): Promise<{ id: string; secret?: Secret }> {
  let document: unknown;
  try {
    document = JSON.parse(await namedFileText(context, { path, limit: FILE_LIMIT }));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidArg(path, "is not JSON");
  }
  const found = isJsonObject(document) ? document[kind] : undefined;
  if (!isJsonObject(found)) throw invalidArg(path, wrongKind(document, kind));
  const { client_id: id, client_secret: value } = found;
  if (typeof id !== "string" || id === "") throw invalidArg(path, "names no client_id");
  return {
    id,
    ...(typeof value === "string" && value !== "" ? { secret: secret(value) } : {}),
  };
}

function wrongKind(document: unknown, wanted: "installed" | "web"): string {
  if (wanted === "web") return "is not for a client of type Web application";
  return isJsonObject(document) && isJsonObject(document.web)
    ? "is for a web client; create one of type Desktop app"
    : 'has no "installed" client';
}

/** Runs `gum auth use-service-account`. */
export async function runUseServiceAccount(context: CommandContext): Promise<void> {
  const { flags, host, profile, signal, words } = context;
  const path = words[0] ?? "";
  // A key pasted as an argument must not be repeated in the refusal.
  if (/[{"\n]/.test(path)) {
    throw invalidArg(
      undefined,
      "the key itself is never an argument: shells keep a history, and `ps` shows it to " +
        "everybody; name its file",
    );
  }
  const keyText = await namedFileText(context, { path, limit: FILE_LIMIT });
  const subject = flags.text("subject")?.trim();
  const stored = await withOperatorAuth(context, (auth) =>
    auth.useServiceAccount({
      keyText,
      ...(subject === undefined || subject === "" ? {} : { subject }),
      signal,
    }));
  const report = {
    profile,
    client_email: stored.clientEmail,
    subject: subject || null,
    subject_fingerprint: stored.fingerprint,
    next: "gum auth probe --strategy service_account",
  };
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
}
