/** Which methods of all documents become operations, and which versions become their variants. */

import {
  type DiscoveryDocument,
  type DiscoveryMethod,
  indexMethods,
  stabilityOfVersion,
} from "../../derive/mod.ts";
import { OP_ID_PATTERN, templateNames } from "../../validate/mod.ts";
import { operationTail, serviceKey, versionFamily } from "../naming.ts";

/** What the curated tier says about one of its services. */
export interface CuratedService {
  service: string;
  api: string;
  version: string;
  service_family: string;
  title?: string;
  op_prefix?: string;
  method_prefix?: string;
  host_defaults?: Record<string, string>;
  scope_preference?: string[];
  /** Method ids that a curated operation already runs. */
  methodIds: readonly string[];
}

/** Everything the selection depends on beside the documents. */
export interface SelectionContext {
  curated: readonly CuratedService[];
  /** Ids of curated operations; none is built twice. */
  curatedOpIds: ReadonlySet<string>;
  /** Globs over op ids that are never built. */
  exclude: readonly string[];
}

/** A method of one document. */
export interface VersionedMethod {
  document: DiscoveryDocument;
  method: DiscoveryMethod;
}

/** One operation to be built. */
export interface SelectedMethod extends VersionedMethod {
  opId: string;
  service: string;
  /** Same operation in other versions, best first. */
  others: VersionedMethod[];
}

/** Why methods did not become operations of their own. */
export interface SelectionCounts {
  methods: number;
  /** Run by a curated operation, in this or an older version. */
  curated: number;
  /** Became a further variant of an operation. */
  variants: number;
  /** Same method in another version with another path shape. */
  reshaped: number;
  /** Only in an alpha or beta version of an API that has a stable one, or superseded. */
  unstable: number;
  /** Excluded by name. */
  excluded: number;
}

/** The selection. */
export interface Selection {
  selected: SelectedMethod[];
  counts: SelectionCounts;
}

/** Selects operations; sorted by service, then op id. */
export function selectMethods(
  documents: Iterable<DiscoveryDocument>,
  context: SelectionContext,
): Selection {
  const counts: SelectionCounts = {
    methods: 0,
    curated: 0,
    variants: 0,
    reshaped: 0,
    unstable: 0,
    excluded: 0,
  };
  const families = new Map<string, DiscoveryDocument[]>();
  const seen = new Set<string>();
  for (const document of documents) {
    // The package holds some documents under two file names.
    const key = `${document.name} ${document.version}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const family = `${document.name} ${versionFamily(document.version)}`;
    families.set(family, [...families.get(family) ?? [], document]);
  }
  const selected = new Map<string, SelectedMethod>();
  const excluded = context.exclude.map(globPattern);
  for (const [, members] of [...families].sort(([a], [b]) => a < b ? -1 : 1)) {
    const versions = members.sort((a, b) => compareVersions(a.version, b.version));
    const curated = context.curated.filter(({ api, version }) =>
      versions.some((document) => document.name === api && document.version === version)
    );
    selectFamily(versions, { curated, context, excluded, counts, selected });
  }
  return {
    selected: [...selected.values()].sort((a, b) =>
      a.service === b.service ? (a.opId < b.opId ? -1 : 1) : a.service < b.service ? -1 : 1
    ),
    counts,
  };
}

function selectFamily(
  versions: readonly DiscoveryDocument[],
  family: {
    curated: readonly CuratedService[];
    context: SelectionContext;
    excluded: readonly RegExp[];
    counts: SelectionCounts;
    selected: Map<string, SelectedMethod>;
  },
): void {
  const { curated, context, counts, selected } = family;
  const hasStable = versions.some(({ version }) => stabilityOfVersion(version) === "stable");
  // Method ids are Google's own and global: a second document of the same API adds nothing.
  const curatedMethods = new Set(context.curated.flatMap(({ methodIds }) => methodIds));
  const curatedVersions = new Set(curated.map(({ version }) => version));
  const best = stabilityOfVersion(versions[0]?.version ?? "");
  const stableIds = new Set(
    versions.filter(({ version }) => stabilityOfVersion(version) === "stable")
      .flatMap((document) => [...indexMethods(document).keys()]),
  );
  for (const document of versions) {
    const methods = [...indexMethods(document).values()];
    counts.methods += methods.length;
    // A curated service is known by one version; older ones would only blur it.
    const mayAdd = curatedVersions.size > 0
      ? curatedVersions.has(document.version)
      : stabilityOfVersion(document.version) === (hasStable ? "stable" : best) ||
        // Some stable versions are stubs beside the beta that everybody uses.
        stabilityOfVersion(document.version) === "beta" && 2 * stableIds.size < methods.length;
    for (const method of methods) {
      const { opId, service } = identify(document, method, curated);
      const known = selected.get(opId);
      if (curatedMethods.has(method.id) || context.curatedOpIds.has(opId)) counts.curated++;
      else if (family.excluded.some((glob) => glob.test(opId)) || !OP_ID_PATTERN.test(opId)) {
        counts.excluded++;
      } else if (known === undefined) {
        if (mayAdd) selected.set(opId, { opId, service, document, method, others: [] });
        else counts.unstable++;
      } else if (known.document.name !== document.name) {
        throw new TypeError(`${opId} comes from ${known.document.name} and ${document.name}`);
      } else if (known.document.version === document.version) {
        throw new TypeError(`${opId} twice in ${document.name} ${document.version}`);
      } else if (curatedVersions.size === 0 && sameShape(known.method, method)) {
        known.others.push({ document, method });
        counts.variants++;
      } else counts.reshaped++;
    }
  }
}

/** Op id and service of a method; a curated service's own prefixes win. */
function identify(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
  curated: readonly CuratedService[],
): { opId: string; service: string } {
  for (const one of curated) {
    const methodPrefix = one.method_prefix ?? `${one.api}.`;
    if (!method.id.startsWith(methodPrefix)) continue;
    const prefix = one.op_prefix ?? `${one.service}.`;
    return {
      opId: `${prefix}${operationTail(method.id.slice(methodPrefix.length))}`,
      service: one.service,
    };
  }
  const [own] = curated;
  const service = own?.service ?? serviceKey(document.name);
  const dot = method.id.indexOf(".");
  const first = method.id.slice(0, dot);
  const tail = operationTail(method.id.slice(dot + 1));
  // Admin SDK keeps several APIs under one name, told apart by the first segment.
  const sub = document.name === "admin" ? `${serviceKey(first)}.` : "";
  return { opId: `${service}.${sub}${tail}`, service };
}

function sameShape(main: DiscoveryMethod, other: DiscoveryMethod): boolean {
  const names = (method: DiscoveryMethod) => templateNames(method.path).sort().join(",");
  return main.httpMethod === other.httpMethod && names(main) === names(other);
}

/** Best first: stable, beta, alpha; then the higher number. */
function compareVersions(a: string, b: string): number {
  const order = ["stable", "beta", "alpha"];
  const stability = (version: string) => order.indexOf(stabilityOfVersion(version));
  const numbers = (version: string) => (version.match(/\d+/g) ?? []).map(Number);
  const difference = stability(a) - stability(b);
  if (difference !== 0) return difference;
  const [left, right] = [numbers(a), numbers(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const step = (right[at] ?? -1) - (left[at] ?? -1);
    if (step !== 0) return step;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Pattern of a glob over op ids; `*` stands for any part. */
export function globPattern(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
