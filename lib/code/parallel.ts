/** `gum_parallel`: many calls at once, failures as elements (spec 09 §7). */

import { sha256Hex } from "../digest/mod.ts";
import type { OutputFormat } from "../dispatch/types.ts";
import { findGumError, GumError } from "../errors/mod.ts";
import { jcs } from "../format/jcs.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/mod.ts";
import {
  type BatchElement,
  batchEnvelope,
  type ElementResult,
  withoutNamedMask,
} from "./batch_envelope.ts";
import type { Execution } from "./execution.ts";
import { runCall } from "./host_functions.ts";
import { type ClassifiedCall, classify, innerCall, invalidArgument } from "./inner_calls.ts";
import { byteLength, MAX_BATCH_ELEMENTS } from "./request/mod.ts";
import type { HostFunction } from "./types.ts";

/** Input may be this many times as long as the output. */
const INPUT_FACTOR = 8;

const FORMATS: readonly string[] = ["json", "toon", "csv", "markdown"];

/** One element after the pre-flight. */
interface PlannedElement {
  call: ClassifiedCall;
  format: OutputFormat;
  /** What the ledger and the input ceiling see. */
  input: JsonObject;
}

/** The batch function of one execution. */
export function parallelFunction(execution: Execution): HostFunction {
  return async (values, signal) => {
    const room = execution.output.remaining();
    const elements = planned(values[0] ?? null, execution);
    checkInput(jcs({ elements: elements.map((element) => element.input) }), execution);
    return await runBatch(execution, { elements, room, signal });
  };
}

/** @throws GumError `INVALID_ARGS` before anything is dispatched. */
function planned(value: JsonValue, execution: Execution): PlannedElement[] {
  if (!Array.isArray(value)) throw invalidArgument("gum_parallel", "elements", "must be a list");
  if (value.length > MAX_BATCH_ELEMENTS) {
    throw invalidArgument(
      "gum_parallel",
      "elements",
      `has ${value.length} entries, more than ${MAX_BATCH_ELEMENTS}`,
    );
  }
  return value.map((element, index) => {
    try {
      return plannedElement(element, { execution, name: `gum_parallel element ${index}` });
    } catch (error) {
      const refused = findGumError(error);
      throw refused === undefined ? error : refused.with({ index });
    }
  });
}

function plannedElement(
  element: JsonValue,
  { execution, name }: { execution: Execution; name: string },
): PlannedElement {
  if (!isJsonObject(element)) throw invalidArgument(name, "element", "must be a map");
  const { op_id: opId = element.op ?? null, args = null, variant_id: variant = null } = element;
  const call = innerCall([opId, args, variant], name);
  const format = element.format ?? null;
  if (format !== null && (typeof format !== "string" || !FORMATS.includes(format))) {
    throw invalidArgument(name, "format", `must be one of ${FORMATS.join(", ")}`);
  }
  return {
    call: classify(call, execution.deps.catalog),
    format: (format ?? "json") as OutputFormat,
    input: {
      op_id: call.opId,
      args: call.args,
      ...(call.variantId === undefined ? {} : { variant_id: call.variantId }),
      ...(format === null ? {} : { format }),
    },
  };
}

function checkInput(input: string, execution: Execution): void {
  const ceiling = INPUT_FACTOR * execution.limits.outputBytes;
  const requested = byteLength(input);
  if (requested <= ceiling) return;
  throw new GumError("CODE_OUTPUT_LIMIT_EXCEEDED", {
    message: `the batch takes ${requested} bytes, more than ${ceiling}`,
    details: { limit_bytes: ceiling, requested_bytes: requested },
    userMessage: "The batch is too large.",
    suggestion: "Split it into shorter batches.",
    retryable: false,
  });
}

interface Batch {
  elements: readonly PlannedElement[];
  room: number;
  signal: AbortSignal;
}

