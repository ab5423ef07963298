/** `gum profile test`: fixtures through the pipeline, without any printing (spec 03 §3.18). */

import type { OutputFormat, ShapeRequest, ShapeResult } from "../dispatch/types.ts";
import { GumError, isGumError } from "../errors/mod.ts";
import { recordArray } from "../format/records/mod.ts";
import { isJsonObject, type JsonValue } from "../json/mod.ts";
import type { ProfileTest } from "./file_types.ts";
import { resolveProfile } from "./resolve.ts";
import type { ResolvedProfile } from "./types.ts";
import {
  type ProfileFinding,
  type ValidatedFile,
  validateProfileText,
} from "./validate_command.ts";
import type { ValidationContext } from "./validate_command.ts";

/** What the runner is given: the pipeline and a token counter, so that this folder needs neither. */
export interface TestTools {
  shape: (request: ShapeRequest) => ShapeResult;
  /** cl100k_base. */
  countTokens: (text: string) => number | Promise<number>;
}

/** Outcome of one fixture. */
export interface FixtureReport {
  name: string;
  profile?: string;
  fixture: string;
  passed: boolean;
  actual_format: string;
  actual_tokens: number;
  actual_result_count?: number;
  actual_omitted_count?: number;
  actual_lossy: boolean;
  failures?: string[];
}

/** JSON root of `gum profile test`. */
export interface ProfileTestReport {
  passed: boolean;
  fixtures: FixtureReport[];
  token_budget: {
    total_fixtures: number;
    total_tokens: number;
    max_tokens_observed: number;
    ceiling_violations: number;
  };
}

/** A profile file and which of its profiles is meant. */
export interface ProfileTestRequest extends ValidationContext {
  /** Of the profile file; fixtures are relative to it. */
  path: string;
  text: string;
  /** Needed when the file defines more than one. */
  name?: string;
}

/**
 * Runs a profile's fixtures.
 *
 * @throws GumError the first validation error; `CLI_ARG_INVALID` when it is not clear which profile
 * is meant; `PROFILE_NO_FIXTURES` when it has none.
 */
export async function testProfile(
  request: ProfileTestRequest,
  tools: TestTools,
): Promise<ProfileTestReport> {
  const { profile, validated } = selectProfile(request);
  const tests = (validated.file?.tests ?? []).filter((test) =>
    (test.profile ?? profile.name) === profile.name
  );
  if (tests.length === 0) {
    throw new GumError("PROFILE_NO_FIXTURES", {
      message: `${request.path} has no tests for ${profile.name}`,
      details: { path: request.path },
      suggestion: "Add a [[tests]] entry with a fixture.",
    });
  }
  const fixtures: FixtureReport[] = [];
  let violations = 0;
  for (const test of tests) {
    const report = await runFixture(test, { profile, path: request.path, tools });
    fixtures.push(report);
    if (report.actual_tokens > (test.expect_max_tokens ?? Infinity)) violations++;
  }
  const tokens = fixtures.map(({ actual_tokens }) => actual_tokens);
  return {
    passed: fixtures.every(({ passed }) => passed),
    fixtures,
    token_budget: {
      total_fixtures: fixtures.length,
      total_tokens: tokens.reduce((sum, count) => sum + count, 0),
      max_tokens_observed: Math.max(...tokens),
      ceiling_violations: violations,
    },
  };
}

/** The error that a report with failures ends in; undefined when it passed. */
export function fixtureFailure(report: ProfileTestReport): GumError | undefined {
  const failed = report.fixtures.filter(({ passed }) => !passed).length;
  if (failed === 0) return undefined;
  const total = report.fixtures.length;
  return new GumError("PROFILE_FIXTURE_FAILED", {
    message: `${failed} of ${total} fixtures failed`,
    details: { failed, total },
  });
}

/**
 * Shapes one input with a profile of the file.
 *
 * @throws GumError as {@link testProfile}, and `PROFILE_GOLDEN_MISMATCH` when `golden` differs.
 */
export function shapeInput(
  request: ProfileTestRequest & { input: Uint8Array; golden?: Uint8Array; format?: OutputFormat },
  tools: Pick<TestTools, "shape">,
): Uint8Array {
  const { profile } = selectProfile(request);
  const shaped = shapeNamedInput(request, { profile, tools });
  const body = withFinalNewline(shaped.body);
  if (request.golden !== undefined && !sameBytes(body, withFinalNewline(request.golden))) {
    const decoder = new TextDecoder();
    throw new GumError("PROFILE_GOLDEN_MISMATCH", {
      message: "the shaped output differs from the golden file",
      details: { want: decoder.decode(request.golden), got: decoder.decode(body) },
    });
  }
  return body;
}

/** A file that is no JSON is the caller's mistake; no service had a part in it. */
function shapeNamedInput(
  request: { input: Uint8Array; format?: OutputFormat },
  options: { profile: ResolvedProfile; tools: Pick<TestTools, "shape"> },
): ShapeResult {
  try {
    return shapeFixture(request.input, { ...options, format: request.format });
  } catch (error) {
    if (!isGumError(error, "SERVICE_DOWN")) throw error;
    throw new GumError("CLI_ARG_INVALID", {
      message: "the input is not JSON",
      details: { arg: "--input" },
      suggestion: "Pass a JSON response, or --format raw.",
      cause: error,
    });
  }
}

