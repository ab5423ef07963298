/** The session's memory of its long-running operations. */

import type { Variant } from "../catalog/types.ts";
import { operationNameIn } from "./operation.ts";
import { serviceHome } from "./routes.ts";
import type { OperationOrigin, OperationStore, ServiceHome } from "./types.ts";

/** Operations remembered; the oldest goes first. */
const REMEMBERED = 50;

/** Makes an empty memory. */
export function createOperationMemory(): OperationStore {
  const origins = new Map<string, OperationOrigin & ServiceHome>();
  let last: (OperationOrigin & ServiceHome) | undefined;
  return {
    observe({ opId, variant, body }) {
      const home = serviceHome(variant);
      if (home === undefined) return;
      last = { ...home, opId, variantId: variant.variant_id };
      const name = operationNameIn(body, declaresOperation(variant));
      if (name === undefined) return;
      origins.delete(name);
      origins.set(name, last);
      const [oldest] = origins.keys();
      if (origins.size > REMEMBERED && oldest !== undefined) origins.delete(oldest);
    },
    origin: (name) => origins.get(name),
    lastAnswered: () => last,
  };
}

function declaresOperation(variant: Variant): boolean {
  return variant.capabilities.includes("lro_return");
}
