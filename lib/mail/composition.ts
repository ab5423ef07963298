/** The layer around the kernel that writes messages before anything is hashed or judged. */

import type { CatalogSnapshot, Op } from "../catalog/types.ts";
import type { Invocation, Kernel, ShapedResponse } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { isJsonObject, type JsonObject } from "../json/mod.ts";
import type { FileAccess } from "./attachments.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";
import { type MailRequest, readMailRequest, refuseMistyped } from "./fields.ts";
import {
  argsWithMessage,
  type MailOperation,
  mailOperation,
  type MessageParts,
  messageParts,
} from "./operations.ts";
import type { ReadOperation } from "./original.ts";
import { fieldError, messageMissing } from "./refusals.ts";
import type { WrittenMail } from "./written_mail.ts";

/** What the layer is made from. */
export interface MailCompositionOptions {
  /** Resolves aliases of the mail operations. */
  catalog: Pick<CatalogSnapshot, "findOp">;
  /**
   * Directories that attachments may come from (`media.dirs`), absolute. On the command line any
   * path may be named; elsewhere nothing outside these and the project root is read.
   */
  attachmentDirectories?: readonly string[];
  /** Directories that nobody but a person at a terminal attaches files from. */
  closedDirectories?: readonly string[];
  /** The kernel can move files, so a message too large for a field travels as an upload. */
  uploads?: boolean;
}

/** Accepted on every operation, so never taken for a mistyped field of a message. */
const SYSTEM_ARGUMENTS = ["fields", "alt", "prettyPrint", "quotaUser", "userIp", "uploadType"];

/** A kernel whose mail operations also take a message in plain fields (spec 11 §3). */
export function withMailComposition(kernel: Kernel, options: MailCompositionOptions): Kernel {
  return {
    ...kernel,
    dispatch: async (invocation, signal) => {
      const op = options.catalog.findOp(invocation.opId);
      const operation = op === undefined ? undefined : mailOperation(op.op_id);
      const parts = operation === undefined ? undefined : messageParts(operation, invocation.args);
      if (op === undefined || operation === undefined) {
        return await kernel.dispatch(invocation, signal);
      }
      if (parts === undefined) {
        if (hasMessage(operation, invocation)) return await kernel.dispatch(invocation, signal);
        await rehearsal(kernel, { invocation, signal });
        throw named(messageMissing(), op);
      }
      const writing = { kernel, options, invocation, op, operation, parts };
      const written = await write(writing, signal).catch((error) => {
        throw error instanceof GumError ? named(error, op) : error;
      });
      const { bytes } = written;
      return bytes.length <= MAX_MESSAGE_BYTES
        ? await kernel.dispatch(withBytes(writing, written), signal)
        : await asUpload(writing, written, (upload) => kernel.dispatch(upload, signal));
    },
  };
}

/** False for a call that would ask to send, and to confirm, nothing at all. */
function hasMessage(operation: MailOperation, { args, media }: Invocation): boolean {
  if (!operation.sends || operation.holder !== "body" || media !== undefined) return true;
  const body = isJsonObject(args.body) ? args.body : {};
  return [args.raw, body.raw].some((raw) => raw !== undefined && raw !== null && raw !== "");
}

/** Says which operation is meant, as every error of the kernel does. */
function named(error: GumError, op: Op): GumError {
  return Object.hasOwn(error.details, "op_id") ? error : error.with({ op_id: op.op_id });
}

interface Writing {
  kernel: Kernel;
  options: MailCompositionOptions;
  invocation: Invocation;
  op: Op;
  operation: MailOperation;
  parts: MessageParts;
}

