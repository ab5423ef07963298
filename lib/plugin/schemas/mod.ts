/**
 * Schemas of plugins: bundles turned into served documents, and the refs they may not take
 * (spec 06 §3.3).
 *
 * @module
 */
export { requestFields } from "./request_fields.ts";
export {
  type MaterializedBundle,
  materializeSchemas,
  requireSchemaRef,
  type ServedSchema,
} from "./bundle.ts";
export { checkSchemaCollisions, type EmbeddedSchemas, sweepSchemas } from "./inventory.ts";
