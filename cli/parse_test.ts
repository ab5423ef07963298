import assert from "node:assert/strict";
import { CliArgError, UsageError } from "./errors.ts";
import { GLOBAL_FLAGS, locate, parseWords } from "./parse.ts";
import { COMMANDS } from "./tree.ts";
import type { CommandSpec, FlagSpec } from "./types.ts";

const FLAGS: FlagSpec[] = [
  { name: "format", short: "f", type: "string", help: "" },
  { name: "count", short: "n", type: "int", help: "", default: "3" },
  { name: "dry", short: "d", type: "bool", help: "" },
  { name: "no-field-mask", type: "bool", help: "" },
  { name: "item", type: "stringArray", help: "" },
  { name: "names", type: "stringList", help: "" },
];

Deno.test("parseWords: both spellings of a value, repeats, defaults and --", () => {
  const { words, flags } = parseWords(
    ["a", "--format", "x", "b", "--item=1", "--item", "2", "--names=p,q", "--names", "r"],
    FLAGS,
  );
  assert.deepEqual(words, ["a", "b"]);
  assert.equal(flags.text("format"), "x");
  assert.deepEqual(flags.list("item"), ["1", "2"]);
  assert.deepEqual(flags.list("names"), ["p", "q", "r"]);
  assert.equal(flags.integer("count"), 3);
  assert.equal(flags.changed("count"), false);
  assert.deepEqual(parseWords(["--", "--format", "-x"], FLAGS).words, ["--format", "-x"]);
  assert.deepEqual(parseWords(["-"], FLAGS).words, ["-"]);
});

Deno.test("parseWords: short flags, glued and with =", () => {
  assert.equal(parseWords(["-f", "x"], FLAGS).flags.text("format"), "x");
  assert.equal(parseWords(["-fx"], FLAGS).flags.text("format"), "x");
  assert.equal(parseWords(["-f=x"], FLAGS).flags.text("format"), "x");
  assert.equal(parseWords(["-n5"], FLAGS).flags.integer("count"), 5);
  assert.equal(parseWords(["-d"], FLAGS).flags.on("dry"), true);
  assert.throws(() => parseWords(["-z"], FLAGS), UsageError);
  assert.throws(() => parseWords(["-dz"], FLAGS), UsageError);
});

Deno.test("parseWords: a flag named no-… is a flag of its own", () => {
  assert.equal(parseWords(["--no-field-mask"], FLAGS).flags.on("no-field-mask"), true);
  assert.throws(() => parseWords(["--no-dry"], FLAGS), /unknown flag: --no-dry/);
});

Deno.test("parseWords: abbreviations are refused, near misses are named", () => {
  assert.throws(
    () => parseWords(["--form", "x"], FLAGS),
    /unknown flag: --form \(did you mean --format\?\)/,
  );
  assert.throws(
    () => parseWords(["--for"], FLAGS),
    /unknown flag: --for \(did you mean --format\?\)/,
  );
  assert.throws(() => parseWords(["--fo"], FLAGS), /unknown flag: --fo$/);
  assert.throws(() => parseWords(["--formats=secret"], FLAGS), (error) => {
    assert.ok(error instanceof UsageError);
    assert.ok(!error.message.includes("secret"));
    return true;
  });
});

Deno.test("parseWords: missing and ill-typed values", () => {
  assert.throws(() => parseWords(["--format"], FLAGS), /flag needs a value: --format/);
  for (const bad of ["x", "1.5", "", "1e3", "99999999999999999999"]) {
    assert.throws(() => parseWords([`--count=${bad}`], FLAGS), CliArgError, bad);
  }
  assert.equal(parseWords(["--dry=false"], FLAGS).flags.on("dry"), false);
  assert.throws(() => parseWords(["--dry=maybe"], FLAGS), CliArgError);
});

Deno.test("locate: global flags before, between and after command names", () => {
  const name = (argv: string[]) => locate(COMMANDS, argv).path.map((spec) => spec.name).join(" ");
  assert.equal(name(["--profile", "search", "describe", "x.y"]), "describe");
  assert.equal(
    name(["--profile=p", "catalog", "--emulator", "list-overrides"]),
    "catalog list-overrides",
  );
  assert.equal(name(["search", "describe"]), "search");
  assert.deepEqual(locate(COMMANDS, ["search", "describe", "--top-k", "3"]).rest, [
    "describe",
    "--top-k",
    "3",
  ]);
  assert.equal(locate(COMMANDS, ["serch"]).unknown?.word, "serch");
  assert.equal(locate(COMMANDS, ["catalog", "x"]).unknown?.word, "x");
});

Deno.test("command tree: names, flags and help are complete and free of clashes", () => {
  const visit = (command: CommandSpec, path: string) => {
    assert.match(command.name, /^_{0,2}[a-zA-Z][a-zA-Z0-9-]*$/, path);
    assert.notEqual(command.summary, "", path);
    // The version of a skill is asked for by the name of a global flag, which stands back.
    const inherited = GLOBAL_FLAGS.filter(({ name }) =>
      path !== "skills show" || name !== "version"
    );
    const names = [...command.flags, ...inherited].map((flag) => flag.name);
    assert.equal(new Set(names).size, names.length, `${path}: a flag is declared twice`);
    const shorts = [...command.flags, ...GLOBAL_FLAGS].flatMap((flag) => flag.short ?? []);
    assert.equal(new Set(shorts).size, shorts.length, `${path}: a short flag is declared twice`);
    for (const flag of command.flags) assert.notEqual(flag.help, "", `${path} --${flag.name}`);
    assert.equal(command.run === undefined, command.children.length > 0, path);
    for (const child of command.children) visit(child, `${path} ${child.name}`);
  };
  for (const command of COMMANDS) visit(command, command.name);
});

Deno.test("locate: a flag of the command may stand before it with its value, a wrong word is named", () => {
  const named = (...argv: string[]) => {
    const { path, rest, unknown } = locate(COMMANDS, argv);
    return { path: path.map(({ name }) => name).join(" "), rest, unknown: unknown?.word };
  };
  assert.deepEqual(named("--max-items", "3", "read", "drive.files.list"), {
    path: "read",
    rest: ["--max-items", "3", "drive.files.list"],
    unknown: undefined,
  });
  assert.deepEqual(named("plugin", "--format", "json", "list"), {
    path: "plugin list",
    rest: ["--format", "json"],
    unknown: undefined,
  });
  assert.equal(named("--dry-run", "frob", "x").unknown, "frob");
  assert.equal(named("--emulator", "frob").unknown, "frob");
  assert.equal(named("-", "frob").unknown, "-");
  assert.deepEqual(named("--prof", "x", "version").rest, ["--prof", "x"]);
  assert.deepEqual(named("--prof", "x").unknown, undefined);
});