/** Runs a batch to its envelope, also when the script is cancelled meanwhile. */
async function runBatch(execution: Execution, batch: Batch): Promise<JsonObject> {
  const { elements, signal } = batch;
  execution.asked(elements.length);
  const batchId = crypto.getRandomValues(new Uint8Array(4)).toHex();
  const results: ElementResult[] = elements.map(() => ({ kind: "cancelled" }));
  let next = 0;
  const ending: Promise<void>[] = [];
  const worker = async (number: number) => {
    for (;;) {
      const index = next++;
      const element = elements[index];
      if (element === undefined || signal.aborted) return;
      const answered = Promise.withResolvers<void>();
      // Once the service has answered, the next request goes out first; then this answer is shaped.
      const onAnswered = () => {
        answered.resolve();
        const turn = new Promise<void>((resume) => setTimeout(resume, 0));
        ending.push(turn);
        return turn;
      };
      const slot = { batchId, index, number, signal, onAnswered };
      const ended = runElement(execution, element, slot)
        .then((result) => {
          results[index] = result;
          execution.over();
        });
      // Whoever waits for all of them reports it; until then it is not lost.
      ended.catch(() => {});
      ending.push(ended);
      await Promise.race([ended, answered.promise]);
    }
  };
  const workers = Math.min(execution.limits.concurrency, elements.length);
  await Promise.all(Array.from({ length: workers }, (_, number) => worker(number)));
  await Promise.all(ending);
  const finished = elements.map(({ call }, index): BatchElement => ({
    opId: call.op?.op_id ?? call.opId,
    variantId: call.variant?.variant_id,
    result: results[index] ?? { kind: "cancelled" },
  }));
  const envelope = batchEnvelope(batchId, finished.map(withoutNamedMask), batch.room);
  await recordBatch(execution, { batchId, elements, finished, envelope });
  return envelope;
}

async function runElement(
  execution: Execution,
  element: PlannedElement,
  slot: {
    batchId: string;
    index: number;
    number: number;
    signal: AbortSignal;
    onAnswered: () => Promise<void>;
  },
): Promise<ElementResult> {
  const { call, format } = element;
  const { batchId, index, signal, onAnswered } = slot;
  try {
    await execution.gate.pass(call.family, slot.number, signal);
    const around = { format, batch: { batchId, index } };
    const response = await runCall(execution, call, { signal, around, inBatch: true, onAnswered });
    return { kind: "answer", response };
  } catch (thrown) {
    if (signal.aborted) return { kind: "cancelled" };
    const error = findGumError(thrown);
    if (error === undefined) throw thrown;
    const pause = error.details.retry_after_ms;
    if (error.code === "RATE_LIMITED" && error.details.source !== "local") {
      execution.gate.pause(call.family, typeof pause === "number" ? pause : undefined);
    }
    return { kind: "failure", error, envelope: execution.envelopeOf(error) };
  }
}

/** One row for each element that was never dispatched, then the row of the batch itself. */
async function recordBatch(
  execution: Execution,
  batch: {
    batchId: string;
    elements: readonly PlannedElement[];
    finished: readonly BatchElement[];
    envelope: JsonObject;
  },
): Promise<void> {
  const { gain, log } = execution.deps;
  if (gain === undefined) return;
  const { batchId, elements, finished } = batch;
  try {
    const recorded = gain.recorded(batchId);
    let cancelled = false;
    for (const [index, { opId, variantId, result }] of finished.entries()) {
      if (result.kind !== "cancelled") continue;
      cancelled = true;
      const args = elements[index]?.call.args ?? {};
      if (!recorded.has(index)) {
        gain.record({
          opId,
          variantId: variantId ?? "",
          profileName: "_default",
          argsHash: await sha256Hex(jcs(args)),
          fingerprint: "",
          request: args,
          rawBody: new Uint8Array(),
          shapedBody: new Uint8Array(),
          cacheStatus: "not_applicable",
          fieldMaskStatus: "not_applicable",
          batch: { batchId, index },
          errorCode: "CANCELLED",
          cancelled: true,
        });
      }
    }
    gain.recordBatch({
      batchId,
      elements: elements.map((element) => element.input),
      envelope: JSON.stringify(batch.envelope),
      ...(cancelled ? { cancelled } : {}),
    });
  } catch (error) {
    // Accounting never fails a call.
    log.log("warn", "batch row lost", { batch_id: batchId, reason: `${error}` });
  }
}
