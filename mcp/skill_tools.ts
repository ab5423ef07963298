/** `skills_list` and `skills_get` (spec 01 §3.9): text only, no structured content. */

import { GumError } from "../lib/errors/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import { findSkill, type Skill, skillList, withBody } from "../lib/skills/mod.ts";
import { showNamesIn } from "./tool_names.ts";
import type { ToolCall, ToolNameForm, ToolResult } from "./types.ts";

/** Lists the newest version of each bundled skill, measured as this client would get it. */
export async function listSkills(form: ToolNameForm): Promise<ToolResult> {
  const skills: JsonObject[] = [];
  for (const { name } of await skillList()) {
    const found = await findSkill(name);
    if (found.kind !== "found") continue;
    const { body: _body, ...facts } = await spoken(found.skill, form);
    skills.push({ ...facts });
  }
  return textResult({ skills });
}

function spoken(skill: Skill, form: ToolNameForm): Promise<Skill> {
  return withBody(skill, showNamesIn(skill.body, form));
}

/** One skill, whole or cut at `max_bytes`. */
export async function getSkill(call: ToolCall, form: ToolNameForm): Promise<ToolResult> {
  const name = String(call.args.name);
  const version = typeof call.args.version === "string" ? call.args.version : "latest";
  const found = await findSkill(name, version);
  if (found.kind === "unknown_name") {
    throw new GumError("UNKNOWN_SKILL", {
      message: `no skill named ${name}`,
      userMessage: "There is no such skill.",
      suggestion: "Call skills_list.",
      details: { name },
    });
  }
  if (found.kind === "unknown_version") {
    throw new GumError("UNKNOWN_SKILL_VERSION", {
      message: `skill ${name} has no version ${version}`,
      userMessage: "There is no such version of this skill.",
      suggestion: "Call skills_list.",
      details: { name, version },
    });
  }
  const limit = typeof call.args.max_bytes === "number" ? call.args.max_bytes : 0;
  const skill = await spoken(found.skill, form);
  const body = limit > 0 ? cutBytes(skill.body, limit) : skill.body;
  return textResult({
    skill: { ...skill, body },
    truncated: body.length < skill.body.length,
  });
}

function textResult(value: JsonObject): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

/** The longest prefix of at most `limit` UTF-8 bytes that ends at a character. */
function cutBytes(text: string, limit: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limit));
  return text.slice(0, read);
}
