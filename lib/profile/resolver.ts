/** The kernel's profile resolver, over embedded, user and project profiles (spec 03 §3.3). */

import type { Variant } from "../catalog/types.ts";
import type { ProfileResolver } from "../dispatch/types.ts";
import { EMBEDDED_PROFILES } from "./embedded.generated.ts";
import {
  cachingFileReader,
  directoryLayer,
  embeddedLayer,
  parsedLayer,
  type ProfileLayer,
} from "./layers.ts";
import { problemError } from "./problems.ts";
import { isPresentAndOwn, projectProfilesDirectory } from "./project_root.ts";
import {
  acceptResolution,
  bindingFor,
  declaringFile,
  mergeBindings,
  type Resolution,
  resolveProfile,
  unknownBindingProfile,
} from "./resolve.ts";
import { variantProblems } from "./semantics.ts";
import type { Profile, ResolvedProfile } from "./types.ts";

/** Where a session's profiles come from. */
export interface ProfileSources {
  /** `<config>/gum/profiles`; absent when there is no configuration directory. */
  userDirectory?: string;
  /** Profiles of active plugins; an embedded profile of the same name wins. */
  pluginProfiles?: ReadonlyMap<string, Profile>;
  /** Profiles as JSON, by name; default is what GUM ships. */
  embedded?: Readonly<Record<string, string>>;
  /** Directories of other users are skipped. Default: the current user, where that may be asked. */
  uid?: number | null;
}

/** Gives the layers of a call, highest first; parsed files are kept between calls. */
export type LayersOf = (projectRootPath?: string) => ProfileLayer[];

/** Binds the sources of a session. */
export function assembleLayers(sources: ProfileSources): LayersOf {
  const read = cachingFileReader();
  const uid = sources.uid === undefined ? currentUid(sources.userDirectory) : sources.uid;
  const lowest: ProfileLayer[] = [embeddedLayer(sources.embedded ?? EMBEDDED_PROFILES)];
  if (sources.pluginProfiles !== undefined) {
    lowest.push(parsedLayer("catalog-embedded", sources.pluginProfiles));
  }
  return (projectRootPath) => {
    const layers: ProfileLayer[] = [];
    const project = projectRootPath === undefined
      ? undefined
      : projectProfilesDirectory(projectRootPath, { uid });
    if (project !== undefined) {
      layers.push(directoryLayer(project, { source: "project-local", read }));
    }
    const { userDirectory } = sources;
    if (userDirectory !== undefined && isPresentAndOwn(userDirectory, uid)) {
      layers.push(directoryLayer(userDirectory, { source: "user-global", read }));
    }
    return [...layers, ...embeddedOver(lowest)];
  };
}

/** Embedded definitions replace plugin ones whole; the two are not merged key by key. */
function embeddedOver(lowest: readonly ProfileLayer[]): ProfileLayer[] {
  const [embedded, plugins] = lowest;
  if (embedded === undefined || plugins === undefined) return [...lowest];
  return [{
    source: "catalog-embedded",
    find: (name) => embedded.find(name) ?? plugins.find(name),
    names: () => [...new Set([...embedded.names(), ...plugins.names()])],
    bindings: () => new Map(),
  }];
}

/** The resolver over layers. */
export function resolverOver(layersOf: LayersOf): ProfileResolver {
  return {
    resolve({ op, variant, preset, projectRootPath }) {
      if (preset !== undefined) return { profile: preset, warnings: [] };
      const layers = layersOf(projectRootPath);
      const bound = bindingFor(mergeBindings(layers), {
        opId: op.op_id,
        variantId: variant.variant_id,
      });
      const name = bound?.entry.value ?? variant.output_profile;
      if (name === undefined) return { profile: undefined, warnings: [] };
      const resolution = resolveProfile(name, layers);
      if (resolution === undefined) {
        if (bound !== undefined) throw unknownBindingProfile(bound.key, bound.entry);
        return { profile: undefined, warnings: [] };
      }
      const warnings = acceptResolution(resolution, layers);
      refuseUnsafe(resolution.profile, { variant, layers });
      const usedProjectLayer = resolution.reach === "project-local" ||
        bound?.entry.source === "project-local";
      const untrusted = untrustedFields(resolution, { name, variant, layers });
      const profile = untrusted === undefined
        ? resolution.profile
        : { ...resolution.profile, untrusted_fields: untrusted };
      return { profile, warnings, usedProjectLayer };
    },
  };
}

/**
 * The text of strangers in an answer is the same whichever profile shapes it. A profile that says
 * nothing about it leaves that to the variant's own; one that came with a project, which strangers
 * may have written too, can add to the list and not shorten it. Undefined where nothing changes.
 */
function untrustedFields(
  { profile, reach }: Resolution,
  call: { name: string; variant: Variant; layers: readonly ProfileLayer[] },
): string[] | undefined {
  const { name, variant: { output_profile: usual }, layers } = call;
  if (reach === "catalog-embedded" && name === usual) return undefined;
  const trusted = layers.filter(({ source }) => source !== "project-local");
  const declared = [name, usual]
    .map((known) => known === undefined ? undefined : resolveProfile(known, trusted))
    .find((known) => known?.profile.untrusted_fields !== undefined)?.profile.untrusted_fields ?? [];
  const own = profile.untrusted_fields ?? [];
  const missing = declared.filter((path) => !own.includes(path));
  return missing.length === 0 ? undefined : [...own, ...missing];
}

/** S3. The dual-fetch rule is a gate of its own, in the kernel. */
function refuseUnsafe(
  profile: ResolvedProfile,
  { variant, layers }: { variant: Variant; layers: readonly ProfileLayer[] },
): void {
  const unsafe = variantProblems(profile, variant)
    .find(({ code }) => code === "PROFILE_STRIP_NULLS_UNSAFE");
  if (unsafe === undefined) return;
  throw problemError(unsafe, declaringFile(unsafe, { profile: profile.name, layers }));
}

/** The user's id, or the owner of their own directory where the id may not be asked. */
function currentUid(ownDirectory: string | undefined): number | null {
  try {
    return Deno.uid();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
  for (let path = ownDirectory; path !== undefined && path.includes("/");) {
    try {
      return Deno.statSync(path).uid;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      path = path.slice(0, path.lastIndexOf("/"));
    }
  }
  return null;
}
