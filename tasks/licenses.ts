/**
 * `deno task licenses`: every package of the lock file against the list of accepted licences.
 *
 * A licence is read where the code comes from: the `package.json` that the lock's integrity hash
 * covers, in Deno's own package cache. Nothing is asked over the network.
 */

/** Licences whose terms a redistributed executable meets by shipping the notices. */
const ACCEPTED_LICENSES: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
  "Zlib",
]);

/** One package version of the lock file. */
export interface LockedPackage {
  name: string;
  version: string;
  /** Keys of the lock's `npm` table that this one needs at run time. */
  needs: string[];
  /** The package runs a script when installed. */
  installScript: boolean;
}

/** What the package itself says about its terms. */
export interface PackageTerms {
  /** SPDX expression, or an empty string where the package names none. */
  license: string;
  /** Full text of its licence and notice files; absent where it ships none. */
  text?: string;
  /** Where its sources are, as it says. */
  homepage: string;
}

interface LockEntry {
  dependencies?: string[];
  optionalDependencies?: string[];
  scripts?: boolean;
}

/** The lock's packages by their key in the lock. */
export function lockedPackages(lockText: string): Map<string, LockedPackage> {
  const npm: Record<string, LockEntry> = JSON.parse(lockText).npm ?? {};
  const keys = Object.keys(npm);
  return new Map(
    Object.entries(npm).map(([key, entry]) => {
      const at = key.indexOf("@", 1);
      const needs = [...entry.dependencies ?? [], ...entry.optionalDependencies ?? []];
      return [key, {
        name: key.slice(0, at),
        // What follows an underscore names the peers it was resolved with.
        version: key.slice(at + 1).replace(/_.*$/, ""),
        needs: needs.flatMap((need) => keys.filter((other) => isNeeded(other, need))),
        installScript: entry.scripts === true,
      }];
    }),
  );
}

function isNeeded(key: string, need: string): boolean {
  return key === need || key.startsWith(need.indexOf("@", 1) > 0 ? `${need}_` : `${need}@`);
}

/** `roots` and all they need, by name, in the lock's order. */
export function withNeeds(
  packages: ReadonlyMap<string, LockedPackage>,
  roots: ReadonlySet<string>,
): LockedPackage[] {
  const reached = new Set<string>();
  const reach = (key: string) => {
    if (reached.has(key)) return;
    reached.add(key);
    packages.get(key)?.needs.forEach(reach);
  };
  for (const [key, { name }] of packages) if (roots.has(name)) reach(key);
  return [...packages].filter(([key]) => reached.has(key)).map(([, entry]) => entry);
}

/** Deno's folder of unpacked packages, one folder a registry. */
export async function packageCache(): Promise<string> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stderr: "null",
  }).output();
  if (!success) throw new Error("deno info does not say where the package cache is");
  return JSON.parse(new TextDecoder().decode(stdout)).npmCache;
}

/** Reads a package's terms from the cache. @throws Error where the package is not cached */
export function packageTerms(cache: string, { name, version }: LockedPackage): PackageTerms {
  const folder = [...Deno.readDirSync(cache)]
    .filter((registry) => registry.isDirectory)
    .map((registry) => `${cache}/${registry.name}/${name}/${version}`)
    .find(exists);
  if (folder === undefined) {
    throw new Error(`${name}@${version} is not in the package cache: run deno install --frozen`);
  }
  const manifest = JSON.parse(Deno.readTextFileSync(`${folder}/package.json`));
  const texts = [...Deno.readDirSync(folder)]
    .filter(({ name, isFile }) => isFile && /^(licen[cs]e|copying|notice)/i.test(name))
    .map(({ name }) => name)
    .sort()
    .map((file) => Deno.readTextFileSync(`${folder}/${file}`).trim());
  return {
    license: licenseName(manifest),
    ...(texts.length === 0 ? {} : { text: texts.join("\n\n").replaceAll("\r\n", "\n") }),
    homepage: sourcePlace(manifest),
  };
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

interface PackageManifest {
  license?: string | { type?: string };
  licenses?: { type?: string }[];
  homepage?: string;
  repository?: string | { url?: string };
}

/** The manifest's licence, in the old spellings too; of several offered, any may be chosen. */
function licenseName({ license, licenses }: PackageManifest): string {
  if (typeof license === "string") return license;
  if (license?.type !== undefined) return license.type;
  return (licenses ?? []).map(({ type }) => type ?? "").filter((type) => type !== "").join(" OR ");
}

function sourcePlace({ homepage, repository }: PackageManifest): string {
  const url = typeof repository === "string" ? repository : repository?.url ?? homepage ?? "";
  const shorthand = /^[\w.-]+\/[\w.-]+$/.test(url) ? `https://github.com/${url}` : url;
  return shorthand.replace(/^git\+/, "").replace(/^git:\/\//, "https://")
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/").replace(/\.git$/, "");
}

/**
 * Whether an SPDX expression can be met with accepted licences: any part of an `OR`, every part of
 * an `AND`. Exceptions (`WITH`) count as their base licence: they only widen what is allowed.
 */
export function isAccepted(expression: string): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const term = (): boolean => {
    if (tokens[at] === "(") {
      at++;
      const inner = either();
      if (tokens[at++] !== ")") throw new SyntaxError(`not an SPDX expression: ${expression}`);
      return inner;
    }
    const accepted = ACCEPTED_LICENSES.has(tokens[at++] ?? "");
    if (tokens[at] === "WITH") at += 2;
    return accepted;
  };
  const every = (): boolean => {
    let accepted = term();
    while (tokens[at] === "AND") {
      at++;
      accepted = term() && accepted;
    }
    return accepted;
  };
  const either = (): boolean => {
    let accepted = every();
    while (tokens[at] === "OR") {
      at++;
      accepted = every() || accepted;
    }
    return accepted;
  };
  const accepted = either();
  return accepted && at === tokens.length;
}

/** What is wrong with the lock's packages, one line each. */
export async function licenseProblems(): Promise<string[]> {
  const cache = await packageCache();
  const packages = lockedPackages(
    await Deno.readTextFile(new URL("../deno.lock", import.meta.url)),
  );
  return [...packages.values()].flatMap((entry) => {
    const label = `${entry.name}@${entry.version}`;
    const { license } = packageTerms(cache, entry);
    if (license === "") return [`${label} names no licence`];
    return isAccepted(license) ? [] : [`${label} is under ${license}, which is not accepted`];
  });
}

if (import.meta.main) {
  const problems = await licenseProblems();
  for (const problem of problems) console.error(`licenses: ${problem}`);
  if (problems.length > 0) Deno.exit(1);
  console.log("licenses: every package of deno.lock is under accepted terms");
}
