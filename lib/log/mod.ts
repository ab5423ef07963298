/**
 * The one logger: structured records, injected, silent by default (spec 00 §5).
 *
 * Modules take a {@link Logger} in their options and fall back to {@link defaultLogger}, which
 * `main.ts` sets once. Nothing in `lib/` writes to the console.
 *
 * @module
 */

/** Severity, lowest first. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Extra keys of a record. Never put a secret in one. */
export type LogFields = Record<string, unknown>;

/** Receives records; must never throw. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void;
}

/** Swallows everything. */
export const silentLogger: Logger = { log() {} };

let processDefault: Logger = silentLogger;

/** The logger used where none was injected. Silent until {@link setDefaultLogger} was called. */
export function defaultLogger(): Logger {
  return processDefault;
}

/** Sets the process default and returns the previous one. Called once by `main.ts`, and by tests. */
export function setDefaultLogger(logger: Logger): Logger {
  const previous = processDefault;
  processDefault = logger;
  return previous;
}

/** Accepted level names in ascending order of severity. */
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Options of {@link lineLogger}. */
export interface LineLoggerOptions {
  /** Records below this level are dropped. */
  level: LogLevel;
  /** `json`: one object a line; `text`: `LEVEL message key=value …`. */
  format: "json" | "text";
  /** Receives each finished line, newline included. */
  write: (line: string) => void;
  /** Milliseconds since the epoch, for the `time` key. */
  now: () => number;
}

/** A logger that renders each record as one line. */
export function lineLogger(options: LineLoggerOptions): Logger {
  const threshold = LOG_LEVELS.indexOf(options.level);
  return {
    log(level, message, fields = {}) {
      if (LOG_LEVELS.indexOf(level) < threshold) return;
      const time = new Date(options.now()).toISOString();
      options.write(
        options.format === "json"
          ? JSON.stringify({ time, level, msg: message, ...fields }) + "\n"
          : textLine({ time, level, message, fields }),
      );
    },
  };
}

function textLine(record: { time: string; level: string; message: string; fields: LogFields }) {
  const pairs = Object.entries(record.fields).map(([key, value]) =>
    `${key}=${JSON.stringify(value)}`
  );
  return [record.time, record.level.toUpperCase(), record.message, ...pairs].join(" ") + "\n";
}
