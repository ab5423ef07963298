/** Reading profile files: TOML, shape, structure (spec 03 §3.1). Lazily imported, for its parser. */

import { parse as parseToml, TomlError } from "smol-toml";
import { ENVELOPE_KEYS, isProfileName, PROFILE_KEYS, PROFILE_SCHEMA } from "./dsl.ts";
import type { ProfileFile, ProfileTest } from "./file_types.ts";
import { keyPositions } from "./key_positions.ts";
import { problemError, type ProfileProblem } from "./problems.ts";
import { isTable, type StructureProblem, structureProblems } from "./structure.ts";
import type { Profile } from "./types.ts";

/** Where a text comes from. */
export interface ProfileTextOptions {
  /** Shown in errors; the stem names the profile of a bare file. */
  path: string;
}

/** A file and what is wrong with it; no file when anything is an error. */
export interface ReadProfileFile {
  file?: ProfileFile;
  problems: ProfileProblem[];
}

/**
 * Reads a profile file.
 *
 * @throws GumError `PROFILE_INVALID`, or `OVERRIDE_BINDING_INVALID` for a fault in the binding
 * table, for the first thing that is wrong.
 */
export function parseProfileText(text: string, options: ProfileTextOptions): ProfileFile {
  const { file, problems } = readProfileText(text, options);
  const [first] = problems;
  if (file !== undefined && first === undefined) return file;
  throw problemError(first ?? invalid("empty_file", "holds no profile"), options.path);
}

