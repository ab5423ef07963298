/** Partial-response masks: their grammar, and their check against a response skeleton (spec 03 §3.11). */

/** Names of a response level: `true` for a leaf, a tree below an object. */
export interface ProjectionTree {
  [name: string]: true | ProjectionTree;
}

/** A parsed mask: field names with their sub-masks. */
export interface MaskTree {
  [name: string]: MaskTree;
}

/** Key that stands for "any name" under a map. */
export const ANY_NAME = "*";

/** Parses a mask; the error text names the position (0-based). */
export function parseMask(mask: string): MaskTree {
  let position = 0;
  const fail = (what: string): never => {
    throw new SyntaxError(`${what} at position ${position}`);
  };
  const level = (): MaskTree => {
    const tree: MaskTree = {};
    for (;;) {
      const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(mask.slice(position))?.[0];
      if (name === undefined) return fail(position >= mask.length ? "field expected" : "illegal");
      if (Object.hasOwn(tree, name)) fail(`duplicate field ${name}`);
      position += name.length;
      tree[name] = {};
      if (mask[position] === "(") {
        position++;
        tree[name] = level();
        if (mask[position] !== ")") fail("`)` expected");
        position++;
      }
      if (mask[position] !== ",") return tree;
      position++;
    }
  };
  const tree = level();
  if (position < mask.length) fail(`unexpected ${JSON.stringify(mask[position])}`);
  return tree;
}

/** Selectors of a mask that a projection does not have, as slash paths. */
export function unknownSelectors(mask: MaskTree, projection: ProjectionTree): string[] {
  const missing: string[] = [];
  const walk = (level: MaskTree, names: ProjectionTree, prefix: string): void => {
    for (const [name, below] of Object.entries(level)) {
      const path = `${prefix}${name}`;
      const known = Object.hasOwn(names, name) ? names[name] : names[ANY_NAME];
      if (known === undefined) missing.push(path);
      else if (Object.keys(below).length > 0) {
        if (known === true) missing.push(`${path}/${Object.keys(below)[0]}`);
        else walk(below, known, `${path}/`);
      }
    }
  };
  walk(mask, projection, "");
  return missing;
}
