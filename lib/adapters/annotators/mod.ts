/**
 * Annotators: what GUM adds to an answer so that a reader needs less of it. Each adds fields beside
 * those of the service, never over them, and says which; raw answers never come here. A profile
 * then decides what stays.
 *
 * @module
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../json/mod.ts";
import { ANNOTATORS } from "./annotators.ts";
import { CARRIED } from "./carried.ts";
import { type AnnotatedBody, withDerived } from "./derive.ts";
import { matrixFields } from "./media_rows.ts";

export type { AnnotatedBody } from "./derive.ts";

/** The answer with derived fields; an answer that has nothing to derive from comes back as it is. */
export function annotateAnswer(
  request: { opId: string; args: JsonObject },
  body: JsonValue,
): AnnotatedBody {
  const unchanged: AnnotatedBody = { body, addedPaths: [] };
  if (request.opId === "routes.computeRouteMatrix") return annotateMatrix(body);
  if (!isJsonObject(body)) return unchanged;
  const annotator = Object.hasOwn(ANNOTATORS, request.opId) ? ANNOTATORS[request.opId] : undefined;
  const annotated = annotator?.(body, request.args);
  if (annotated === undefined) return unchanged;
  const carriedPaths = Object.hasOwn(CARRIED, request.opId) ? CARRIED[request.opId] : undefined;
  return { ...annotated, ...(carriedPaths === undefined ? {} : { carriedPaths }) };
}

/** The matrix is the one answer that is a bare list. */
function annotateMatrix(body: JsonValue): AnnotatedBody {
  if (!Array.isArray(body)) return { body, addedPaths: [] };
  const names = new Set<string>();
  const rows = body.map((element) => {
    if (!isJsonObject(element)) return element;
    const { record, added } = withDerived(element, matrixFields(element));
    for (const name of added) names.add(name);
    return record;
  });
  return { body: rows, addedPaths: [...names].sort() };
}
