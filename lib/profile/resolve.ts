/** Merging the layers, inheritance, and the choice of a call's profile (spec 03 §3.3). */

import { GumError } from "../errors/mod.ts";
import type { BindingEntry, ProfileLayer } from "./layers.ts";
import { problemError, type ProfileProblem } from "./problems.ts";
import { effectiveProblems } from "./semantics.ts";
import type { Profile, ProfileSource, ResolvedProfile } from "./types.ts";

/** A profile by name over the layers, highest first; undefined when none defines it. */
export interface Resolution {
  profile: ResolvedProfile;
  /** S7 and S8; they do not keep a profile from being looked at. */
  problems: ProfileProblem[];
  /** The highest layer that any of its keys came from, those of its base included. */
  reach: ProfileSource;
}

/**
 * Merges a profile over the layers and applies one level of inheritance.
 *
 * @throws GumError `PROFILE_INVALID` for an unreadable or malformed file on the way.
 */
export function resolveProfile(
  name: string,
  layers: readonly ProfileLayer[],
): Resolution | undefined {
  const merged = mergedDefinition(name, layers);
  if (merged === undefined) return undefined;
  const problems = inheritanceProblems(merged, layers);
  const { inherits, ...own } = merged;
  const base = inherits === undefined || inherits === name
    ? undefined
    : mergedDefinition(inherits, layers);
  const sources = [merged.source, base?.source];
  const reach = SOURCES.find((source) => sources.includes(source)) ?? "catalog-embedded";
  if (base === undefined) return { profile: own, problems, reach };
  const { inherits: _grandparent, source: _source, ...inherited } = base;
  return { profile: { ...inherited, ...own }, problems, reach };
}

/** Highest first. */
const SOURCES: readonly ProfileSource[] = ["project-local", "user-global", "catalog-embedded"];

/** The first layer that declares a key wins, whatever the value it declares. */
export function mergeProfiles(definitions: readonly Profile[]): Profile | undefined {
  const [highest] = definitions;
  if (highest === undefined) return undefined;
  const merged: Partial<Profile> = {};
  for (const definition of definitions) {
    for (const [key, value] of Object.entries(definition)) {
      if (value !== undefined && !Object.hasOwn(merged, key)) {
        Object.assign(merged, { [key]: value });
      }
    }
  }
  return { ...merged, name: highest.name };
}

function mergedDefinition(name: string, layers: readonly ProfileLayer[]): Profile | undefined {
  return mergeProfiles(layers.flatMap((layer) => {
    const profile = layer.find(name);
    return profile === undefined ? [] : [{ ...profile, source: layer.source }];
  }));
}

function inheritanceProblems(
  profile: Profile,
  layers: readonly ProfileLayer[],
): ProfileProblem[] {
  const visited = [profile.name];
  let current: Profile | undefined = profile;
  while (current?.inherits !== undefined) {
    const next: string = current.inherits;
    if (visited.includes(next)) {
      return [
        inheritance(profile, "inherits_cycle", `${[...visited, next].join(" → ")} is a circle`),
      ];
    }
    visited.push(next);
    current = mergedDefinition(next, layers);
    // Only the first step is applied, so only that one has to exist.
    if (current === undefined && visited.length === 2) {
      return [inheritance(profile, "inherits_unknown", `inherits ${next}, which does not exist`)];
    }
  }
  return [];
}

function inheritance(profile: Profile, rule: string, message: string): ProfileProblem {
  return {
    code: "PROFILE_INVALID",
    severity: "error",
    rule,
    profile: profile.name,
    field: "inherits",
    message,
  };
}

/** The binding tables of the layers as one; a higher layer's key wins. */
export function mergeBindings(layers: readonly ProfileLayer[]): Map<string, BindingEntry> {
  const merged = new Map<string, BindingEntry>();
  for (const layer of layers) {
    for (const [key, entry] of layer.bindings()) if (!merged.has(key)) merged.set(key, entry);
  }
  return merged;
}

/** What a binding table says about a call. A variant's line beats its operation's. */
export function bindingFor(
  bindings: ReadonlyMap<string, BindingEntry>,
  call: { opId: string; variantId: string },
): { key: string; entry: BindingEntry } | undefined {
  for (const key of [call.variantId, call.opId]) {
    const entry = bindings.get(key);
    if (entry !== undefined) return { key, entry };
  }
  return undefined;
}

/** S11 as an error: a binding names a profile that nothing defines. */
export function unknownBindingProfile(key: string, entry: BindingEntry): GumError {
  return new GumError("OVERRIDE_BINDING_INVALID", {
    message: `${entry.path}: override_bindings."${key}" names ${entry.value}, which does not exist`,
    details: { path: entry.path, key, value: entry.value, rule: "unknown_profile" },
    userMessage: `The profile ${entry.value}, bound to ${key}, does not exist.`,
    suggestion: `Define ${entry.value} or correct the binding in ${entry.path}.`,
  });
}

/**
 * The checks that every load of a user's or a project's profile passes before it shapes anything.
 * Warnings come back; the first error is thrown.
 */
export function acceptResolution(
  resolution: Resolution,
  layers: readonly ProfileLayer[],
): string[] {
  const { profile, reach: source } = resolution;
  if (source === "catalog-embedded") return [];
  const problems = [...resolution.problems, ...effectiveProblems(profile, { source })];
  const error = problems.find(({ severity }) => severity === "error");
  if (error !== undefined) {
    throw problemError(error, declaringFile(error, { profile: profile.name, layers }));
  }
  return problems.filter(({ rule }) => rule === "recovery_disabled").map(({ message }) => message);
}

/** The file to correct: the one that declares the key at fault, else the first that has a part. */
export function declaringFile(
  { field }: ProfileProblem,
  at: { profile: string; layers: readonly ProfileLayer[] },
): string | undefined {
  const { profile, layers } = at;
  const base = mergedDefinition(profile, layers)?.inherits;
  const parts = [profile, base].filter((name) => name !== undefined).flatMap((name) =>
    layers.flatMap((layer) => {
      const path = layer.pathOf?.(name);
      return path === undefined ? [] : [{ path, declared: layer.find(name) }];
    })
  );
  const key = field?.split(".")[0] ?? "";
  const faulty = parts.find(({ declared }) =>
    declared !== undefined && Object.hasOwn(declared, key)
  );
  return (faulty ?? parts[0])?.path;
}
