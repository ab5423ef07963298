/** `gum profile validate` and the listing commands, without any printing (spec 03 §3.18). */

import type { CatalogSnapshot, Variant } from "../catalog/types.ts";
import { GumError, isGumError } from "../errors/mod.ts";
import type { JsonObject, JsonValue } from "../json/mod.ts";
import type { ProfileFile } from "./file_types.ts";
import { parsedLayer, type ProfileLayer } from "./layers.ts";
import { located, readProfileText } from "./parse_file.ts";
import type { ProfileProblem } from "./problems.ts";
import { resolveProfile } from "./resolve.ts";
import { declaredProblems, effectiveProblems, variantProblems } from "./semantics.ts";
import { serialiseProfile } from "./serialise.ts";

/** A finding as the JSON root shows it. */
export interface ProfileFinding {
  code: string;
  rule?: string;
  profile?: string;
  field?: string;
  line?: number;
  column?: number;
  message: string;
}

/** JSON root of `gum profile validate`. */
export interface ProfileValidation {
  valid: boolean;
  path: string;
  profiles: string[];
  override_bindings: number;
  errors: ProfileFinding[];
  warnings: ProfileFinding[];
  skipped_checks: string[];
}

/** What a validation looks at beside the file. */
export interface ValidationContext {
  /** The layers below the file, highest first. */
  layers: readonly ProfileLayer[];
  /** The catalog snapshot that binding keys are looked up in. */
  catalog: CatalogSnapshot;
  /** Binds the checks that need a variant. */
  variantId?: string;
  /** Profiles that ship with GUM or a plugin follow stricter rules. Default `user-global`. */
  origin?: "user-global" | "project-local" | "catalog-embedded" | "plugin";
}

/** A validated file, when its text could be read as one. */
export interface ValidatedFile {
  validation: ProfileValidation;
  file?: ProfileFile;
  /** The file's own definitions over the layers it was validated against. */
  layers: ProfileLayer[];
}

/**
 * Validates a profile file with every rule that applies without a call.
 *
 * @throws GumError `VARIANT_NOT_FOUND` for a variant the catalog does not have.
 */
export function validateProfileText(
  text: string,
  context: ValidationContext & { path: string },
): ValidatedFile {
  const variant = variantOf(context);
  const { file, problems } = readProfileText(text, { path: context.path });
  const semantic: ProfileProblem[] = [];
  let layers = [...context.layers];
  if (file !== undefined) {
    layers = [parsedLayer("user-global", file.profiles), ...layers];
    for (const name of file.profiles.keys()) {
      semantic.push(...profileProblems(name, { file, layers, context, variant }));
    }
    semantic.push(...bindingProblems(file, { layers, context }));
    semantic.push(...testProblems(file));
  }
  const found = [...problems, ...located(semantic, { text, shape: file?.shape ?? "envelope" })];
  const errors = found.filter(({ severity }) => severity === "error");
  return {
    file,
    layers,
    validation: {
      valid: errors.length === 0,
      path: context.path,
      profiles: [...file?.profiles.keys() ?? []],
      override_bindings: file?.overrideBindings.size ?? 0,
      errors: errors.map(findingOf),
      warnings: found.filter(({ severity }) => severity === "warning").map(findingOf),
      skipped_checks: variant === undefined ? ["PROFILE_STRIP_NULLS_UNSAFE"] : [],
    },
  };
}

function variantOf(context: ValidationContext): Variant | undefined {
  if (context.variantId === undefined) return undefined;
  const found = context.catalog.findVariant(context.variantId);
  if (found !== undefined) return found.variant;
  throw new GumError("VARIANT_NOT_FOUND", {
    message: `no variant ${context.variantId}`,
    details: { variant_id: context.variantId },
    userMessage: `There is no variant ${context.variantId}.`,
  });
}

interface FileContext {
  file: ProfileFile;
  layers: readonly ProfileLayer[];
  context: ValidationContext;
  variant: Variant | undefined;
}

function profileProblems(name: string, at: FileContext): ProfileProblem[] {
  const declared = at.file.profiles.get(name);
  if (declared === undefined) return [];
  const own = declaredProblems(declared);
  try {
    const resolution = resolveProfile(name, at.layers);
    if (resolution === undefined) return own.map(ofProfile);
    const source = at.context.origin ?? "user-global";
    const { variant } = at;
    return [
      ...own,
      ...resolution.problems,
      ...effectiveProblems(resolution.profile, { source, variant }),
      ...(variant === undefined ? [] : variantProblems(resolution.profile, variant)),
    ].map(ofProfile);
  } catch (error) {
    return [...own.map(ofProfile), problemOf(error, name)];
  }
}

