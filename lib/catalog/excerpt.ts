/**
 * One operation out of the shipped catalog without reading the others: a process that asks for one
 * spends more on the rest of the catalog than on everything else it does.
 */

import { embeddedCatalogText } from "./embedded.ts";
import { loadCatalog } from "./load.ts";
import { checkOpVersions, withCurrentNames } from "./parse.ts";
import { createSnapshot, type SnapshotOptions } from "./snapshot.ts";
import type { CatalogSnapshot, Op } from "./types.ts";

/** How the generator begins a catalog of the version that this build reads. */
const HEAD = '{\n  "catalog_schema_version": 1,\n';
/** Around an operation, as the generator indents it. */
const BEGIN = "\n    {";
const END = "\n    }";

/**
 * The operation of an id in the text of a catalog. Undefined when it is not there, or when the text
 * is not laid out as the generator lays it out: whoever reads the whole of it says what is wrong.
 *
 * @throws GumError with the codes of {@link checkOpVersions}.
 */
export function excerptOp(text: string, opId: string): Op | undefined {
  const id = text.indexOf(`${BEGIN}\n      "op_id": ${JSON.stringify(opId)},\n`);
  if (id < 0 || !text.startsWith(HEAD)) return undefined;
  const end = text.indexOf(END, id + BEGIN.length);
  const op = end < 0 ? undefined : readOp(text.slice(id, end + END.length));
  if (op === undefined) return undefined;
  checkOpVersions(op);
  return withCurrentNames(op);
}

function readOp(text: string): Op | undefined {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** The shipped text; a build without one has no operation to find, and the whole read says so. */
function shippedText(): string {
  try {
    return embeddedCatalogText();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return "";
  }
}

/**
 * The snapshot of what ships, for a process that looks up an operation or two. Whatever else it is
 * asked, it reads the catalog as a whole.
 */
export function openShippedSnapshot(options: SnapshotOptions): CatalogSnapshot {
  let snapshot: CatalogSnapshot | undefined;
  const whole = () => snapshot ??= createSnapshot(loadCatalog(), options);
  // A plugin's operation is admitted by what the catalog holds.
  if (options.pluginOps !== undefined && options.pluginOps.length > 0) return whole();
  let text: string | undefined;
  const excerpts = new Map<string, Op | undefined>();
  const excerpt = (opId: string): Op | undefined => {
    if (!excerpts.has(opId)) excerpts.set(opId, excerptOp(text ??= shippedText(), opId));
    return excerpts.get(opId);
  };
  return {
    get ops() {
      return whole().ops;
    },
    findOp: (opId) => (snapshot === undefined ? excerpt(opId) : undefined) ?? whole().findOp(opId),
    findVariant: (variantId) => whole().findVariant(variantId),
    requestSchema: (ref) => whole().requestSchema(ref),
    furtherIds: (prefix, limit) => whole().furtherIds?.(prefix, limit) ?? [],
    everyOp: (service) => whole().everyOp?.(service) ?? [],
    isHidden: (opId) => whole().isHidden?.(opId) ?? false,
  };
}
