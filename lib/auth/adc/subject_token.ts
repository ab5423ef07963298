/** What a federated host says of itself: from a file, an address or a program (spec 05 §3.11). */

import { OversizeFailure, TransportFailure } from "../../errors/wire/mod.ts";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { AuthError } from "../errors.ts";
import { redacted } from "../redact.ts";
import { runTool, type ToolResult } from "../store/tool.ts";
import { readKeyFile } from "../service_account/stored_key.ts";
import type { AuthParts } from "../types.ts";
import { ADC_REPORT, impersonatedEmail, textField, unusableFile } from "./document.ts";

const TOKEN_CAP = 64 * 1024;
const FETCH_MS = 10_000;
const PROGRAM_MS = 30_000;
const PROGRAM_MS_RANGE = [5_000, 120_000] as const;
const ALLOW_PROGRAMS = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES";

/** Hosts that only this machine can reach; everything else needs TLS. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set([
  "127.0.0.1",
  "localhost",
  "[::1]",
  "169.254.169.254",
  "[fd00:ec2::254]",
  "metadata.google.internal",
]);

/** What the token is asked for. */
export interface SubjectRequest {
  document: JsonObject;
  path: string;
  audience: string;
  subjectTokenType: string;
}

/** The host's own token. @throws AuthError `ADC_TOKEN_FETCH_FAILED`; no message quotes a token. */
export async function subjectToken(parts: AuthParts, asked: SubjectRequest): Promise<string> {
  const { document, path } = asked;
  const { credential_source: source } = document;
  if (!isJsonObject(source)) throw unusableFile(path, 'it has no "credential_source"');
  if (isJsonObject(source.executable)) {
    return await fromProgram(parts, { ...asked, program: source.executable });
  }
  if (textField(source, "environment_id")?.startsWith("aws") === true) {
    const { awsSubjectToken } = await import("./aws_subject.ts");
    return await awsSubjectToken(parts, { source, path, audience: asked.audience });
  }
  const file = textField(source, "file");
  const address = textField(source, "url");
  if (file !== undefined) return tokenIn(await readSource(file, path), { source, path });
  if (address !== undefined) {
    return tokenIn(await fetchText(parts, { address, headers: headersOf(source), path }), {
      source,
      path,
    });
  }
  throw unusableFile(path, "its credential source is none of file, url, executable and aws");
}

async function readSource(file: string, path: string): Promise<string> {
  try {
    return await readKeyFile(file);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    throw sourceFailure(path, `its token file cannot be read: ${file}`);
  }
}

/** Text from an address that the file names. @throws AuthError */
export async function fetchText(
  parts: AuthParts,
  asked: { address: string; headers: Record<string, string>; path: string; method?: string },
): Promise<string> {
  const { address, path } = asked;
  if (!URL.canParse(address)) throw unusableFile(path, "its source address is none");
  const url = new URL(address);
  const local = url.protocol === "http:" && LOCAL_HOSTS.has(url.hostname);
  if (url.protocol !== "https:" && !local) {
    throw unusableFile(path, "its source address is neither https nor on this machine");
  }
  let status: number;
  try {
    const answer = await parts.http.send({
      method: asked.method ?? "GET",
      url,
      headers: asked.headers,
      capBytes: TOKEN_CAP,
      timeoutMs: FETCH_MS,
    }, parts.lifetime);
    if (answer.url.href !== url.href) throw sourceFailure(path, `${url.host} redirected`);
    if (answer.status === 200) return new TextDecoder().decode(answer.body);
    status = answer.status;
  } catch (error) {
    const unreachable = error instanceof TransportFailure || error instanceof OversizeFailure ||
      error instanceof Deno.errors.NotCapable;
    if (!unreachable) throw error;
    throw sourceFailure(
      path,
      error instanceof Deno.errors.NotCapable
        ? `this build may not connect to ${url.host}`
        : `${url.host} could not be asked`,
      error,
    );
  }
  throw sourceFailure(path, `${url.host} answered HTTP ${status}`);
}

