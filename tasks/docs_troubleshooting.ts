/** `docs/troubleshooting.md`: what each error code means and what to do, from the code table. */

import { nextCommand } from "../cli/next_command.ts";
import { ERROR_CODES, type ErrorCodeEntry } from "../lib/errors/mod.ts";
import { CODE_NOTES } from "./docs_code_notes.ts";

/** The page. */
export function troubleshootingPage(): string {
  const codes = Object.entries(ERROR_CODES).sort(([left], [right]) => left < right ? -1 : 1);
  const parts: [string, string, (entry: ErrorCodeEntry) => boolean][] = [
    [
      "Errors of calls and commands",
      "`error_code` of a failed call, over MCP and on the command line.",
      ({ surfaces }) => surfaces.includes("wire") || surfaces.includes("command"),
    ],
    [
      "Reasons behind an error",
      "`source_error_code` or `reason` beside another `error_code`: why it happened.",
      ({ surfaces }) => !reaches(surfaces) && surfaces.includes("source"),
    ],
    [
      "Notices",
      "Warnings; nothing failed.",
      ({ surfaces }) => !reaches(surfaces) && surfaces.includes("notice"),
    ],
    [
      "Builds",
      "Raised while a catalog or a release is made; an installed gum never shows them.",
      ({ surfaces }) => surfaces.every((surface) => surface === "build"),
    ],
  ];
  return [
    "# Troubleshooting",
    "",
    "Start with these three, none of which needs the network:",
    "",
    "```sh",
    "gum doctor",
    "gum auth status",
    "gum help exit-codes",
    "```",
    "",
    "A failed command prints what happened, why and the next command at a terminal, and one JSON",
    "object in a pipe. Look its `error_code` up here. `retryable` in that object says whether the same",
    "call may work later; when `retry_after_ms` is there, wait that long first.",
    "",
    "`gum --log-level debug <command>` says more on stderr. Neither holds secrets.",
    "",
    "Made from the table of error codes by `deno task docs`.",
    ...parts.flatMap(([title, intro, belongs]) => {
      const members = codes.filter(([, entry]) => belongs(entry));
      return [
        "",
        `## ${title}`,
        "",
        intro,
        "",
        ...members.flatMap(([code, entry]) => entryLines(code, entry)),
      ];
    }),
  ].join("\n").replace(/\n{3,}/g, "\n\n").trimEnd() + "\n";
}

function reaches(surfaces: readonly string[]): boolean {
  return surfaces.includes("wire") || surfaces.includes("command");
}

function entryLines(code: string, entry: ErrorCodeEntry): string[] {
  const [note, action] = CODE_NOTES[code] ?? [];
  const meaning = note ?? entry.userMessage;
  const fix = action ?? entry.suggestion;
  if (meaning === undefined) throw new Error(`docs_code_notes.ts says nothing about ${code}`);
  const envelope = { error_code: code, op_id: "<op_id>", variant_risk_class: "destructive" };
  const next = entry.surfaces.includes("wire") ? nextCommand(envelope) : undefined;
  return [
    `### ${code}`,
    "",
    meaning + (fix === undefined ? "" : ` ${fix}`),
    "",
    ...(next === undefined ? [] : [`Next: \`${next.replaceAll("'<op_id>'", "<op_id>")}\``, ""]),
  ];
}
