/** Skills as the folders that agent clients read: `SKILL.md` with its metadata beside it. */

import { bundledSkills, type Skill } from "./registry.ts";

/** A file of a skill's folder. */
export interface SkillFile {
  /** Relative, `/` between the parts. */
  path: string;
  text: string;
}

/** The folder of a skill: `gum` for `core`, `gum-<name>` for the others. */
function skillFolder(name: string): string {
  return name === "core" ? "gum" : `gum-${name}`;
}

/** A skill's folder. JSON strings are YAML strings too, whatever the summary holds. */
function skillFiles(skill: Skill): SkillFile[] {
  const folder = skillFolder(skill.name);
  const quoted = (text: string) => JSON.stringify(text);
  return [
    {
      path: `${folder}/SKILL.md`,
      text: `---\nname: ${folder}\ndescription: ${quoted(skill.summary)}\n---\n\n${skill.body}`,
    },
    {
      path: `${folder}/agents/openai.yaml`,
      text: [
        "interface:",
        `  display_name: ${quoted(skill.name === "core" ? "GUM" : `GUM (${skill.name})`)}`,
        `  short_description: ${quoted(skill.summary)}`,
        "",
      ].join("\n"),
    },
  ];
}

/** The newest version of every bundled skill as files, sorted by path. */
export async function installedSkillFiles(): Promise<SkillFile[]> {
  const newest = new Map<string, Skill>();
  for (const skill of await bundledSkills()) {
    if (!newest.has(skill.name)) newest.set(skill.name, skill);
  }
  return [...newest.values()].flatMap(skillFiles).sort((left, right) =>
    left.path < right.path ? -1 : 1
  );
}
