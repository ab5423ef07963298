/**
 * The bundled skills (spec 01 §3.9, 08 §4.10): markdown files with a short header, embedded at
 * build time.
 *
 * @module
 */

import { sha256Hex } from "../digest/mod.ts";
import core from "./core.md" with { type: "text" };
import mcp from "./mcp.md" with { type: "text" };

/** A skill without its text. */
export interface SkillFacts {
  name: string;
  /** `MAJOR.MINOR.PATCH`. */
  version: string;
  summary: string;
  /** Oldest GUM version whose commands the text describes. */
  min_gum: string;
  /** SHA-256 of the whole body, lower-case hex. */
  sha256: string;
  /** UTF-8 bytes of the whole body. */
  bytes: number;
}

/** A skill with its markdown text. */
export interface Skill extends SkillFacts {
  body: string;
}

let loaded: Promise<Skill[]> | undefined;

/** Every bundled skill, sorted by name, then by version, newest first. */
export function bundledSkills(): Promise<Skill[]> {
  return loaded ??= Promise.all([core, mcp].map(readSkill)).then((skills) =>
    skills.sort((left, right) =>
      left.name < right.name ? -1 : left.name > right.name ? 1 : newerFirst(left, right)
    )
  );
}

/** The newest version of each skill, without the texts. */
export async function skillList(): Promise<SkillFacts[]> {
  const newest = new Map<string, SkillFacts>();
  for (const { body: _body, ...facts } of await bundledSkills()) {
    if (!newest.has(facts.name)) newest.set(facts.name, facts);
  }
  return [...newest.values()];
}

/** What looking up a skill gave. */
export type SkillLookup =
  | { kind: "found"; skill: Skill }
  | { kind: "unknown_name" }
  | { kind: "unknown_version" };

/** Finds a skill; `version` is `latest` or an exact one. */
export async function findSkill(name: string, version = "latest"): Promise<SkillLookup> {
  const versions = (await bundledSkills()).filter((skill) => skill.name === name);
  const [newest] = versions;
  if (newest === undefined) return { kind: "unknown_name" };
  const skill = version === "latest"
    ? newest
    : versions.find((candidate) => candidate.version === version);
  return skill === undefined ? { kind: "unknown_version" } : { kind: "found", skill };
}

/** Header lines `key: value` between two `---` lines, then the body. */
function readSkill(text: string): Promise<Skill> {
  const match = /^---\n([\s\S]*?)\n---\n\n?([\s\S]*)$/.exec(text);
  if (match === null) throw new Error("a bundled skill has no header");
  const header = new Map(
    (match[1] ?? "").split("\n").map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const field = (key: string): string => {
    const value = header.get(key);
    if (value === undefined || value === "") throw new Error(`a bundled skill lacks ${key}`);
    return value;
  };
  return withBody({
    name: field("name"),
    version: field("version"),
    summary: field("summary"),
    min_gum: field("min_gum"),
  }, match[2] ?? "");
}

/** A skill with this text, measured; surfaces that reword tool names measure what they show. */
export async function withBody(
  header: Omit<SkillFacts, "sha256" | "bytes">,
  body: string,
): Promise<Skill> {
  const bytes = new TextEncoder().encode(body);
  return { ...header, sha256: await sha256Hex(bytes), bytes: bytes.length, body };
}

function newerFirst(left: Skill, right: Skill): number {
  const a = left.version.split(".").map(Number);
  const b = right.version.split(".").map(Number);
  for (let part = 0; part < 3; part++) {
    const difference = (b[part] ?? 0) - (a[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
