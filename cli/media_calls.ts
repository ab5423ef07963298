/** Files on the command line: flags to a media request, progress, and bytes to stdout. */

import type { RiskClass } from "../lib/catalog/types.ts";
import type { MediaProgressListener, MediaRequest, ShapedResponse } from "../lib/dispatch/types.ts";
import { invalidArg } from "./errors.ts";
import type { FlagValues } from "./parse.ts";
import { terminalWidth } from "./terminal_text.ts";
import type { CommandContext } from "./types.ts";

/** A file that a call moves, and what the command does around it. */
export interface MediaCall {
  request: MediaRequest;
  /** The bytes own stdout, so the answer goes to stderr. */
  toStdout: boolean;
  /** What writing to stdout failed with, before the kernel wrapped it. */
  outputFailure(): unknown;
  /** Ends the progress line. */
  finish(): void;
}

/** The file side of the flags; undefined when they name no file. @throws CliArgError */
export function mediaCall(risk: RiskClass, context: CommandContext): MediaCall | undefined {
  const { flags } = context;
  const download = flags.text("download");
  const upload = flags.text("upload");
  for (const name of ["overwrite", "decode"]) {
    if (flags.changed(name) && download === undefined) {
      throw invalidArg(`--${name}`, "needs --download");
    }
  }
  if (flags.changed("upload-type") && upload === undefined) {
    throw invalidArg("--upload-type", "needs --upload");
  }
  if (download === undefined && upload === undefined) return undefined;
  if (download !== undefined && risk !== "read") {
    throw invalidArg("--download", "belongs to operations that read");
  }
  if (upload !== undefined && risk !== "write") {
    throw invalidArg("--upload", "belongs to operations that write");
  }
  return download === undefined
    ? uploadCall(upload ?? "", context)
    : downloadCall(download, context);
}

function downloadCall(target: string, context: CommandContext): MediaCall {
  const { flags, host } = context;
  if (target === "") throw invalidArg("--download", "names no file");
  const toStdout = target === "-";
  let failure: unknown;
  const progress = progressLine("downloaded", context);
  return {
    request: {
      kind: "download",
      target,
      overwrite: flags.on("overwrite"),
      decodeField: decodeField(flags),
      onProgress: progress.listen,
      ...(toStdout
        ? {
          sink(piece: Uint8Array) {
            try {
              host.stdout.write(piece);
            } catch (error) {
              failure = error;
              throw error;
            }
          },
        }
        : {}),
    },
    toStdout,
    outputFailure: () => failure,
    finish: progress.finish,
  };
}

function decodeField(flags: FlagValues): string | undefined {
  const field = flags.text("decode");
  if (field?.trim() === "") throw invalidArg("--decode", "names no field");
  return field?.trim();
}

function uploadCall(source: string, context: CommandContext): MediaCall {
  const { flags, host, signal, words } = context;
  if (source === "") throw invalidArg("--upload", "names no file");
  const type = flags.text("upload-type")?.trim();
  if (
    type !== undefined &&
    !/^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w.+-]+=("[^"\r\n]*"|[\w.+-]+))*$/.test(type)
  ) {
    throw invalidArg("--upload-type", `${JSON.stringify(type)} is no media type`);
  }
  const others = ["args", "text", "html"].map((name) => flags.text(name));
  if (source === "-" && [...others, ...words].includes("@-")) {
    throw invalidArg("--upload", "standard input cannot be both the file and the arguments");
  }
  const progress = progressLine("uploaded", context);
  return {
    request: {
      kind: "upload",
      source,
      contentType: type,
      onProgress: progress.listen,
      ...(source === "-" ? { input: host.stdin.pieces(signal) } : {}),
    },
    toStdout: false,
    outputFailure: () => undefined,
    finish: progress.finish,
  };
}

const REDRAW_MS = 100;
const LOG_MS = 5000;

/** How far the bytes are: one line on a terminal, drawn over; a log record now and then elsewhere. */
function progressLine(
  verb: string,
  context: CommandContext,
): { listen: MediaProgressListener; finish: () => void } {
  const { host, log } = context;
  const terminal = host.isTerminal("stderr");
  let shownAt = -Infinity;
  let shown = 0;
  return {
    listen({ bytes, total }) {
      const now = host.factories.clock.now();
      if (now - shownAt < (terminal ? REDRAW_MS : LOG_MS)) return;
      shownAt = now;
      if (!terminal) {
        log.log("info", `${verb} so far`, { bytes, ...(total === undefined ? {} : { total }) });
        return;
      }
      const of = total === undefined
        ? ""
        : ` of ${sizeText(total)} (${Math.floor(100 * bytes / Math.max(1, total))}%)`;
      // A line that wraps could not be drawn over.
      const line = `${verb} ${sizeText(bytes)}${of}`.slice(0, terminalWidth(host) - 1);
      host.stderr.write(`\r${line.padEnd(shown)}`);
      shown = line.length;
    },
    finish() {
      if (shown > 0) host.stderr.write(`\r${" ".repeat(shown)}\r`);
      shown = 0;
    },
  };
}

/** Bytes in the unit people read. */
export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** The summary of bytes that went to stdout: one line of JSON on stderr. */
export function presentStdoutSummary(response: ShapedResponse, context: CommandContext): void {
  const value = response.structuredContent;
  const text = value === undefined
    ? new TextDecoder().decode(response.body)
    : JSON.stringify(value);
  context.host.stderr.write(`${text.trimEnd()}\n`);
}
