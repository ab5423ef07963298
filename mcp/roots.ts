/** Project roots of a client (spec 01 §3.7, 03 §3.3): asked once, sticky, and only `file://`. */

import { GumError } from "../lib/errors/mod.ts";
import { isJsonObject, type JsonValue } from "../lib/json/mod.ts";
import type { InputNeeded, ToolCall } from "./types.ts";

/** Key of the input request. */
export const ROOTS_KEY = "gum.roots";

/** The roots of the connection, or the question to ask first. */
export type RootsOutcome =
  | { kind: "roots"; roots: string[] }
  | { kind: "ask"; input: InputNeeded };

/** The chosen root of a call; empty when project-local profiles are off. */
export interface ProjectRoot {
  projectRootUri?: string;
  projectRootPath?: string;
}

/** The client's roots: from the connection, from an earlier answer, or by asking once. */
export async function negotiateRoots(call: ToolCall): Promise<RootsOutcome> {
  const { connection } = call;
  if (connection.roots !== undefined) return { kind: "roots", roots: connection.roots };
  if (!isJsonObject(call.clientCapabilities.roots)) return { kind: "roots", roots: [] };
  if (connection.era === "modern" && call.inputResponses === undefined) {
    return {
      kind: "ask",
      input: { inputRequests: { [ROOTS_KEY]: { method: "roots/list" } } },
    };
  }
  // A later round of a call does not ask again, on either style.
  const answer = call.inputResponses === undefined
    ? await askOnce(call)
    : call.inputResponses[ROOTS_KEY];
  const roots = fileRoots(answer);
  if (roots === undefined) return { kind: "roots", roots: [] };
  // A concurrent call may have been answered first; whichever it was stays.
  connection.roots ??= roots;
  return { kind: "roots", roots: connection.roots };
}

/** Calls that run at the same time share one question. */
function askOnce(call: ToolCall): Promise<JsonValue | undefined> {
  const { connection } = call;
  connection.rootsQuestion ??= call.askRoots().finally(() => delete connection.rootsQuestion);
  return connection.rootsQuestion;
}

/** The `file://` URIs of a `roots/list` answer, in order; undefined when it is no such answer. */
function fileRoots(answer: JsonValue | undefined): string[] | undefined {
  if (!isJsonObject(answer) || !Array.isArray(answer.roots)) return undefined;
  const uris = answer.roots.map((root) => isJsonObject(root) ? root.uri : undefined);
  return uris.filter((uri): uri is string =>
    typeof uri === "string" && uri.startsWith("file://") && filePath(uri) !== undefined
  );
}

/** Directories behind the roots of a client. */
export function rootPaths(roots: readonly string[]): string[] {
  return roots.flatMap((root) => filePath(root) ?? []);
}

/**
 * Picks the root of a call by `_meta.gumRoot`.
 *
 * @throws GumError `PROJECT_ROOT_REQUIRED` when several roots leave the choice open, or the choice
 * is not one of them.
 */
export function selectRoot(roots: readonly string[], gumRoot: JsonValue | undefined): ProjectRoot {
  if (roots.length === 0) return {};
  const wanted = typeof gumRoot === "string" ? gumRoot : undefined;
  if (wanted === undefined) {
    const [only, ...others] = roots;
    if (only === undefined || others.length > 0) {
      throw rootRequired(roots, { reason: "missing_gumroot_in_multi_root_session", supplied: "" });
    }
    return projectRoot(only);
  }
  if (!wanted.startsWith("file://")) {
    throw rootRequired(roots, { reason: "gumroot_not_file_uri", supplied: wanted });
  }
  if (!roots.includes(wanted)) {
    throw rootRequired(roots, { reason: "gumroot_not_in_negotiated_set", supplied: wanted });
  }
  return projectRoot(wanted);
}

const REASONS = {
  missing_gumroot_in_multi_root_session:
    "this session has several project roots and none was named",
  gumroot_not_file_uri: "_meta.gumRoot is not a file:// URI",
  gumroot_not_in_negotiated_set: "_meta.gumRoot is not one of this session's roots",
};

function rootRequired(
  roots: readonly string[],
  refusal: { reason: keyof typeof REASONS; supplied: string },
): GumError {
  return new GumError("PROJECT_ROOT_REQUIRED", {
    message: REASONS[refusal.reason],
    userMessage: "GUM cannot tell which project this call belongs to.",
    suggestion: "Set _meta.gumRoot to one of negotiated_roots.",
    details: {
      negotiated_roots: [...roots],
      reason: refusal.reason,
      supplied_root: refusal.supplied,
    },
    retryable: false,
  });
}

function projectRoot(uri: string): ProjectRoot {
  const path = filePath(uri);
  return path === undefined ? {} : { projectRootUri: uri, projectRootPath: path };
}

/** The path of a `file://` URI; undefined when it cannot be decoded or names another host. */
function filePath(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url === null || url.protocol !== "file:" || (url.host !== "" && url.host !== "localhost")) {
    return undefined;
  }
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
  const drive = /^\/([A-Za-z]:)(\/.*)?$/.exec(path);
  return drive === null ? path : path.slice(1).replaceAll("/", "\\");
}
