/** Dot paths over trees in which arrays are transparent (spec 03 §3.4). */

/**
 * Walkers that recurse stop here and leave what lies deeper as it is. No Google answer nests a
 * tenth as deep; a hostile one must not overflow the stack.
 */
export const DEPTH_LIMIT = 1_000;

/** A set of dot paths as a tree, one node a segment. */
export interface PathNode {
  /** A path ends here. */
  end: boolean;
  children: Map<string, PathNode>;
}

/** Builds the tree of a list of dot paths. */
export function pathTree(paths: readonly string[]): PathNode {
  const root: PathNode = { end: false, children: new Map() };
  for (const path of paths) {
    let node = root;
    for (const segment of path.split(".")) {
      let child = node.children.get(segment);
      if (child === undefined) {
        child = { end: false, children: new Map() };
        node.children.set(segment, child);
      }
      node = child;
    }
    node.end = true;
  }
  return root;
}

/** The node of a member; a key that itself holds dots stands for several segments. */
export function childNode(node: PathNode, key: string): PathNode | undefined {
  const child = node.children.get(key);
  if (child !== undefined || !key.includes(".")) return child;
  let current: PathNode | undefined = node;
  for (const segment of key.split(".")) current = current?.children.get(segment);
  return current;
}

/** A node of the record of removed paths: each path once, and no string built per record. */
export interface DropNode {
  dropped: Set<string>;
  children: Map<string, DropNode>;
}

/** An empty record of removed paths. */
export function emptyDropTree(): DropNode {
  return { dropped: new Set(), children: new Map() };
}

/** The record below a member. */
export function dropChild(node: DropNode, key: string): DropNode {
  let child = node.children.get(key);
  if (child === undefined) {
    child = emptyDropTree();
    node.children.set(key, child);
  }
  return child;
}

/** Every removed path, sorted by code units. */
export function droppedPathList(root: DropNode): string[] {
  const paths: string[] = [];
  const stack: { node: DropNode; prefix: string }[] = [{ node: root, prefix: "" }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    for (const key of entry.node.dropped) paths.push(entry.prefix + key);
    for (const [key, node] of entry.node.children) {
      stack.push({ node, prefix: `${entry.prefix}${key}.` });
    }
  }
  return [...new Set(paths)].sort();
}
