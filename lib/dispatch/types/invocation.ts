/** What a surface hands to the kernel: a call, its files, its progress (spec 02 §2.1, §8). */

import type { Format } from "../../catalog/types.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { ResolvedProfile } from "../../profile/types.ts";

/** What a caller may ask for and what an answer may report. */
export type OutputFormat = Format | "raw";

/** Surface that made a call; absent is audited as `unknown`. */
export type Caller = "cli" | "mcp" | "risor" | "plugin";

/** One call, as a surface hands it to the kernel (spec 02 §2.1). Never mutated by the kernel. */
export interface Invocation {
  /** Canonical id or a deprecated alias. */
  opId: string;
  /** Operation arguments only, never control arguments. */
  args: JsonObject;
  format?: OutputFormat;
  /** The pin. */
  requestedVariantId?: string;
  /** An outcome outside the list becomes its first entry. */
  allowedFormats?: OutputFormat[];
  /** Set by the surface (tool or CLI path), never copied from arguments. */
  allowWrite?: boolean;
  /** Set by the surface, never copied from arguments. */
  allowDestructive?: boolean;
  confirmed?: boolean;
  confirmationToken?: string;
  requireWriteConfirmation?: boolean;
  /** Explicit choice or a meta-tool's implicit profile; wins over every binding. */
  outputProfile?: ResolvedProfile;
  /** Enables the project-local profile layer. */
  projectRootPath?: string;
  projectRootUri?: string;
  /** Replaces `collapse_arrays.max_items` for this call. */
  maxItems?: number | "all";
  suppressFieldMask?: boolean;
  authSubjectFingerprint?: string;
  /** Label of the session's account to run as; the session takes it off before the kernel. */
  account?: string;
  /** This surface can show `{"unchanged":true,"etag":…}`. */
  diffOnlyAllowed?: boolean;
  /** Text from strangers travels between marks (spec 11 §8). */
  markUntrusted?: boolean;
  batch?: { batchId: string; index: number };
  media?: MediaRequest;
  /** Directories of this client that files may come from or go to, beyond the configured ones. */
  mediaRoots?: readonly string[];
  /** Set by the page loop alone (spec 02 §8.3). */
  shaping?: PageShaping;
  /** Stop before step 6 and return the exact request (spec 02 §8.4). */
  dryRun?: boolean;
  caller?: Caller;
  requestId?: string;
  /** Request id of the script that makes this call. */
  parentRequestId?: string;
  /** What the arguments mean, for the person who confirms; made by GUM, never by a caller. */
  preview?: CallPreview;
  /**
   * Called at most once, as soon as the service has answered and this call sends nothing more; what
   * is left is the kernel's own work on the answer, which waits for the promise, if there is one.
   * Hits and requests that fail never call it.
   */
  onAnswered?: () => void | Promise<void>;
  /** Hears how far a script has come; only `gum.code` tells. */
  onScriptProgress?: ScriptProgressListener;
}

/** How far a script has come. */
export interface ScriptProgress {
  phase: "starting" | "running";
  /** Calls that are over, whatever became of them. */
  done: number;
  /** Calls the script has asked for so far, the elements of its batches included. */
  asked: number;
}

/** Hears how far a script has come. */
export type ScriptProgressListener = (progress: ScriptProgress) => void;

/** Readable facts about a call whose arguments are not (spec 11 §3). */
export interface CallPreview {
  /** One sentence, first in the text of a confirmation. */
  sentence: string;
  /** Joins `pending_request` and the report of a dry run. */
  facts: JsonObject;
}

/** Bytes in or out of a call (spec 02 §8.1, §8.2). */
export type MediaRequest =
  | {
    kind: "download";
    /** A file, a directory (the file keeps its own name), or `-` for {@link sink}. */
    target: string;
    overwrite?: boolean;
    /** The bytes are the base64url text at this path of a JSON answer. */
    decodeField?: string;
    /** Takes the bytes of target `-`. */
    sink?: (piece: Uint8Array) => void | Promise<void>;
    onProgress?: MediaProgressListener;
  }
  | {
    kind: "upload";
    /** A file, or `-` for {@link input}. */
    source: string;
    contentType?: string;
    /** Gives the bytes of source `-`. */
    input?: AsyncIterable<Uint8Array>;
    onProgress?: MediaProgressListener;
  };

/** Told now and then how far the bytes of a call have come; it must not throw. */
export type MediaProgressListener = (progress: { bytes: number; total?: number }) => void;

/**
 * How a page travels through the kernel: `page` stops before step 7c and hands over the service's
 * own body, its mask extended so that `tokenField` survives; `gathered` takes a body made of such
 * pages through steps 7c and 8 and sends nothing.
 */
export type PageShaping =
  | { kind: "page"; tokenField: string }
  | {
    kind: "gathered";
    body: Uint8Array;
    pages: number;
    /** Records after which the loop was to stop; another number gives another result. */
    items?: number;
    /** More follows: no artifact is written of this part. */
    partial?: boolean;
  };

/** Size and hash of the bytes that a call moved, for its audit row. */
export interface MediaFacts {
  sizeBytes: number;
  sha256: string;
}

/** What the kernel asks about files before a call may touch them (spec 02 §8.1, §8.2). */
export interface MediaFiles {
  /**
   * The path with every link resolved when it lies in one of the directories, else undefined. The
   * last component may be missing, its parent may not.
   */
  locate(path: string, directories: readonly string[]): Promise<string | undefined>;
  /** Reads a file once. @throws GumError `INVALID_ARGS` when it cannot be read as a file. */
  describe(
    path: string,
    signal: AbortSignal,
  ): Promise<MediaFacts & { contentType: string; name: string }>;
}
