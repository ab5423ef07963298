/** The import graph of the source tree, read from the files as text. */

/** One import: who imports what, and whether only types cross. */
export interface ImportEdge {
  /** Importing file, relative to the root. */
  from: string;
  /** Imported file relative to the root, or the bare specifier. */
  to: string;
  typeOnly: boolean;
  /** `import("…")` inside a function: not loaded with the file. */
  lazy: boolean;
}

const STATIC = /^\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/gm;
const LAZY = /\bimport\(\s*["']([^"']+)["']\s*[,)]/g;
const BLOCK_OF_TYPES = /^\s*(?:import|export)\s+\{([^}]*)\}\s+from\s+["']([^"']+)["']/gm;

/** Every import of the TypeScript sources below `root`, tests and fixtures left out. */
export function importGraph(root: string): ImportEdge[] {
  return sourceFiles(root).flatMap((file) => {
    const source = Deno.readTextFileSync(`${root}/${file}`);
    const inlineTypes = new Set(
      [...source.matchAll(BLOCK_OF_TYPES)]
        .filter((match) => (match[1] ?? "").split(",").every(isTypeBinding))
        .map((match) => match[2]),
    );
    return [
      ...[...source.matchAll(STATIC)].map((match) => ({
        from: file,
        to: resolve(file, match[2] ?? ""),
        typeOnly: match[1] !== undefined || inlineTypes.has(match[2]),
        lazy: false,
      })),
      ...[...source.matchAll(LAZY)].map((match) => ({
        from: file,
        to: resolve(file, match[1] ?? ""),
        typeOnly: false,
        lazy: true,
      })),
    ];
  });
}

function isTypeBinding(binding: string): boolean {
  return binding.trim() === "" || binding.trim().startsWith("type ");
}

/** Production sources below `root`, relative, sorted. */
export function sourceFiles(root: string, folder = ""): string[] {
  const skipped = new Set([
    "node_modules",
    ".git",
    "dist",
    "testdata",
    "coverage",
    "lint",
    "tasks",
  ]);
  return [...Deno.readDirSync(`${root}/${folder}`)]
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory) return skipped.has(entry.name) ? [] : sourceFiles(root, path);
      return /\.ts$/.test(entry.name) && !/_(test|bench)\.ts$/.test(entry.name) ? [path] : [];
    });
}

function resolve(from: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  const url = new URL(specifier, `file:///${from}`);
  return decodeURIComponent(url.pathname.slice(1));
}

/** `lib/dispatch` for `lib/dispatch/steps/x.ts`, `cli` for `cli/x.ts`, the file itself at the root. */
export function folderOf(path: string): string {
  const parts = path.split("/");
  if (parts.length === 1) return path;
  return parts[0] === "lib" && parts.length > 2 ? `lib/${parts[1]}` : parts[0] ?? path;
}

/** Module cycles over static value imports; each is the list of files on the way round. */
export function valueCycles(edges: readonly ImportEdge[]): string[][] {
  const targets = Map.groupBy(edges.filter((edge) => !edge.typeOnly && !edge.lazy), (e) => e.from);
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) {
      cycles.push(path.slice(at));
      return;
    }
    if (done.has(file)) return;
    for (const edge of targets.get(file) ?? []) visit(edge.to, [...path, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}
