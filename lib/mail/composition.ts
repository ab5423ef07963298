/** The layer around the kernel that writes messages before anything is hashed or judged. */

import type { CatalogSnapshot, Op } from "../catalog/types.ts";
import type { Invocation, Kernel, ShapedResponse } from "../dispatch/types.ts";
import type { FileAccess } from "./attachments.ts";
import { type MailRequest, readMailRequest, refuseMistyped } from "./fields.ts";
import {
  argsWithMessage,
  type MailOperation,
  mailOperation,
  type MessageParts,
  messageParts,
} from "./operations.ts";
import type { ReadOperation } from "./original.ts";
import { fieldError } from "./refusals.ts";

/** What the layer is made from. */
export interface MailCompositionOptions {
  /** Resolves aliases of the mail operations. */
  catalog: Pick<CatalogSnapshot, "findOp">;
  /**
   * Directories that attachments may come from (`media.dirs`), absolute. On the command line any
   * path may be named; elsewhere nothing outside these and the project root is read.
   */
  attachmentDirectories?: readonly string[];
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
      if (op === undefined || operation === undefined || parts === undefined) {
        return await kernel.dispatch(invocation, signal);
      }
      const written = await write({ kernel, options, invocation, op, operation, parts }, signal);
      return await kernel.dispatch(written, signal);
    },
  };
}

interface Writing {
  kernel: Kernel;
  options: MailCompositionOptions;
  invocation: Invocation;
  op: Op;
  operation: MailOperation;
  parts: MessageParts;
}

async function write(writing: Writing, signal?: AbortSignal): Promise<Invocation> {
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
  const { message, preview } = await writeMail(request, {
    operation,
    userId: parts.rest.userId ?? "me",
    files: fileAccess(invocation, options),
    read: reader(kernel, { invocation, signal }),
  });
  return { ...invocation, args: argsWithMessage(operation, parts, message), preview };
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
  const standIn = argsWithMessage(operation, parts, { raw: "" });
  return await kernel.dispatch({
    ...invocation,
    args: standIn,
    format: "json",
    dryRun: true,
    confirmed: false,
    confirmationToken: undefined,
  }, signal);
}

function fileAccess(invocation: Invocation, options: MailCompositionOptions): FileAccess {
  if (invocation.caller === "cli") return { kind: "anywhere" };
  const { projectRootPath } = invocation;
  return {
    kind: "inside",
    directories: [
      ...options.attachmentDirectories ?? [],
      ...(projectRootPath === undefined ? [] : [projectRootPath]),
    ],
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
