/**
 * The Google-native files of one emulated world: what Drive lists and what Docs, Sheets and Slides
 * open are the same files, so that an id from one resolves in the other.
 */

import { seededRandom } from "../random.ts";
import type { SeededRandom, ServiceSeed } from "../service.ts";
import { opaqueId } from "./requests.ts";
import { proseOf } from "./prose.ts";

/** The editor that owns a native file. */
export type NativeKind = "document" | "spreadsheet" | "presentation";

/** A native file, known to Drive and to its editor. */
export interface NativeFile {
  readonly id: string;
  readonly kind: NativeKind;
  title: string;
  createdAt: number;
  modifiedAt: number;
  /** Place in the seeded list; undefined for files made later. */
  readonly seeded?: number;
  /** The file whose content this one starts with. */
  readonly copyOf?: string;
  /** Text that an upload brought in: what the editor shows first. */
  readonly imported?: string;
}

/** Text or bytes that an editor exports for a native file; undefined when it can not. */
export type NativeExporter = (id: string, mimeType: string) => string | undefined;

/** Registry of the native files of one world. */
export interface NativeFiles {
  /** All files, in order of making. */
  list(kind?: NativeKind): NativeFile[];
  find(id: string): NativeFile | undefined;
  add(file: NativeFile): void;
  /** Forgets a file for good; its editor then answers 404. */
  remove(id: string): void;
  /** Content export by kind, registered by the editor's service when there is one. */
  exporters: Map<NativeKind, NativeExporter>;
  /** What seeded contents are drawn from, whichever service opens a file first. */
  content: SeededRandom;
}

/** How many files of each kind a world starts with. */
const SEEDED_NATIVE_COUNTS: Readonly<Record<NativeKind, number>> = {
  document: 58,
  spreadsheet: 36,
  presentation: 18,
};

const shared = new WeakMap<object, NativeFiles>();

/** The registry of a seed's world; services given the same `world` get the same registry. */
export function nativeFilesOf(seed: ServiceSeed): NativeFiles {
  const known = seed.world === undefined ? undefined : shared.get(seed.world);
  if (known !== undefined) return known;
  const made = seededNativeFiles(seed);
  if (seed.world !== undefined) shared.set(seed.world, made);
  return made;
}

function seededNativeFiles(seed: ServiceSeed): NativeFiles {
  const files = new Map<string, NativeFile>();
  // Derived from the account alone, so that services with differently forked randomness agree.
  const random = seededRandom(1, `native files of ${seed.account.email}`);
  const prose = proseOf(random.fork("titles"));
  for (const kind of ["document", "spreadsheet", "presentation"] as const) {
    for (let index = 0; index < SEEDED_NATIVE_COUNTS[kind]; index++) {
      const createdAt = seed.now - random.int(20, 900) * 86_400_000 - random.int(0, 86_399_999);
      const age = Math.max(1, Math.floor((seed.now - createdAt) * random.next() ** 3));
      const id = `1${opaqueId(random, 43)}`;
      files.set(id, {
        id,
        kind,
        title: prose.fileTitle(),
        createdAt,
        modifiedAt: seed.now - age,
        seeded: index,
      });
    }
  }
  return {
    list: (kind) => [...files.values()].filter((file) => kind === undefined || file.kind === kind),
    find: (id) => files.get(id),
    add: (file) => void files.set(file.id, file),
    remove: (id) => void files.delete(id),
    exporters: new Map(),
    content: random.fork("content"),
  };
}
