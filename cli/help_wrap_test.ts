import assert from "node:assert/strict";
import { runRecorded } from "./testing/recorded_host.ts";
import { helpFor, wrapHelp, wrapMarkdown } from "./help_wrap.ts";
import { renderCommandHelp, renderRootHelp } from "./help_text.ts";
import { recordedHost } from "./testing/recorded_host.ts";
import { COMMANDS } from "./tree.ts";

Deno.test("help: long lines break at blanks, explanations hang below themselves", () => {
  const text = [
    "Flags:",
    "  -o, --output <value>  table, json, toon or csv, whichever suits you best",
    "  plain paragraph that is rather too long for this width",
    "",
    "Examples:",
    "  gum read drive.files.list --max-items all -o csv --and-more --and-more",
  ].join("\n");
  assert.equal(
    wrapHelp(text, 50),
    [
      "Flags:",
      "  -o, --output <value>  table, json, toon or csv,",
      "                        whichever suits you best",
      "  plain paragraph that is rather too long for this",
      "  width",
      "",
      "Examples:",
      "  gum read drive.files.list --max-items all -o csv --and-more --and-more",
    ].join("\n"),
  );
  assert.match(wrapHelp(text, 40), /^ {2}-o, --output <value>\n {6}table, json/m);
});

Deno.test("help: no line of any command is wider than the terminal, save what is to be copied", () => {
  const { host } = recordedHost([], { terminals: ["stdout"], environment: { NO_COLOR: "1" } });
  const narrow = { ...host, columns: () => 60 };
  const pages = [renderRootHelp(COMMANDS, 60)];
  const visit = (path: typeof COMMANDS) => {
    pages.push(renderCommandHelp(path));
    for (const child of path.at(-1)?.children ?? []) visit([...path, child]);
  };
  for (const command of COMMANDS) visit([command]);
  for (const page of pages) {
    const [prose = ""] = helpFor(narrow, page).split("\nExamples:");
    for (const line of prose.split("\n")) {
      assert.ok(line.length <= 60 || line.startsWith("Usage:"), line);
    }
  }
  for (const line of renderRootHelp(COMMANDS).split("\n")) assert.ok(line.length <= 80, line);
});

Deno.test("help: titles stand out at a terminal, a pipe gets plain text", async () => {
  const person = await runRecorded(["help", "read"], { terminals: ["stdout"] });
  assert.ok(person.stdout.includes("\n\u001b[1mFlags:\u001b[0m\n"));
  const quiet = await runRecorded(["help", "read"], {
    terminals: ["stdout"],
    environment: { NO_COLOR: "1" },
  });
  assert.match(quiet.stdout, /^Flags:$/m);
  assert.match((await runRecorded(["help", "read"])).stdout, /^Flags:$/m);
});

Deno.test("help: the root names its topics, a wrong one names them too", async () => {
  assert.match((await runRecorded(["help"])).stdout, /^Topics, by gum help <topic>:\n.*code-mode/m);
  const wrong = await runRecorded(["help", "quotas"]);
  assert.match(wrong.stderr, /no help on "quotas"; topics are .*exit-codes/);
  const close = await runRecorded(["help", "cal"], { terminals: ["stderr"] });
  assert.match(close.stderr, /did you mean "call"\?\n.*Next:.* gum call --help/);
  const nested = await runRecorded(["plugin", "lst"], { terminals: ["stderr"] });
  assert.match(nested.stderr, /gum plugin list --help/);
  const lost = await runRecorded(["plugin", "qqqqqq"], { terminals: ["stderr"] });
  assert.match(lost.stderr, /gum plugin --help/);
});

Deno.test("help: the prose of a topic is wrapped for a person; code and tables stay whole", async () => {
  const long = "word ".repeat(20).trim();
  const text = `# ${long}\n\n${long}\n\n- ${long}\n\n| ${long} |\n\n\`\`\`\n${long}\n\`\`\`\n`;
  const lines = wrapMarkdown(text, 24).split("\n");
  assert.deepEqual(lines.filter((line) => line.length > 24), [`# ${long}`, `| ${long} |`, long]);
  assert.ok(lines.includes("- word word word word"), lines.join("\n"));
  assert.ok(lines.includes("  word word word word"), lines.join("\n"));
  assert.equal(wrapMarkdown(text, 24).split(/\s+/).join(" "), text.split(/\s+/).join(" "));
  const topic = ["help", "gmail"];
  const [piped, page] = await Promise.all([
    runRecorded(topic),
    runRecorded(topic, { terminals: ["stdout"], columns: 60, environment: { NO_COLOR: "1" } }),
  ]);
  assert.ok(piped.stdout.split("\n").some((line) => line.length > 100));
  assert.equal(page.stdout.split(/\s+/).join(" "), piped.stdout.split(/\s+/).join(" "));
});
