/** Reading attachments, only where the caller may read. */

import { GumError } from "../errors/mod.ts";
import { liesInOneOf } from "../files/mod.ts";
import type { AttachmentRequest } from "./fields.ts";
import { fieldError, tooLarge } from "./refusals.ts";

/** A file on its way into a message. */
export interface MailFile {
  filename: string;
  /** Absent: found by the file's name. */
  contentType?: string;
  bytes: Uint8Array;
  /** Set for an image that the HTML body shows. */
  contentId?: string;
}

/** Where paths may point. */
export type FileAccess =
  | { kind: "anywhere" }
  | {
    kind: "inside";
    directories: readonly string[];
    /** Closed, even where they lie in one of the directories. */
    closed?: readonly string[];
  };

/** Reads every attachment. @throws GumError `INVALID_ARGS`, `POLICY_DENIED` */
export async function readAttachments(
  requests: readonly AttachmentRequest[],
  allowed: { access: FileAccess; limit: number },
): Promise<MailFile[]> {
  const { limit } = allowed;
  const files: MailFile[] = [];
  let total = 0;
  for (const [index, request] of requests.entries()) {
    const file = request.kind === "path"
      ? await readFile(request.path, { ...allowed, at: `attachments[${index}]`, total })
      : request;
    total += file.bytes.length;
    if (total > limit) throw tooLarge(total, limit);
    files.push({ filename: file.filename, contentType: file.contentType, bytes: file.bytes });
  }
  return files;
}

async function readFile(
  path: string,
  place: { at: string; access: FileAccess; total: number; limit: number },
): Promise<MailFile> {
  const { at, access, limit } = place;
  if (access.kind === "inside" && access.directories.length === 0) {
    throw notAllowed(path, { at, access });
  }
  let real: string;
  let size: number;
  try {
    real = await Deno.realPath(path);
    // Judged by where the path really leads, so that a link cannot lead out.
    if (!await isReadable(real, access)) throw notAllowed(path, { at, access });
    const info = await Deno.stat(real);
    if (!info.isFile) throw fieldError(at, { message: `is not a file: ${path}` });
    size = info.size;
  } catch (error) {
    throw unreadable(error, { path, at, access });
  }
  if (place.total + size > limit) throw tooLarge(place.total + size, limit);
  try {
    return { filename: fileName(real, path), bytes: await Deno.readFile(real) };
  } catch (error) {
    throw unreadable(error, { path, at, access });
  }
}

async function isReadable(real: string, access: FileAccess): Promise<boolean> {
  if (access.kind === "anywhere") return true;
  if (await liesInOneOf(real, access.closed ?? [])) return false;
  for (const directory of access.directories) {
    const base = await Deno.realPath(directory).catch(missingDirectory);
    if (base !== undefined && isInside(real, base)) return true;
  }
  return false;
}

/** An allowed directory that does not exist allows nothing. */
function missingDirectory(error: unknown): undefined {
  if (error instanceof Deno.errors.NotFound) return undefined;
  throw error;
}

function isInside(path: string, directory: string): boolean {
  const separator = directory.includes("\\") && !directory.includes("/") ? "\\" : "/";
  const base = directory.endsWith(separator) ? directory : directory + separator;
  return path.startsWith(base);
}

/** The name the sender chose, also when it is a link. */
function fileName(real: string, given: string): string {
  const name = given.split(/[/\\]/).at(-1) || real.split(/[/\\]/).at(-1) || "attachment";
  // deno-lint-ignore no-control-regex -- a file may be called anything, a header may not
  return name.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, "_");
}

function unreadable(
  error: unknown,
  place: { path: string; at: string; access: FileAccess },
): unknown {
  const { path, at, access } = place;
  // Outside the allowed directories, whether a file exists is nobody's business.
  if (error instanceof Deno.errors.NotFound) {
    return access.kind === "inside" && !access.directories.some((base) => isInside(path, base))
      ? notAllowed(path, { at, access })
      : fieldError(at, { message: `no such file: ${path}`, reason: "file_not_found" });
  }
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return fieldError(at, { message: `cannot be read: ${path}`, reason: "file_not_readable" });
  }
  return error;
}

function notAllowed(path: string, refused: { at: string; access: FileAccess }): GumError {
  const { at, access } = refused;
  return new GumError("POLICY_DENIED", {
    message: `${at}: ${path} is outside the directories that attachments may come from`,
    userMessage: "This file may not be attached.",
    suggestion: "Attach it as {filename, content_type, data_base64}, or have an operator add its " +
      "directory to media.dirs.",
    details: {
      reason: "attachment_path_not_allowed",
      field: at,
      rule: "media.dirs",
      allowed_directories: access.kind === "inside" ? [...access.directories] : [],
    },
    retryable: false,
  });
}
