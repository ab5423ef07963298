/** Skeletons of response schemas, against which masks are checked (spec 04 §3.10). */
import { ANY_NAME, type ProjectionTree } from "../validate/mod.ts";
import {
  type DiscoveryDocument,
  type DiscoveryMethod,
  type DiscoverySchema,
  resolveSchema,
} from "./discovery.ts";

/** Depth below which a projection stops; masks never go that deep. */
const PROJECTION_DEPTH = 6;

/** Skeleton of a method's response: arrays are transparent, maps accept any name. */
export function projectResponse(
  document: DiscoveryDocument,
  method: DiscoveryMethod,
): ProjectionTree {
  const ref = method.response?.$ref;
  const projected = ref === undefined
    ? true
    : project(document, { $ref: ref }, { depth: 0, seen: [] });
  return projected === true ? {} : projected;
}

function project(
  document: DiscoveryDocument,
  schema: DiscoverySchema,
  walk: { depth: number; seen: readonly string[] },
): true | ProjectionTree {
  if (walk.depth > PROJECTION_DEPTH) return true;
  if (schema.$ref !== undefined) {
    if (walk.seen.includes(schema.$ref)) return true;
    const target = resolveSchema(document, schema);
    if (target === schema) return true;
    return project(document, target, { ...walk, seen: [...walk.seen, schema.$ref] });
  }
  if (schema.type === "array" && schema.items !== undefined) {
    return project(document, schema.items, walk);
  }
  const deeper = { ...walk, depth: walk.depth + 1 };
  const tree: ProjectionTree = {};
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const property = schema.properties?.[name];
    if (property !== undefined) tree[name] = project(document, property, deeper);
  }
  if (schema.additionalProperties !== undefined) {
    tree[ANY_NAME] = project(document, schema.additionalProperties, deeper);
  }
  return Object.keys(tree).length === 0 ? true : tree;
}
