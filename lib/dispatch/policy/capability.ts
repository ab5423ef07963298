/** Gate 3: can this variant be executed at all (spec 02 §3.4). */

import { GumError } from "../../errors/mod.ts";
import type { MediaRequest } from "../types.ts";
import type { JudgedCall } from "./judged.ts";

/** Refuses variants that need an executor GUM does not have. */
export function checkCapability(judged: JudgedCall, media?: MediaRequest): void {
  const { variant, op } = judged;
  const support = variant.execution_support ?? "full";
  if (support === "full" || support === "partial") return checkMedia(judged, media);
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: `variant ${variant.variant_id} cannot be executed (${support})`,
    details: {
      op_id: op.op_id,
      variant_id: variant.variant_id,
      execution_support: support,
      unsupported_capabilities: [...variant.unsupported_capabilities ?? []],
    },
    suggestion: `Choose another variant: \`gum describe ${op.op_id}\` lists them.`,
  });
}

/** Bytes travel only through variants that declare them; a base64 field is an ordinary answer. */
function checkMedia({ variant, op }: JudgedCall, media: MediaRequest | undefined): void {
  if (media === undefined) return;
  const decodes = media.kind === "download" && media.decodeField !== undefined;
  if (decodes && variant.risk_class === "read") return;
  const wanted = media.kind === "download" ? "media_download" : "media_upload";
  const able = media.kind === "download"
    ? variant.risk_class === "read" && variant.capabilities.includes(wanted)
    : variant.binding?.http?.media_upload !== undefined;
  if (able) return;
  throw new GumError("UNSUPPORTED_CAPABILITY", {
    message: `variant ${variant.variant_id} does not declare ${wanted}`,
    details: {
      op_id: op.op_id,
      variant_id: variant.variant_id,
      unsupported_capabilities: [wanted],
    },
    userMessage: media.kind === "download"
      ? "This operation has no bytes to download."
      : "This operation takes no file.",
    suggestion: media.kind === "download"
      ? "Leave out the download target, or name a base64 field with --decode."
      : "Leave out the file, and give the content as arguments.",
  });
}
