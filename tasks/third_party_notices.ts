/**
 * The notices that travel with an executable: whose code is inside and under which terms.
 *
 *     deno run -q -P=build tasks/third_party_notices.ts > THIRD_PARTY_NOTICES.txt
 *
 * Counted are the packages that `main.ts` and the sandbox worker reach, with all they need; what
 * only tests import is in no executable and not listed. The text depends on the lock file and the
 * sources alone, so two builds of one tree carry the same bytes.
 */

import { type ImportEdge, importGraph } from "../lint/import_graph.ts";
import {
  type LockedPackage,
  lockedPackages,
  packageCache,
  type PackageTerms,
  packageTerms,
  withNeeds,
} from "./licenses.ts";

const ROOT = new URL("..", import.meta.url);
/** Where the executable starts, and the program that its scripts run in (embedded as text). */
const ENTRIES = ["main.ts", "lib/code/worker/worker.ts"];

const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** What is inside without being a package of the lock file. */
const OTHER_PARTS: readonly Notice[] = [
  {
    title: "Deno runtime",
    license: "MIT",
    homepage: "https://github.com/denoland/deno",
    text: `Copyright 2018-2026 the Deno authors\n\n${MIT_TERMS}`,
  },
  {
    title: "QuickJS (inside the sandbox's WebAssembly module)",
    license: "MIT",
    homepage: "https://bellard.org/quickjs/",
    text: `Copyright (c) 2017-2024 Fabrice Bellard\nCopyright (c) 2017-2024 Charlie Gordon\n\n` +
      MIT_TERMS,
  },
];

interface Notice {
  title: string;
  license: string;
  homepage: string;
  text: string;
}

/** Which of `packages` the entries reach, lazily imported ones included. */
export function reachedPackages(
  edges: readonly ImportEdge[],
  { entries, packages }: { entries: readonly string[]; packages: readonly string[] },
): Set<string> {
  const imports = Map.groupBy(edges.filter((edge) => !edge.typeOnly), (edge) => edge.from);
  const seen = new Set<string>();
  const reach = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const edge of imports.get(file) ?? []) reach(edge.to);
  };
  entries.forEach(reach);
  return new Set(
    packages.filter((name) => [...seen].some((to) => to === name || to.startsWith(`${name}/`))),
  );
}

/** Packages that are inside the executable. */
export async function shippedPackages(): Promise<LockedPackage[]> {
  const lock = lockedPackages(await Deno.readTextFile(new URL("deno.lock", ROOT)));
  const roots = reachedPackages(importGraph(ROOT.pathname.replace(/\/$/, "")), {
    entries: ENTRIES,
    packages: [...lock.values()].map(({ name }) => name),
  });
  return withNeeds(lock, roots).sort((left, right) => compare(label(left), label(right)));
}

function label({ name, version }: LockedPackage): string {
  return `${name} ${version}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Notices of everything inside the executable, one text. @throws Error where terms cannot be read */
export async function thirdPartyNotices(): Promise<string> {
  const cache = await packageCache();
  const notices = (await shippedPackages()).map((entry) =>
    notice(entry, packageTerms(cache, entry))
  );
  return renderNotices([...OTHER_PARTS, ...notices]);
}

function notice(entry: LockedPackage, terms: PackageTerms): Notice {
  if (terms.text === undefined) {
    throw new Error(`${label(entry)} ships no licence text: its terms must be added by hand`);
  }
  const { license, homepage, text } = terms;
  return { title: label(entry), license, homepage, text };
}

/** Parts with the same text share it, so that the terms stand once under many names. */
function renderNotices(notices: readonly Notice[]): string {
  const line = "-".repeat(80);
  const groups = Map.groupBy(notices, ({ text }) => text);
  const sections = [...groups].map(([text, parts]) => {
    const heads = parts.map(({ title, license, homepage }) =>
      `${title} (${license})${homepage === "" ? "" : `\n  ${homepage}`}`
    );
    return `${heads.join("\n")}\n\n${text}\n`;
  });
  return [
    "gum contains the following third-party software.\n",
    ...sections,
  ].join(`\n${line}\n\n`);
}

if (import.meta.main) {
  await Deno.stdout.write(new TextEncoder().encode(await thirdPartyNotices()));
}