/** Reads a profile file and lists everything that is wrong. */
export function readProfileText(text: string, options: ProfileTextOptions): ReadProfileFile {
  let table: Record<string, unknown>;
  try {
    table = parseToml(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const problem = invalid("toml_syntax", firstLine(error.message));
    return { problems: [{ ...problem, line: error.line, column: error.column }] };
  }
  const shaped = envelopeOf(table, stemOf(options.path));
  if ("problems" in shaped) {
    return { problems: located(shaped.problems, { text, shape: "envelope" }) };
  }
  const { envelope, shape } = shaped;
  const problems = structureProblems(envelope, PROFILE_SCHEMA)
    .map((problem): ProfileProblem => ({
      ...explain(problem, { envelope, shape }),
      at: problem.path,
    }));
  for (const name of Object.keys(tableAt(envelope, "output_profiles"))) {
    if (isProfileName(name)) continue;
    if (problems.some(({ rule, profile }) => rule === "profile_name" && profile === name)) continue;
    problems.push({
      ...invalid("profile_name", `${name} may not name a profile`),
      profile: name,
      at: ["output_profiles", name],
    });
  }
  if (problems.length > 0) return { problems: located(problems, { text, shape }) };
  return { file: fileOf(envelope, shape), problems: [] };
}

type Shape = ProfileFile["shape"];

/** The envelope form of a file, whichever of the two shapes it has. */
function envelopeOf(
  table: Record<string, unknown>,
  stem: string,
): { envelope: Record<string, unknown>; shape: Shape } | { problems: ProfileProblem[] } {
  const keys = Object.keys(table);
  const hasEnvelope = Object.hasOwn(table, "output_profiles") ||
    Object.hasOwn(table, "override_bindings");
  const bareKeys = keys.filter((key) => PROFILE_KEYS.includes(key));
  if (hasEnvelope && bareKeys.length > 0) {
    return {
      problems: [
        {
          ...invalid("mixed_shapes", `${bareKeys.join(", ")} stands beside a table of profiles`),
          at: bareKeys.slice(0, 1),
        },
      ],
    };
  }
  if (hasEnvelope) return { envelope: table, shape: "envelope" };
  const unknown = keys.filter((key) => !ENVELOPE_KEYS.includes(key) && !bareKeys.includes(key));
  if (bareKeys.length === 0 && unknown.every((key) => isTable(table[key]))) {
    return {
      problems: [
        Object.hasOwn(table, "tests")
          ? invalid("tests_only", "holds tests but no profile")
          : invalid("empty_file", "needs [output_profiles] or [override_bindings]"),
      ],
    };
  }
  const profile = Object.fromEntries(Object.entries(table).filter(([key]) => key !== "tests"));
  const envelope: Record<string, unknown> = { output_profiles: { [stem]: profile } };
  if (Object.hasOwn(table, "tests")) envelope.tests = table.tests;
  return { envelope, shape: "bare" };
}

/** Turns a structural finding into words that name the way out. */
function explain(
  problem: StructureProblem,
  file: { envelope: Record<string, unknown>; shape: Shape },
): ProfileProblem {
  const [table, name, ...rest] = problem.path;
  if (table === "override_bindings") {
    const where = name === undefined ? "override_bindings" : `override_bindings."${name}"`;
    return {
      code: "OVERRIDE_BINDING_INVALID",
      severity: "error",
      rule: "structure",
      field: name,
      message: `${where} ${problem.message}`,
      details: { key: name ?? "" },
    };
  }
  if (table !== "output_profiles" || name === undefined) {
    const field = problem.path.join(".");
    return { ...invalid("schema", `${field || "the file"} ${problem.message}`), field };
  }
  const field = rest.join(".");
  if (rest.length === 0) {
    const isName = problem.keyword === "pattern" || problem.keyword === "minLength";
    const found = invalid(isName ? "profile_name" : "schema", `profile ${name} ${problem.message}`);
    return { ...found, profile: name };
  }
  const value = tableAt(tableAt(file.envelope, "output_profiles"), name)[rest[0] ?? ""];
  return { ...explainField(problem, { name, field, value }), profile: name, field };
}

function explainField(
  problem: StructureProblem,
  at: { name: string; field: string; value: unknown },
): ProfileProblem {
  if (problem.keyword === "additionalProperties") {
    if (at.field === "default_format") {
      return invalid("unknown_key", "default_format is not a profile key; use format");
    }
    const name = at.field.includes(".") ? undefined : unquotedName(at);
    if (name !== undefined) {
      return invalid("unquoted_name", `${name} reads as nested tables; quote the name: "${name}"`);
    }
    return invalid("unknown_key", `${at.field} ${problem.message}`);
  }
  if (at.field === "format" && at.value === "raw") {
    return invalid("raw_format", "raw is no profile format; ask for it per call with --format raw");
  }
  return invalid("schema", `${at.field} ${problem.message}`);
}

/** The name that somebody left the quotes off, when nested tables lead to profile keys. */
function unquotedName(at: { name: string; field: string; value: unknown }): string | undefined {
  const segments = [at.name, at.field];
  let table = at.value;
  while (isTable(table)) {
    const members = Object.entries(table);
    if (members.length === 0 || members.some(([key]) => PROFILE_KEYS.includes(key))) {
      return segments.join(".");
    }
    const inner = members.find(([, member]) => isTable(member));
    if (inner === undefined) return undefined;
    segments.push(inner[0]);
    table = inner[1];
  }
  return undefined;
}

function fileOf(envelope: Record<string, unknown>, shape: Shape): ProfileFile {
  const profiles = new Map<string, Profile>();
  for (const [name, table] of Object.entries(tableAt(envelope, "output_profiles"))) {
    profiles.set(name, profileOf(name, table as Record<string, unknown>));
  }
  const overrideBindings = new Map(
    Object.entries(tableAt(envelope, "override_bindings")) as [string, string][],
  );
  const tests = (envelope.tests ?? []) as ProfileTest[];
  return { profiles, overrideBindings, tests: tests.map((test) => ({ ...test })), shape };
}

/** A profile from its table, which has the right structure. */
function profileOf(name: string, table: Record<string, unknown>): Profile {
  const declared = Object.fromEntries(
    PROFILE_KEYS.filter((key) => Object.hasOwn(table, key)).map((key) => [key, plain(table[key])]),
  ) as Omit<Profile, "name">;
  const profile: Profile = { name, ...declared };
  if (profile.on_empty !== undefined) profile.on_empty = profile.on_empty.normalize("NFC");
  return profile;
}

/** The parser's tables have no prototype; profiles are ordinary objects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

function tableAt(table: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  return isTable(value) ? value : {};
}

function invalid(rule: string, message: string): ProfileProblem {
  return { code: "PROFILE_INVALID", severity: "error", rule, message };
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/^Invalid TOML document: /, "");
}

/** The stem of a file path: what a bare file's profile is called. */
function stemOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? path;
  return name.endsWith(".toml") ? name.slice(0, -".toml".length) : name;
}

/** Adds the place of what each problem is about; of a key that is not there, its table's. */
export function located(
  problems: readonly ProfileProblem[],
  file: { text: string; shape: Shape },
): ProfileProblem[] {
  if (!problems.some(({ at }) => at !== undefined)) return [...problems];
  const find = keyPositions(file.text);
  return problems.map(({ at, ...problem }) => {
    if (at === undefined) return problem;
    const written = file.shape === "bare" && at[0] === "output_profiles" ? at.slice(2) : at;
    return { ...problem, ...find(written) };
  });
}
