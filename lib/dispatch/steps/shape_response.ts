/** Step 8: from the upstream body to what the caller reads. */

import { GumError } from "../../errors/mod.ts";
import { jcs } from "../../format/jcs.ts";
import { type JsonObject, type JsonValue, readJson, repeatedMembers } from "../../json/mod.ts";
import { type Call, emit } from "../call.ts";
import { skippedByToken } from "../token_skips.ts";
import { sanitizedStack } from "../failures/unexpected.ts";
import { inlineMedia } from "../inline_media.ts";
import { adapterRequest } from "../request.ts";
import type { Answer, AuthorizedCall } from "../stages.ts";
import type {
  ArtifactHandle,
  ExpressionFacts,
  ExpressionMeta,
  OutputFormat,
  OwnTextFacts,
  ShapedResponse,
  ShapeResult,
  TokenSkip,
} from "../types.ts";

/** What step 8 works on. */
export interface ShapingWork {
  authorized: AuthorizedCall;
  answer: Answer;
  artifact: ArtifactHandle | undefined;
}

/** The same once the answer has its form. */
interface ShapedWork extends ShapingWork {
  answer: BodyAnswer;
  shape: ShapeResult;
}

/** Runs step 8. */
export async function shapeResponse(call: Call, work: ShapingWork): Promise<ShapedResponse> {
  const { answer } = work;
  if (answer.kind === "unchanged") return unchangedResponse(call, { work, answer });
  const annotated = await annotate(call, { work, answer });
  const shape = withoutCarried(
    shapeOrKeep(call, { work: described(work, annotated), answer, annotated }),
    { authorized: work.authorized, carried: annotated.carriedPaths },
  );
  const annotationPaths = shape.format === "raw"
    ? []
    : annotated.addedPaths.filter((path) => !isDropped(path, shape.droppedPaths));
  const shaped = { ...work, answer, shape, annotationPaths };
  try {
    return present(call, shaped);
  } catch (error) {
    if (work.authorized.resolved.variant.risk_class === "read") throw error;
    return undescribed(call, { shaped, error });
  }
}

/** A performed write whose answer is there and cannot be told about: the answer alone. */
function undescribed(
  call: Call,
  broken: { shaped: ShapedWork; error: unknown },
): ShapedResponse {
  const { shaped, error } = broken;
  const opId = shaped.authorized.op.op_id;
  call.warnings.push("the answer could not be described and is shown alone");
  emit(call, {
    level: "warn",
    message: "describing failed",
    fields: { request_id: call.requestId, op_id: opId, stack: sanitizedStack(error) },
  });
  return { ...answerAlone(call, shaped), notice: { cli: "", mcp: "" }, annotationPaths: [] };
}

/** The answer and where it is kept, without a word about it. */
function answerAlone(
  call: Call,
  { authorized, artifact, answer, shape }: ShapedWork,
): Omit<ShapedResponse, "notice" | "annotationPaths"> {
  return {
    body: shape.body,
    format: shape.format,
    structuredContent: shape.format === "raw" ? undefined : shape.value,
    opId: authorized.op.op_id,
    variantId: authorized.resolved.variant.variant_id,
    fullResultPath: artifact?.path,
    fullResultSize: artifact?.size,
    artifactExpiresAt: artifact?.expiresAt,
    validationWarnings: [...call.warnings],
    droppedPaths: shape.droppedPaths,
    dedupedRows: shape.dedupedRows,
    limitedRows: shape.limitedRows,
    upstreamBytes: answer.body,
  };
}

/** The operation's profile describes the service's answer, not what GUM says of some bytes. */
function described(work: ShapingWork, annotated: { ownSummary?: boolean }): ShapingWork {
  if (!annotated.ownSummary) return work;
  return { ...work, authorized: { ...work.authorized, profile: undefined } };
}

type BodyAnswer = Extract<Answer, { kind: "body" }>;

/** The format the caller gets, before the encoder has its say. */
function wantedFormat(call: Call, work: ShapingWork): OutputFormat | undefined {
  const { format, allowedFormats } = call.invocation;
  const { profile, resolved: { variant } } = work.authorized;
  const outcome = format ?? profile?.format ?? fallbackFormat(call, variant) ?? "toon";
  const [first] = allowedFormats ?? [];
  return first !== undefined && !allowedFormats?.includes(outcome) ? first : format;
}

function fallbackFormat(call: Call, variant: AuthorizedCall["resolved"]["variant"]) {
  return variant.default_format ?? call.deps.settings.defaultFormat;
}