/** A key that a base or another layer declares is not in this file: then its table is the place. */
function ofProfile(problem: ProfileProblem): ProfileProblem {
  const { profile, field } = problem;
  if (profile === undefined) return problem;
  return { ...problem, at: ["output_profiles", profile, ...field?.split(".") ?? []] };
}

/** Another file on the way is broken; that is a finding about this one's surroundings. */
function problemOf(error: unknown, profile: string): ProfileProblem {
  if (!(error instanceof GumError)) throw error;
  return { code: error.code, severity: "error", profile, message: error.message };
}

function bindingProblems(
  file: ProfileFile,
  at: { layers: readonly ProfileLayer[]; context: ValidationContext },
): ProfileProblem[] {
  const problems: ProfileProblem[] = [];
  for (const [key, value] of file.overrideBindings) {
    const { catalog } = at.context;
    const known = catalog.findOp(key)?.op_id === key ||
      catalog.findVariant(key)?.variant.variant_id === key;
    if (!known) {
      problems.push(binding("unknown_target", { key, value }, `${key} is no operation or variant`));
    }
    if (!resolves(value, at.layers)) {
      problems.push(
        binding("unknown_profile", { key, value }, `${key} names ${value}, which does not exist`),
      );
    }
  }
  return problems;
}

function resolves(name: string, layers: readonly ProfileLayer[]): boolean {
  try {
    return resolveProfile(name, layers) !== undefined;
  } catch (error) {
    if (isGumError(error)) return false;
    throw error;
  }
}

function binding(
  rule: string,
  entry: { key: string; value: string },
  message: string,
): ProfileProblem {
  return {
    code: "OVERRIDE_BINDING_INVALID",
    severity: "error",
    rule,
    field: entry.key,
    message: `override_bindings: ${message}`,
    at: ["override_bindings", entry.key],
    details: { ...entry },
  };
}

function testProblems(file: ProfileFile): ProfileProblem[] {
  return file.tests.flatMap((test, index): ProfileProblem[] => {
    const ambiguous = test.profile === undefined && file.profiles.size !== 1;
    const unknown = test.profile !== undefined && !file.profiles.has(test.profile);
    if (!ambiguous && !unknown) return [];
    const message = ambiguous
      ? `the test ${test.name} must name its profile`
      : `the test ${test.name} names ${test.profile}, which this file does not define`;
    const rule = "test_profile";
    return [{
      code: "PROFILE_INVALID",
      severity: "error",
      rule,
      field: "tests",
      message,
      at: ["tests", String(index), "profile"],
    }];
  });
}

function findingOf(problem: ProfileProblem): ProfileFinding {
  const finding: ProfileFinding = { code: problem.code, message: problem.message };
  for (const key of ["rule", "profile", "field"] as const) {
    if (problem[key] !== undefined) finding[key] = problem[key];
  }
  for (const key of ["line", "column"] as const) {
    if (problem[key] !== undefined) finding[key] = problem[key];
  }
  return finding;
}

/** JSON root of `gum profile list`. */
export interface ProfileListing {
  profiles: { name: string; source: string; format: string; inherits?: string }[];
}

/** Every profile the layers define, by name, with the highest layer that defines it. */
export function listProfiles(layers: readonly ProfileLayer[]): ProfileListing {
  const names = [...new Set(layers.flatMap((layer) => layer.names()))].sort();
  return {
    profiles: names.flatMap((name) => {
      const resolution = resolveProfile(name, layers);
      if (resolution === undefined) return [];
      const inherits = layers.map((layer) => layer.find(name)?.inherits).find((base) => base);
      return [{
        name,
        source: resolution.profile.source ?? "catalog-embedded",
        format: resolution.profile.format ?? "toon",
        ...(inherits !== undefined && { inherits }),
      }];
    }),
  };
}

/** JSON root of `gum profile show`; undefined for a name that nothing defines. */
export function showProfile(
  name: string,
  layers: readonly ProfileLayer[],
): JsonObject | undefined {
  const resolution = resolveProfile(name, layers);
  if (resolution === undefined) return undefined;
  const { name: _name, source, ...effective } = resolution.profile;
  return {
    name,
    source: source ?? "catalog-embedded",
    effective: effective as unknown as JsonValue,
    toml: serialiseProfile(resolution.profile),
  };
}
