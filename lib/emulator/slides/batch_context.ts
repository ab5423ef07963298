/** What the requests of one `presentations.batchUpdate` work on. */

import { refusedRequest, type RequestRunner } from "../drive/mod.ts";
import type { EmulatedError, SeededRandom } from "../service.ts";
import type { Element, StoredPresentation } from "./model.ts";

/** What the requests of one batch work on. */
export interface BatchContext {
  presentation: StoredPresentation;
  ids: SeededRandom;
}

/** Requests by kind. */
export type SlidesRunners = Readonly<Record<string, RequestRunner<BatchContext>>>;

/** The refusal for an object that is not there. */
export function missing(kind: string, id: string): EmulatedError {
  return refusedRequest(kind, `The object (${id}) could not be found.`);
}

/** The page element with this id; 400 when there is none. */
export function elementOf(
  presentation: StoredPresentation,
  { id, kind }: { id: string; kind: string },
): Element {
  for (const slide of presentation.slides) {
    const element = slide.elements.find((item) => item.id === id);
    if (element !== undefined) return element;
  }
  throw missing(kind, id);
}
