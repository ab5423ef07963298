/**
 * Bundled agent guidance (spec 01 §3.9, 08 §4.10): the texts, and the folders clients read.
 *
 * @module
 */

export {
  bundledSkills,
  findSkill,
  type Skill,
  type SkillFacts,
  skillList,
  type SkillLookup,
  withBody,
} from "./registry.ts";
export { installedSkillFiles, type SkillFile } from "./files.ts";