function selectProfile(
  request: ProfileTestRequest,
): { profile: ResolvedProfile; validated: ValidatedFile } {
  const validated = validateProfileText(request.text, request);
  const [error] = validated.validation.errors;
  if (error !== undefined) throw findingError(error, request.path);
  const names = validated.validation.profiles;
  const name = request.name ?? (names.length === 1 ? names[0] : undefined);
  if (name === undefined || !names.includes(name)) {
    throw new GumError("CLI_ARG_INVALID", {
      message: request.name === undefined
        ? `${request.path} defines ${names.length} profiles; --name picks one`
        : `${request.path} does not define ${request.name}`,
      details: { arg: "--name", profiles: names },
      suggestion: `Pass --name with one of: ${names.join(", ")}.`,
    });
  }
  const resolution = resolveProfile(name, validated.layers);
  if (resolution === undefined) throw new Error(`${name} was validated and does not resolve`);
  return { profile: resolution.profile, validated };
}

function findingError(finding: ProfileFinding, path: string): GumError {
  const { code, message, ...details } = finding;
  return new GumError(code as GumError["code"], {
    message: `${path}: ${message}`,
    details: { path, ...details },
    suggestion: `Run gum profile validate ${path}.`,
  });
}

function shapeFixture(
  body: Uint8Array,
  options: {
    profile: ResolvedProfile;
    format?: OutputFormat;
    tools: Pick<TestTools, "shape">;
  },
): ShapeResult {
  return options.tools.shape({
    body,
    opId: "profile.test",
    variantId: options.profile.name,
    profile: options.profile,
    userFormat: options.format,
  });
}

async function runFixture(
  test: ProfileTest,
  run: { profile: ResolvedProfile; path: string; tools: TestTools },
): Promise<FixtureReport> {
  const report: FixtureReport = {
    name: test.name,
    profile: test.profile,
    fixture: test.fixture,
    passed: false,
    actual_format: "",
    actual_tokens: 0,
    actual_lossy: false,
  };
  let shaped: ShapeResult;
  try {
    const body = await Deno.readFile(besides(run.path, test.fixture));
    const format = test.expect_format === "raw" ? "raw" : undefined;
    shaped = shapeFixture(body, { profile: run.profile, format, tools: run.tools });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...report, failures: [`fixture: ${reason}`] };
  }
  const omitted = Object.values(shaped.omittedByKey).reduce((sum, count) => sum + count, 0);
  report.actual_format = shaped.format;
  report.actual_tokens = await run.tools.countTokens(new TextDecoder().decode(shaped.body));
  report.actual_lossy = shaped.lossy;
  if (shaped.resultCount > 0) report.actual_result_count = shaped.resultCount;
  if (omitted > 0) report.actual_omitted_count = omitted;
  const failures = [
    ...expectations(test, { shaped, omitted, tokens: report.actual_tokens }),
    ...missingFields(test, shaped.value),
    ...missingDedupeKeys(run.profile, shaped.value),
  ];
  report.passed = failures.length === 0;
  if (failures.length > 0) report.failures = failures;
  return report;
}

function expectations(
  test: ProfileTest,
  actual: { shaped: ShapeResult; omitted: number; tokens: number },
): string[] {
  const { shaped } = actual;
  const exact: [keyof ProfileTest, unknown][] = [
    ["expect_format", shaped.format],
    ["expect_lossy", shaped.lossy],
    ["expect_result_count", shaped.resultCount],
    ["expect_omitted_count", actual.omitted],
  ];
  const failures = exact
    .filter(([key, value]) => test[key] !== undefined && test[key] !== value)
    .map(([key, value]) => `${key}: want ${test[key]}, got ${value}`);
  if (actual.tokens > (test.expect_max_tokens ?? Infinity)) {
    failures.push(
      `expect_max_tokens: want at most ${test.expect_max_tokens}, got ${actual.tokens}`,
    );
  }
  return failures;
}

function missingFields(test: ProfileTest, value: JsonValue | undefined): string[] {
  return (test.expect_fields ?? [])
    .filter((field) => value === undefined || !hasPathAnywhere(value, field.split(".")))
    .map((field) => `expect_fields: want ${field}, got no such field`);
}

/** Whether the path leads somewhere from any object of the tree. */
function hasPathAnywhere(root: JsonValue, path: string[]): boolean {
  const stack: JsonValue[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isJsonObject(node) && leads(node, path)) return true;
    const below = Array.isArray(node) ? node : isJsonObject(node) ? Object.values(node) : [];
    for (const member of below) stack.push(member);
  }
  return false;
}

function leads(value: JsonValue | undefined, path: string[]): boolean {
  const [segment, ...rest] = path;
  if (segment === undefined) return true;
  if (Array.isArray(value)) return value.some((element) => leads(element, path));
  return isJsonObject(value) && Object.hasOwn(value, segment) && leads(value[segment], rest);
}

function missingDedupeKeys(profile: ResolvedProfile, value: JsonValue | undefined): string[] {
  const rows = value === undefined ? [] : recordArray(value)?.filter(isJsonObject) ?? [];
  if (rows.length === 0) return [];
  return (profile.dedupe?.by ?? [])
    .filter((key) => !rows.some((row) => Object.hasOwn(row, key)))
    .map((key) => `dedupe.by: want ${key} in some row, got none`);
}

/** A path relative to the folder of another. */
function besides(path: string, relative: string): string {
  if (/^(?:[A-Za-z]:)?[/\\]/.test(relative)) return relative;
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return cut === -1 ? relative : `${path.slice(0, cut)}/${relative}`;
}

function withFinalNewline(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) === 10) return bytes;
  const longer = new Uint8Array(bytes.byteLength + 1);
  longer.set(bytes);
  longer[bytes.byteLength] = 10;
  return longer;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
}
