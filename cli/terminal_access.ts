/** What an account profile can sign in with, as a page (`gum auth status` at a terminal). */

import { visibleText } from "../lib/format/text/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json/mod.ts";
import { labelledLines } from "./terminal_labels.ts";
import type { TerminalLook } from "./terminal_table.ts";
import { wrapText } from "./terminal_wrap.ts";

const SCOPE_PREFIX = "https://www.googleapis.com/auth/";

/** Names of the ways to sign in, as people say them. */
const WAYS: Readonly<Record<string, string | undefined>> = {
  byo_oauth: "own OAuth client",
  service_account: "service account",
  api_key: "API key",
  adc: "application default credentials",
};

/** The page of a status report. */
export function accessPage(report: JsonObject, look: TerminalLook): string {
  const { styles } = look;
  const provider = text(report.provider);
  const ready = provider !== "" && provider !== "none";
  const store = isJsonObject(report.credential_store) ? report.credential_store : {};
  const line = (label: string, value: string) => labelledLines([label, value], look);
  const source = text(report.source);
  const from = source === "" ? "" : ` (${source})`;
  const missing = scopes(report.scopes_missing);
  const covered = scopes(report.scopes_covered);
  return [
    ...line("Profile", text(report.profile)),
    ...line("Signs in with", ready ? `${WAYS[provider] ?? provider}${from}` : "nothing yet")
      .map((shown) => ready ? shown : shown.replace("nothing yet", styles.yellow("nothing yet"))),
    ...line("Secrets in", storeText(store)),
    ...(covered.length === 0 ? [] : line("May use", covered.join(", "))),
    ...(missing.length === 0 ? [] : line("Lacks", missing.join(", "))),
    "",
    styles.bold("Ways to sign in"),
    ...wayLines(report.strategies, look),
    ...(text(report.hint) === "" ? [] : [
      "",
      ...wrapText(visibleText(capital(text(report.hint))), look.width),
    ]),
  ].join("\n") + "\n";
}

function storeText(store: JsonObject): string {
  const backend = text(store.backend) || "none";
  if (store.available === true) return backend;
  const why = text(store.reason);
  return `${backend}, not available${why === "" ? "" : ` (${why})`}`;
}

function wayLines(value: JsonValue | undefined, look: TerminalLook): string[] {
  const { styles, width } = look;
  const ways = Array.isArray(value) ? value.filter(isJsonObject) : [];
  const name = (way: JsonObject) => WAYS[text(way.strategy)] ?? text(way.strategy);
  const widest = Math.max(0, ...ways.map((way) => name(way).length));
  // A command is there to be copied, so it gets a line of its own rather than be broken.
  const fits = ways.every((way) => 2 + 5 + 2 + widest + 2 + wayText(way).length <= width);
  return ways.flatMap((way) => {
    const ready = way.ready === true;
    const says = wayText(way);
    const mark = ready ? styles.green("ready") : styles.dim("  -  ");
    const head = `  ${mark}  ${name(way)}`;
    const granted = scopes(way.granted_scopes);
    const room = " ".repeat(widest - name(way).length + 2);
    return [
      says === "" ? head : fits ? `${head}${room}${visibleText(says)}` : head,
      ...(fits || says === "" ? [] : [`         ${visibleText(says)}`]),
      ...(granted.length === 0
        ? []
        : wrapText(`scopes: ${granted.join(", ")}`, Math.max(8, width - 9)).map((part) =>
          `         ${styles.dim(visibleText(part))}`
        )),
    ];
  });
}

/** What there is to say about a way: where it comes from, or the command that sets it up. */
function wayText(way: JsonObject): string {
  const next = text(way.next_command);
  if (way.ready !== true && next !== "") return next;
  const facts = [
    text(way.source),
    way.subject_matches === false ? "not the account this profile expects" : "",
  ].filter((part) => part !== "").join(", ");
  return way.ready === true ? facts : facts || "not set up";
}

function scopes(value: JsonValue | undefined): string[] {
  return (Array.isArray(value) ? value : []).map((scope) => text(scope).replace(SCOPE_PREFIX, ""));
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