async function write(writing: Writing, signal?: AbortSignal): Promise<WrittenMail> {
  const { kernel, options, invocation, op, operation, parts } = writing;
  const declared = new Set([
    ...(op.request_fields ?? []).map(({ name }) => name),
    ...SYSTEM_ARGUMENTS,
  ]);
  const request = readMailRequest(parts);
  refuseMistyped(parts, declared);
  if (invocation.media !== undefined) {
    throw fieldError("media", { message: "cannot be combined with a message in plain fields" });
  }
  if (looksElsewhere(request)) await rehearse(writing, signal);
  const { writeMail } = await import("./written_mail.ts");
  return await writeMail(request, {
    operation,
    userId: parts.rest.userId ?? "me",
    files: fileAccess(invocation, options),
    read: reader(kernel, { invocation, signal }),
    limit: options.uploads === true ? uploadLimit(op) : MAX_MESSAGE_BYTES,
  });
}

function withBytes(writing: Writing, written: WrittenMail): Invocation {
  const { invocation, operation, parts } = writing;
  const raw = written.bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const message = { raw, ...threadOf(written) };
  return {
    ...invocation,
    args: argsWithMessage(operation, parts, message),
    preview: written.preview,
  };
}

/** The message as a file that is uploaded beside its metadata (spec 02 §8.2), gone afterwards. */
async function asUpload<T>(
  writing: Writing,
  written: WrittenMail,
  dispatch: (invocation: Invocation) => Promise<T>,
): Promise<T> {
  const { invocation, operation, parts } = writing;
  const folder = await Deno.makeTempDir({ prefix: "gum-mail-" });
  try {
    const source = `${folder}/message.eml`;
    await Deno.writeFile(source, written.bytes, { mode: 0o600, createNew: true });
    return await dispatch({
      ...invocation,
      args: argsWithMessage(operation, parts, threadOf(written)),
      preview: written.preview,
      media: { kind: "upload", source, contentType: "message/rfc822" },
      mediaRoots: [...invocation.mediaRoots ?? [], folder],
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function threadOf({ threadId }: WrittenMail): JsonObject {
  return threadId === undefined ? {} : { threadId };
}

/** What the service takes as an upload. */
function uploadLimit(op: Op): number {
  const variant = op.variants.find(({ variant_id }) => variant_id === op.default_variant_id);
  return variant?.binding?.http?.media_upload?.max_bytes ?? MAX_MESSAGE_BYTES;
}

function looksElsewhere(request: MailRequest): boolean {
  return request.inReplyTo !== undefined || request.forward !== undefined ||
    request.attachments.some(({ kind }) => kind === "path");
}

/**
 * Takes the call past every local gate with a stand-in for the message, so that a call that would be
 * refused reads no file and no mail. A dry run sends nothing and uses no confirmation.
 */
async function rehearse(writing: Writing, signal?: AbortSignal): Promise<ShapedResponse> {
  const { kernel, invocation, operation, parts } = writing;
  const args = argsWithMessage(operation, parts, { raw: "" });
  return await rehearsal(kernel, { invocation: { ...invocation, args }, signal });
}

async function rehearsal(
  kernel: Kernel,
  { invocation, signal }: { invocation: Invocation; signal?: AbortSignal },
): Promise<ShapedResponse> {
  return await kernel.dispatch({
    ...invocation,
    format: "json",
    dryRun: true,
    confirmed: false,
    confirmationToken: undefined,
  }, signal);
}

function fileAccess(invocation: Invocation, options: MailCompositionOptions): FileAccess {
  if (invocation.caller === "cli") return { kind: "anywhere" };
  const { projectRootPath, mediaRoots = [] } = invocation;
  return {
    kind: "inside",
    directories: [
      ...options.attachmentDirectories ?? [],
      ...mediaRoots,
      ...(projectRootPath === undefined ? [] : [projectRootPath]),
    ],
    closed: options.closedDirectories,
  };
}

/** Reads through the same kernel, so that every gate, the cache and the audit log apply. */
function reader(
  kernel: Kernel,
  context: { invocation: Invocation; signal?: AbortSignal },
): ReadOperation {
  const { caller, authSubjectFingerprint, batch } = context.invocation;
  return async (opId, args) => {
    const answer = await kernel.dispatch(
      { opId, args, format: "raw", suppressFieldMask: true, caller, authSubjectFingerprint, batch },
      context.signal,
    );
    return answer.upstreamBytes ?? answer.body;
  };
}
