/** Looking operations up in a pack: lazily, synchronously, one chunk at a time (spec 04 §10). */

import type { JsonObject } from "../../json/mod.ts";
import type { Op, Variant } from "../types.ts";
import { type Container, type DirectoryRow, openContainer } from "./container.ts";
import { materialise, type MaterialisedOperation } from "./materialise.ts";
import { longTailRef } from "./naming.ts";
import { nestedSchema } from "./schema.ts";
import type { LongTailExposure, MethodsChunk, PackSource, SchemasChunk } from "./types.ts";

/** Chunks kept parsed; the least recently used one goes first. */
const CHUNKS_KEPT = 8;
/** Materialised operations kept. */
const OPERATIONS_KEPT = 256;

/** Operations of a pack that a session may see. */
export interface LongTailPack {
  /** The operation with exactly this id, or that had it not long ago. */
  findOp(opId: string): Op | undefined;
  findVariant(variantId: string): { op: Op; variant: Variant } | undefined;
  /** Arguments of an operation, body schemas inlined. */
  requestSchema(ref: string): JsonObject | undefined;
  /** True for an operation that exists but that the exposure hides. */
  isHidden(opId: string): boolean;
  /** Keys of the services in the pack. */
  services(): string[];
  /** Every operation id of a service, whatever the exposure. */
  operationIds(service: string): string[];
  /** Every operation of a service, whatever the exposure; each call builds them anew. */
  everyOp(service: string): Op[];
}

/** Opens a pack. No byte is read before the first lookup. */
export function openLongTail(
  source: PackSource,
  options: { exposure: Exclude<LongTailExposure, "off"> },
): LongTailPack {
  let methods: Container | undefined;
  let schemas: Container | undefined;
  let rowsByService: Map<string, DirectoryRow[]> | undefined;
  const chunks = new Map<DirectoryRow, MethodsChunk>();
  const found = new Map<string, MaterialisedOperation>();

  function serviceRows(service: string): readonly DirectoryRow[] {
    methods ??= openContainer(source, "methods.bin");
    if (rowsByService === undefined) {
      rowsByService = new Map();
      for (const row of methods.rows) {
        const list = rowsByService.get(row[0]);
        if (list === undefined) rowsByService.set(row[0], [row]);
        else list.push(row);
      }
    }
    return rowsByService.get(service) ?? [];
  }

  function chunkOf(row: DirectoryRow): MethodsChunk {
    const known = chunks.get(row);
    methods ??= openContainer(source, "methods.bin");
    const chunk: MethodsChunk = known ?? JSON.parse(methods.text(row));
    remember(chunks, { key: row, value: chunk, limit: CHUNKS_KEPT });
    return chunk;
  }

  function lookUp(named: string): MaterialisedOperation | undefined {
    methods ??= openContainer(source, "methods.bin");
    const opId = methods.renames[named]?.to ?? named;
    const known = found.get(opId);
    if (known !== undefined) {
      remember(found, { key: opId, value: known, limit: OPERATIONS_KEPT });
      return known;
    }
    const dot = opId.indexOf(".");
    if (dot <= 0) return undefined;
    // Rows of a service follow each other in op-id order, so the first that reaches the id has it.
    const row = serviceRows(opId.slice(0, dot)).find(([, last]) => opId <= last);
    if (row === undefined) return undefined;
    const chunk = chunkOf(row);
    const packed = chunk.operations.find(({ o }) => o === opId);
    if (packed === undefined) return undefined;
    const operation = materialise(chunk, packed);
    remember(found, { key: opId, value: operation, limit: OPERATIONS_KEPT });
    return operation;
  }

  const isVisible = ({ op }: MaterialisedOperation): boolean =>
    options.exposure === "all" || op.variants.every(({ risk_class }) => risk_class === "read");

  function visible(opId: string): MaterialisedOperation | undefined {
    const operation = lookUp(opId);
    return operation !== undefined && isVisible(operation) ? operation : undefined;
  }

  function operationIds(service: string): string[] {
    return serviceRows(service).flatMap((row) => chunkOf(row).operations.map(({ o }) => o));
  }

  return {
    findOp: (opId) => visible(opId)?.op,
    findVariant(variantId) {
      const [service, , transport, ...tail] = variantId.split(".");
      if (service === undefined || transport !== "rest") return undefined;
      const op = visible([service, ...tail].join("."))?.op;
      const variant = op?.variants.find(({ variant_id }) => variant_id === variantId);
      return op === undefined || variant === undefined ? undefined : { op, variant };
    },
    requestSchema(ref) {
      const service = ref.slice(0, Math.max(0, ref.indexOf(".")));
      const opId = operationIds(service).find((id) => longTailRef(id) === ref);
      const operation = opId === undefined ? undefined : visible(opId);
      if (operation?.schema === undefined) return undefined;
      if (operation.bodySchema === undefined) return operation.schema;
      schemas ??= openContainer(source, "schemas.bin");
      const version = operation.op.variants[0]?.version ?? "";
      const row = schemas.rows.find(([key]) => key === `${service} ${version}`);
      if (row === undefined) return operation.schema;
      const documents: SchemasChunk = JSON.parse(schemas.text(row));
      return nestedSchema(operation.schema, { schemas: documents, body: operation.bodySchema });
    },
    isHidden(opId) {
      const operation = lookUp(opId);
      return operation !== undefined && !isVisible(operation);
    },
    services() {
      serviceRows("");
      return [...rowsByService?.keys() ?? []];
    },
    operationIds,
    everyOp: (service) =>
      serviceRows(service).flatMap((row) => {
        const chunk = chunkOf(row);
        return chunk.operations.map((packed) => materialise(chunk, packed).op);
      }),
  };
}

/** Puts an entry at the young end of a map and drops the oldest ones. */
function remember<K, V>(map: Map<K, V>, entry: { key: K; value: V; limit: number }): void {
  map.delete(entry.key);
  map.set(entry.key, entry.value);
  for (const oldest of map.keys()) {
    if (map.size <= entry.limit) break;
    map.delete(oldest);
  }
}
