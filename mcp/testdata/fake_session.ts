/** Test only: a session over a small catalog whose kernel answers from a script. */

import {
  buildIndex,
  type Catalog,
  CONVENIENCE_ROWS,
  createSearch,
  createSnapshot,
  EMPTY_TABLES,
  type Op,
  type RequestField,
  type RiskClass,
} from "../../lib/catalog/mod.ts";
import { systemClock } from "../../lib/clock/mod.ts";
import type { Invocation, Kernel, ShapedResponse } from "../../lib/dispatch/types.ts";
import { GumError } from "../../lib/errors/mod.ts";
import { encodeToonDocument, jcs } from "../../lib/format/mod.ts";
import type { JsonObject, JsonValue } from "../../lib/json/mod.ts";
import { silentLogger } from "../../lib/log/mod.ts";
import type { HelpSource } from "../help_topics.ts";
import type { ServedSession, SurfaceSeams } from "../types.ts";

/** One active topic and one that was renamed. */
export const fakeHelp: HelpSource = {
  manifest: () =>
    JSON.stringify({
      schema_version: 1,
      topics: [
        { topic: "drive", status: "active", one_line_description: "Files", redirect_topic: "" },
        {
          topic: "disk",
          status: "deprecated",
          one_line_description: "Renamed",
          redirect_topic: "drive",
        },
      ],
    }),
  body: (topic) => `# ${topic}\n`,
};

/** Answers one invocation. */
export type Answer = (
  invocation: Invocation,
  signal: AbortSignal,
) => Promise<ShapedResponse> | ShapedResponse;

/** A fake session and what its kernel was asked. */
export interface FakeSession {
  session: ServedSession;
  asked: Invocation[];
  catalog: Catalog;
}

/** Opens a fake session. */
export function fakeSession(
  options: { answer?: Answer; seams?: SurfaceSeams; catalog?: Catalog; stats?: JsonObject } = {},
): FakeSession {
  const catalog = options.catalog ?? smallCatalog();
  const snapshot = createSnapshot(catalog, { requestSchema: () => undefined });
  const asked: Invocation[] = [];
  const answer = options.answer ?? defaultAnswer;
  const search = createSearch(
    buildIndex(catalog.ops, { tables: EMPTY_TABLES, catalogSha256: "" }),
  );
  const kernel: Kernel = {
    dispatch: async (invocation, signal = new AbortController().signal) => {
      asked.push(invocation);
      return await answer(invocation, signal);
    },
    serviceFamily: () => "",
    returnsLro: (opId) => opId.endsWith(".startLong"),
    cacheStats: () => options.stats ?? {},
  };
  const session: ServedSession = {
    profileName: "test",
    catalog: snapshot,
    catalogBytes: () => new TextEncoder().encode(JSON.stringify(catalog)),
    search: () => search,
    kernel,
    artifacts: {
      enabled: false,
      checkSecret: () => Promise.resolve(),
      write: () => Promise.reject(new Error("no artifacts in this test")),
    },
    clock: systemClock,
    log: silentLogger,
    close: () => Promise.resolve(),
    ...options.seams,
  };
  return { session, asked, catalog };
}

/** A shaped answer over a value. */
export function shaped(
  opId: string,
  value: JsonValue,
  options: { format?: ShapedResponse["format"]; variantId?: string } & Partial<ShapedResponse> = {},
): ShapedResponse {
  const format = options.format ?? "json";
  const variantId = options.variantId ?? `${opId}.v`;
  const text = format === "toon"
    ? encodeToonDocument(value, { op: opId, variant: variantId }) ?? ""
    : typeof value === "string" && format !== "json"
    ? value
    : jcs(value);
  return {
    body: new TextEncoder().encode(text),
    format,
    structuredContent: format === "raw" ? undefined : value,
    expression: {
      profile: "_default",
      op_id: opId,
      variant_id: variantId,
      lossy: false,
      result_count: 0,
    },
    opId,
    variantId,
    notice: { cli: "", mcp: "" },
    validationWarnings: [],
    droppedPaths: [],
    dedupedRows: 0,
    limitedRows: 0,
    annotationPaths: [],
    ...options,
  };
}

const defaultAnswer: Answer = (invocation) => {
  if (invocation.requireWriteConfirmation && invocation.confirmed !== true) {
    throw new GumError("REQUIRES_CONFIRMATION", {
      details: { op_id: invocation.opId, confirmation_token: "token-1" },
    });
  }
  return shaped(invocation.opId, { ok: true, args: invocation.args });
};

/** One operation per convenience row, some more of each risk class. */
export function smallCatalog(): Catalog {
  const ops = CONVENIENCE_ROWS.map((row) =>
    smallOp(row.opId, {
      riskClass: row.confirmationPassthrough ? "write" : "read",
      variantId: row.variantRule === "default" ? undefined : row.variantRule.fixed,
      fields: [...row.required, ...row.optional].map((name): RequestField => ({
        name,
        type: "string",
        location: row.required.includes(name) ? "path" : "query",
        ...(row.required.includes(name) ? { required: true } : {}),
      })),
    })
  );
  ops.push(
    smallOp("gmail.users.labels.delete", { riskClass: "destructive" }),
    smallOp("gmail.users.startLong", { riskClass: "read" }),
  );
  ops.sort((left, right) => left.op_id < right.op_id ? -1 : 1);
  return {
    catalog_schema_version: 1,
    generated_at: "2026-01-01T00:00:00Z",
    generator_version: "test",
    ops,
  };
}

/** A minimal operation with one variant. */
export function smallOp(
  opId: string,
  options: { riskClass: RiskClass; variantId?: string; fields?: RequestField[] },
): Op {
  const variantId = options.variantId ?? `${opId}.rest`;
  return {
    op_id: opId,
    op_schema_version: 1,
    title: opId.split(".").join(" "),
    summary: `Runs ${opId.split(".").join(" ")} for a test.`,
    service: opId.split(".")[0] ?? "",
    service_family: opId.split(".")[0] ?? "",
    default_variant_id: variantId,
    variants: [{
      variant_id: variantId,
      variant_schema_version: 1,
      stability: "stable",
      interface_kind: "rest",
      backend_kind: "google_rest",
      risk_class: options.riskClass,
      auth_strategy: "none",
      capabilities: ["json_response"],
    }],
    request_fields: options.fields ?? [],
  };
}
