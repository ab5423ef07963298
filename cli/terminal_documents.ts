/**
 * JSON documents of commands, for a person at a terminal.
 *
 * A command prints one document and knows nothing of terminals; in a pipe that is the result. Here
 * the same text becomes a card or a table. Whoever wants the document at a terminal asks for
 * `--format json` where there is such a flag, or pipes it.
 *
 * @module
 */

import { visibleText } from "../lib/format/text/mod.ts";
import {
  isJsonObject,
  isRawNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../lib/json/mod.ts";
import { accessPage } from "./terminal_access.ts";
import { showProgress } from "./terminal_progress.ts";
import { renderForTerminal, type TerminalLook } from "./terminal_table.ts";
import { riskStyle, type Styles, stylesFor, terminalWidth } from "./terminal_text.ts";
import { wrapText } from "./terminal_wrap.ts";
import type { FlagValues } from "./parse.ts";
import type { CommandHost } from "./types.ts";

/** Makes text of a document, newline included. */
type Layout = (document: JsonValue, look: TerminalLook) => string;

/** Commands whose whole output is one document, or one on each line. */
export const LAYOUTS: Readonly<Record<string, Layout | undefined>> = {
  "auth status": objectLayout(accessPage),
  "auth probe": card,
  "auth login": card,
  "auth logout": card,
  "auth use-oauth-client": card,
  "auth use-service-account": card,
  "auth use-api-key": card,
  "auth use-ads-developer-token": card,
  "auth use-adc": card,
  "auth vault init": card,
  "auth vault status": card,
  "auth vault rekey": card,
  "auth vault migrate": card,
  login: card,
  logout: card,
  "cache stats": objectLayout(cachePage),
  "cache clear": card,
  "cache migrate": card,
  canary: card,
  "catalog list-overrides": overrideList,
  "catalog stats": card,
  "catalog update": card,
  "emulator fault": card,
  "emulator log": requestTable,
  gain: card,
  "profile test": card,
  "skills export": card,
  "skills install": card,
};

/** Commands that report in text already: only colour is missing. */
export const COLOURED: ReadonlySet<string> = new Set(["doctor", "audit verify", "agents install"]);

/** Reports whose lines are sentences; what is to be compared or copied is not broken. */
const PROSE: ReadonlySet<string> = new Set(["doctor", "audit verify"]);

/** Commands that may keep a person waiting. */
const SLOW: ReadonlySet<string> = new Set([
  "audit verify",
  "canary",
  "catalog update",
  "cache migrate",
  "doctor",
  "gain",
  "profile test",
]);

/** A host whose stdout is held back until {@link DocumentHost.finish} lays it out. */
export interface DocumentHost {
  host: CommandHost;
  finish(): void;
}

/** The host for a command that prints a document to a person; undefined for any other. */
export function documentHost(
  host: CommandHost,
  command: { path: readonly string[]; flags: FlagValues },
): DocumentHost | undefined {
  const path = command.path.join(" ");
  const layout = LAYOUTS[path];
  if (layout === undefined && !COLOURED.has(path)) return undefined;
  if (command.flags.changed("format")) return undefined;
  const decoder = new TextDecoder();
  let held = "";
  // Nobody is asked anything by these, so the line below the cursor is free.
  let progress = SLOW.has(path) ? showProgress(path, host) : () => {};
  const quiet = () => {
    progress();
    progress = () => {};
  };
  return {
    host: {
      ...host,
      stderr: {
        write(chunk) {
          quiet();
          host.stderr.write(chunk);
        },
      },
      stdout: {
        write(chunk) {
          held += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
        },
      },
    },
    finish() {
      quiet();
      if (held === "") return;
      const styles = stylesFor(host, "stdout");
      const document = layout === undefined ? undefined : documentOf(held);
      if (layout === undefined || document === undefined) {
        const text = PROSE.has(path) ? hung(held, terminalWidth(host)) : held;
        return host.stdout.write(coloured(text, styles));
      }
      const now = host.factories.clock.now();
      const whole = command.flags.spec("format") === undefined ? "a pipe" : "--format json";
      const look = { width: terminalWidth(host), styles, now, whole };
      host.stdout.write(layout(document, look));
    },
  };
}

/** Long lines broken at blanks, hanging below where their text begins. */
function hung(text: string, width: number): string {
  return text.split("\n").flatMap((line) => {
    const margin = /^ *(?:\[\w+\] )?/.exec(line)?.[0] ?? "";
    return wrapText(line.slice(margin.length), Math.max(8, width - margin.length))
      .map((part, index) => (index === 0 ? margin : " ".repeat(margin.length)) + part);
  }).join("\n");
}

/** The words that say how it went, in the colour they mean. */
function coloured(text: string, styles: Styles): string {
  return text
    .replaceAll(/^\[ok\]/gm, styles.green("[ok]"))
    .replaceAll(/^\[(FAIL|FAILED)\]/gm, (mark) => styles.red(mark))
    .replaceAll(/^\[warn[a-z]*\]/gm, (mark) => styles.yellow(mark))
    .replaceAll(/^(would_)?(wrote|write|removed?|restored?)(?= )/gm, (word) => styles.green(word))
    .replaceAll(/^(skipped|unchanged)(?= )/gm, (word) => styles.dim(word));
}

/** The one document, or the list of those on each line; undefined when the text is none. */
function documentOf(text: string): JsonValue | undefined {
  const parsed = objectOrList(text);
  if (parsed !== undefined) return parsed;
  const rows = text.trimEnd().split("\n").map(objectOrList);
  return rows.some((row) => row === undefined)
    ? undefined
    : rows.filter((row) => row !== undefined);
}

function objectOrList(text: string): JsonValue | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function objectLayout(layout: (document: JsonObject, look: TerminalLook) => string): Layout {
  return (document, look) => isJsonObject(document) ? layout(document, look) : card(document, look);
}

/** Any document: names and values in words. */
function card(document: JsonValue, look: TerminalLook): string {
  return renderForTerminal(inWords(document), look);
}

/** What the caches did, a line for each. */
function cachePage(document: JsonObject, look: TerminalLook): string {
  const caches = Object.entries(document).filter(([, value]) => isJsonObject(value));
  const rest = Object.entries(document).filter(([, value]) => !isJsonObject(value));
  const rows = caches.filter(([, value]) => isJsonObject(value) && "hits" in value)
    .map(([cache, value]): JsonObject => ({ cache, ...isJsonObject(value) ? value : {} }));
  const others = caches.filter(([, value]) => isJsonObject(value) && !("hits" in value));
  return `${card(rows, look)}\n${card(Object.fromEntries([...others, ...rest]), look)}`;
}

/** Why a variant has another risk class than its method suggests: the reason is the point. */
function overrideList(document: JsonValue, { styles, width }: TerminalLook): string {
  const rows = (Array.isArray(document) ? document : [document]).filter(isJsonObject);
  const words = (value: JsonValue | undefined) =>
    visibleText(typeof value === "string" ? value : "");
  return rows.flatMap(({ variant_id, risk_class, risk_override_reason }) => [
    `${styles.bold(words(variant_id))}  ${riskStyle(styles, words(risk_class))(words(risk_class))}`,
    ...wrapText(words(risk_override_reason), width - 4).map((line) => `    ${line}`),
  ]).join("\n") + "\n";
}

/** The requests of an emulator's log; the headers are for programs. */
function requestTable(document: JsonValue, look: TerminalLook): string {
  const requests = (Array.isArray(document) ? document : [document]).filter(isJsonObject);
  const rows = requests.map((
    { index, method, host, path, status, startedAt, finishedAt, fault },
  ) => ({
    no: index ?? null,
    status: status ?? null,
    method: method ?? "",
    host: host ?? "",
    path: path ?? "",
    ms: typeof startedAt === "number" && typeof finishedAt === "number"
      ? finishedAt - startedAt
      : null,
    ...(requests.some((request) => request.fault !== undefined) ? { fault: fault ?? "" } : {}),
  }));
  return renderForTerminal(rows, look);
}

/** Names without underscores, yes and no, sizes as people read them. */
function inWords(value: JsonValue, key = ""): JsonValue {
  if (value === null || value === "") return "–";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "number" && /(^|_)bytes(_|$)/.test(key)) return sizeText(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? "none" : value.map((item) => inWords(item, key));
  }
  if (!isJsonObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [spaced(name), inWords(member, name)]),
  );
}

function spaced(name: string): string {
  return name.replaceAll("_", " ");
}

const UNITS = ["bytes", "KiB", "MiB", "GiB"];

function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (Math.abs(size) >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