function headersOf(source: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!isJsonObject(source.headers)) return headers;
  for (const [name, value] of Object.entries(source.headers)) {
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

/** The token in a text, by the format that the file declares. */
function tokenIn(text: string, from: { source: JsonObject; path: string }): string {
  const { source, path } = from;
  const format = isJsonObject(source.format) ? source.format : {};
  let token: string | undefined;
  if (format.type === "json") {
    const field = textField(format, "subject_token_field_name");
    if (field === undefined) throw unusableFile(path, "its format names no token field");
    token = textField(jsonOr(text, path), field);
  } else {
    token = text.trim() === "" ? undefined : text.trim();
  }
  if (token === undefined) throw sourceFailure(path, "its source gave no token");
  return token;
}

async function fromProgram(
  parts: AuthParts,
  asked: SubjectRequest & { program: JsonObject },
): Promise<string> {
  const { program, path } = asked;
  if (!parts.environment.isOne(ALLOW_PROGRAMS)) {
    throw new AuthError({
      ...ADC_REPORT,
      remediation: `the host's credential file starts a program, which needs ${ALLOW_PROGRAMS}=1`,
      userMessage: "The host's credentials come from a program, and programs named in a file run " +
        `only when ${ALLOW_PROGRAMS}=1 is set for gum.`,
      suggestion: `Set ${ALLOW_PROGRAMS}=1 if you trust the file, then repeat the call.`,
      details: { source: path },
    });
  }
  const command = textField(program, "command");
  if (command === undefined) throw unusableFile(path, "its program has no command");
  const output = textField(program, "output_file");
  if (output !== undefined) {
    const kept = await keptAnswer(parts, { ...asked, output });
    if (kept !== undefined) return kept;
  }
  const email = impersonatedEmail(asked.document);
  const result = await runTool({
    ...started(words(command)),
    environment: parts.environment,
    extra: {
      [ALLOW_PROGRAMS]: "1",
      GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE: asked.audience,
      GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE: asked.subjectTokenType,
      GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE: "0",
      ...(email === undefined ? {} : { GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL: email }),
      ...(output === undefined ? {} : { GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE: output }),
    },
    signal: parts.lifetime,
    timeoutMs: programTimeout(program),
  });
  return programToken(parts, asked, result);
}

/** `env` starts it: the one launcher that this build may run besides the tools it knows. */
function started(argv: readonly string[]): { command: string; args: readonly string[] } {
  const [program = "", ...args] = argv;
  return Deno.build.os === "windows"
    ? { command: program, args }
    : { command: "env", args: ["--", ...argv] };
}

/** Words of a command line: split at spaces, double quotes keep them together. No shell. */
function words(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

function programTimeout(program: JsonObject): number {
  const asked = Number(program.timeout_millis ?? PROGRAM_MS);
  const [least, most] = PROGRAM_MS_RANGE;
  return Number.isFinite(asked) ? Math.min(Math.max(asked, least), most) : PROGRAM_MS;
}

function programToken(parts: AuthParts, asked: SubjectRequest, result: ToolResult): string {
  const { path } = asked;
  switch (result.kind) {
    case "timeout":
      throw sourceFailure(path, "its program did not end in time");
    case "not_started":
      throw sourceFailure(
        path,
        result.reason === "missing"
          ? "its program is not there"
          : "this build may not start programs",
      );
    case "exited":
      if (result.code !== 0) {
        throw sourceFailure(path, `its program ended with exit code ${result.code}`);
      }
      return answeredToken(parts, { ...asked, answer: jsonOr(result.stdout, path) });
  }
}

/** The answer of an earlier run, while it holds. */
async function keptAnswer(
  parts: AuthParts,
  asked: SubjectRequest & { output: string },
): Promise<string | undefined> {
  let text: string;
  try {
    text = await readKeyFile(asked.output);
  } catch (error) {
    // The first run has not written it yet.
    if (error instanceof AuthError) return undefined;
    throw error;
  }
  if (text.trim() === "") return undefined;
  const answer = jsonOr(text, asked.path);
  const expires = Number(answer.expiration_time);
  if (answer.success !== true || !(expires * 1_000 > parts.clock.now())) return undefined;
  return answeredToken(parts, { ...asked, answer });
}

function answeredToken(
  parts: AuthParts,
  asked: SubjectRequest & { answer: JsonObject },
): string {
  const { answer, path } = asked;
  if (Number(answer.version) !== 1) {
    throw sourceFailure(path, "its program answers in an unknown version");
  }
  if (answer.success !== true) {
    const said = `${textField(answer, "code") ?? ""} ${textField(answer, "message") ?? ""}`.trim();
    throw sourceFailure(path, `its program reports a failure: ${redacted(said, [])}`);
  }
  if (
    answer.expiration_time !== undefined &&
    !(Number(answer.expiration_time) * 1_000 > parts.clock.now())
  ) throw sourceFailure(path, "its program gave a token that has expired");
  const saml = textField(answer, "token_type") === "urn:ietf:params:oauth:token-type:saml2";
  const token = textField(answer, saml ? "saml_response" : "id_token");
  if (token === undefined) throw sourceFailure(path, "its program gave no token");
  return token;
}

function jsonOr(text: string, path: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // The text may hold a token, so it is not quoted.
  }
  throw sourceFailure(path, "its source answered something other than a JSON object");
}

/** The error for a source that gave nothing usable. */
export function sourceFailure(path: string, why: string, cause?: unknown): AuthError {
  return new AuthError({
    ...ADC_REPORT,
    remediation: `the host's own token could not be had: ${why}`,
    details: { source: path },
    cause,
  });
}