/** An answer with what the adapter added to it. */
interface AnnotatedBytes {
  body: Uint8Array;
  addedPaths: string[];
  carriedPaths?: Readonly<Record<string, readonly string[]>>;
  settle?: (shaped: JsonValue) => JsonValue;
  ownSummary?: boolean;
}

/**
 * Dropped is what nothing stands for. A built-in profile keeps derived fields in the place of those
 * they say completely; that holds for an answer that GUM's own mask has narrowed.
 */
function withoutCarried(
  shape: ShapeResult,
  how: { authorized: AuthorizedCall; carried: AnnotatedBytes["carriedPaths"] },
): ShapeResult {
  const { authorized: { mask, profile }, carried } = how;
  const builtIn = profile?.source === undefined || profile.source === "catalog-embedded";
  if (carried === undefined || mask.injected === undefined || !builtIn) return shape;
  const { droppedPaths } = shape;
  const said = (path: string) =>
    Object.hasOwn(carried, path) &&
    (carried[path] ?? []).every((name) => !isDropped(name, droppedPaths));
  return { ...shape, droppedPaths: droppedPaths.filter((path) => !said(path)) };
}

/** Adds what the adapter knows to the parsed copy; raw answers are left as they came. */
async function annotate(
  call: Call,
  found: { work: ShapingWork; answer: BodyAnswer },
): Promise<AnnotatedBytes> {
  const { work, answer } = found;
  const { authorized } = work;
  if (answer.format === "raw" || wantedFormat(call, work) === "raw") {
    return { body: answer.body, addedPaths: [] };
  }
  const encoder = new TextEncoder();
  const text = new TextDecoder().decode(answer.body);
  if (text.trim() === "") return { body: encoder.encode("{}"), addedPaths: [] };
  // What a download is answered with is GUM's own, so there is nothing to annotate.
  const adapter = call.media?.kind === "download"
    ? undefined
    : call.deps.adapters.find(authorized.resolved.adapterKey);
  let parsed: JsonValue;
  try {
    parsed = readJson(text).value;
  } catch {
    const summary = await inlineMedia(answer.body, {
      contentType: answer.contentType,
      caller: call.invocation.caller,
    });
    return { body: encoder.encode(JSON.stringify(summary)), addedPaths: [], ownSummary: true };
  }
  const repeated = repeatedMembers(text, parsed);
  if (repeated > 0) {
    call.warnings.push(
      `the answer repeats ${repeated} member names; the last member of each name is shown`,
    );
  }
  const plain: AnnotatedBytes = { body: answer.body, addedPaths: [] };
  if (adapter?.annotateResponse === undefined) return plain;
  try {
    const annotated = adapter.annotateResponse(adapterRequest(call, authorized), parsed);
    return annotated.addedPaths.length === 0 ? plain : {
      body: encoder.encode(jcs(annotated.body, { loneSurrogates: "escape" })),
      addedPaths: [...annotated.addedPaths],
      carriedPaths: annotated.carriedPaths,
      ...annotated.settle === undefined ? {} : { settle: annotated.settle },
    };
  } catch (error) {
    // The answer is there, and a write is done: what would have been added is no reason to fail.
    call.warnings.push("the answer could not be annotated and is shown without additions");
    emit(call, {
      level: "warn",
      message: "annotating failed",
      fields: {
        request_id: call.requestId,
        op_id: authorized.op.op_id,
        stack: sanitizedStack(error),
      },
    });
    return plain;
  }
}

/**
 * Shapes, or keeps the answer unshaped when shaping breaks after a write or on a stored body:
 * nothing here may make a performed change look like a failure.
 */
function shapeOrKeep(
  call: Call,
  found: { work: ShapingWork; answer: BodyAnswer; annotated: AnnotatedBytes },
): ShapeResult {
  const { work, answer, annotated: { body, settle } } = found;
  const { authorized } = work;
  const { variant } = authorized.resolved;
  try {
    return call.deps.shaper.shape({
      body,
      opId: authorized.op.op_id,
      variantId: variant.variant_id,
      profile: authorized.profile,
      userFormat: answer.format === "raw" ? "raw" : wantedFormat(call, work),
      fallbackFormat: fallbackFormat(call, variant),
      maxItems: call.invocation.maxItems,
      nullElisionSafe: variant.null_elision_safe_fields ?? [],
      askedMask: authorized.mask.asked,
      settle,
      ...call.invocation.markUntrusted ? { untrustedRandom: randomInteger() } : {},
    });
  } catch (error) {
    const mustAnswer = variant.risk_class !== "read" ||
      (answer.cacheStatus === "hit" && !(error instanceof GumError));
    if (!mustAnswer) throw error;
    call.warnings.push("the answer could not be shaped and is shown as it came");
    emit(call, {
      level: "warn",
      message: "shaping failed",
      fields: { request_id: call.requestId, op_id: authorized.op.op_id, reason: `${error}` },
    });
    return unshaped(body);
  }
}

function randomInteger(): number {
  return crypto.getRandomValues(new Uint16Array(1))[0] ?? 0;
}

function unshaped(body: Uint8Array): ShapeResult {
  let value: JsonValue | undefined;
  try {
    value = readJson(new TextDecoder().decode(body)).value;
  } catch {
    value = undefined; // shown as bytes
  }
  return {
    body,
    format: value === undefined ? "raw" : "json",
    value,
    profileApplied: false,
    bytesIn: body.length,
    bytesOut: body.length,
    lossy: false,
    resultCount: 0,
    omittedCount: 0,
    omittedByKey: {},
    dedupedRows: 0,
    limitedRows: 0,
    droppedPaths: [],
    intentionalZero: false,
    resultKind: "object",
  };
}

function isDropped(path: string, dropped: readonly string[]): boolean {
  return dropped.some((gone) => path === gone || path.startsWith(`${gone}.`));
}

function present(
  call: Call,
  shaped: ShapedWork & { annotationPaths: string[] },
): ShapedResponse {
  const { authorized, artifact, shape, annotationPaths, answer } = shaped;
  const tokenSkips = skippedByToken(authorized, { answer, shape });
  const facts = expressionFacts(call, { authorized, artifact, shape, annotationPaths, tokenSkips });
  return {
    ...answerAlone(call, shaped),
    expression: answer.ownText === undefined
      ? call.deps.shaper.expression(facts)
      : ownExpression(facts, answer.ownText),
    notice: {
      cli: call.deps.shaper.notice(facts, "cli"),
      mcp: call.deps.shaper.notice(facts, "mcp"),
    },
    fullResultResource: facts.artifact?.resource,
    annotationPaths,
  };
}

/** The adapter made this text, so it alone knows whether something is missing from it. */
function ownExpression(facts: ExpressionFacts, own: OwnTextFacts): ExpressionMeta {
  return {
    profile: "_default",
    op_id: facts.opId,
    variant_id: facts.variantId,
    lossy: own.lossy,
    result_count: own.resultCount,
  };
}

function expressionFacts(
  call: Call,
  shaped: {
    authorized: AuthorizedCall;
    artifact: ArtifactHandle | undefined;
    shape: ShapeResult;
    annotationPaths: string[];
    tokenSkips: TokenSkip | undefined;
  },
): ExpressionFacts {
  const { authorized, artifact, shape, tokenSkips } = shaped;
  const { profile, resolved: { variant } } = authorized;
  const { invocation } = call;
  const recovery = profile?.recovery ?? "none";
  const linked = artifact !== undefined && recovery === "resource_link" &&
    invocation.caller !== "cli";
  return {
    opId: authorized.op.op_id,
    variantId: variant.variant_id,
    profileName: profile?.name ?? "_default",
    shape,
    profileSource: profile?.source,
    fieldMask: authorized.mask.injected,
    unsupportedCapabilities: variant.execution_support === "partial" && call.media === undefined
      ? [...variant.unsupported_capabilities ?? []]
      : undefined,
    validationWarnings: [...call.warnings],
    artifact: artifact === undefined ? undefined : {
      ...artifact,
      advertised: recovery !== "none",
      ...(linked ? { resource: `gum://results/${artifact.hash}` } : {}),
    },
    projectRootUri: authorized.usedProjectLayer ? invocation.projectRootUri : undefined,
    annotationPaths: shaped.annotationPaths,
    ...tokenSkips === undefined ? {} : { tokenSkips },
    caller: invocation.caller,
  };
}

/** A diff-only read whose resource did not change: that and nothing else. */
function unchangedResponse(
  call: Call,
  found: { work: ShapingWork; answer: Extract<Answer, { kind: "unchanged" }> },
): ShapedResponse {
  const { work, answer } = found;
  const content: JsonObject = { unchanged: true, etag: answer.etag };
  return {
    body: new TextEncoder().encode(JSON.stringify(content)),
    format: "json",
    structuredContent: content,
    opId: work.authorized.op.op_id,
    variantId: work.authorized.resolved.variant.variant_id,
    notice: { cli: "", mcp: "" },
    validationWarnings: [...call.warnings],
    droppedPaths: [],
    dedupedRows: 0,
    limitedRows: 0,
    annotationPaths: [],
    unchanged: { etag: answer.etag },
  };
}
