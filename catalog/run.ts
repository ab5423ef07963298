/** One run of the generator, in the order of spec 04 §3.5. */
import { parseCatalog } from "../lib/catalog/mod.ts";
import type { Catalog } from "../lib/catalog/types.ts";
import { CatalogError } from "../lib/catalog/validate/mod.ts";
import { buildCatalog, type BuiltCatalog, validateBuilt } from "./build.ts";
import { fetchSnapshot } from "./fetch.ts";
import { type Flags, parseFlags } from "./flags.ts";
import { checkLongTail, writeLongTail } from "./longtail.ts";
import { readManagedScopes } from "./managed_scopes.ts";
import { runGates } from "./gates.ts";
import {
  compareOutputs,
  renderOutputs,
  renderProjections,
  renderSchemas,
  writeOutputs,
} from "./outputs.ts";
import { type Overrides, parseOverrides } from "./overrides.ts";
import {
  applyCapabilitiesTo,
  applyDefaultFields,
  enrichRequestFields,
  injectService,
  masksOf,
  type PartialResult,
  withCatalog,
} from "./partial.ts";
import { loadSnapshot } from "./snapshot.ts";
import { suggestDefaultFields, suggestRisk } from "./suggest.ts";

/** Where inputs are read and lines are printed. */
export interface GeneratorHost {
  /** Folder of `overrides.toml` and the other inputs, with a trailing slash. */
  inputs: URL;
  print: (line: string) => void;
  printError: (line: string) => void;
}

const DEFAULT_HOST: GeneratorHost = {
  inputs: new URL("./", import.meta.url),
  print: (line) => writeLine(Deno.stdout, line),
  printError: (line) => writeLine(Deno.stderr, line),
};

function writeLine(stream: typeof Deno.stdout | typeof Deno.stderr, line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
}

/** Runs the generator; the exit code is 0 or 1. */
export async function runGenerator(
  args: readonly string[],
  host: GeneratorHost = DEFAULT_HOST,
): Promise<number> {
  try {
    return await run(args, host);
  } catch (error) {
    const text = error instanceof CatalogError || error instanceof SyntaxError
      ? error.message
      : error instanceof Error
      ? `${error.name}: ${error.message}`
      : String(error);
    host.printError(`gen-catalog: ${text}`);
    return 1;
  }
}

async function run(args: readonly string[], host: GeneratorHost): Promise<number> {
  const flags = parseFlags(args);
  const overrides = await readOverrides(host.inputs);
  const managedScopes = await readManagedScopes(host.inputs);
  const discovery = new URL("discovery/", host.inputs);
  if (flags.mode === "fetch") {
    const lines = await fetchSnapshot({
      folder: discovery,
      overrides,
      ...(flags.from === undefined ? {} : { from: flags.from }),
      ...(flags.api === undefined ? {} : { onlyApi: flags.api }),
    });
    lines.forEach(host.print);
    return 0;
  }

  const documents = await loadSnapshot(discovery, overrides);
  const fresh = await buildCatalog({ overrides, documents });
  if (flags.mode === "suggest-default-fields") {
    suggestDefaultFields(fresh).forEach(host.print);
    return 0;
  }
  if (flags.mode === "suggest-risk") {
    suggestRisk(fresh).forEach(host.print);
    return 0;
  }

  const folder = outputFolder(flags.out, host.inputs);
  const { built, warnings } = await applyMode(flags, { fresh, overrides, folder });
  warnings.forEach((warning) => host.printError(`gen-catalog: warning: ${warning}`));
  await runGates(built, {
    overrides,
    managedScopes,
    inputs: host.inputs,
    previous: folder,
  });
  if (flags.mode === "emit-schemas") {
    await writeOutputs(folder, renderSchemas(built.schemas));
    return 0;
  }
  if (flags.mode === "project-response-schemas") {
    const projection = renderProjections(built);
    await writeOutputs(folder, new Map([["default-fields-schema.json", projection]]));
    return 0;
  }
  const { files, indexTerms } = await renderOutputs(built, overrides);
  if (flags.mode === "check") {
    const drift = await compareOutputs(folder, files);
    if (drift.length > 0) {
      drift.forEach((line) => host.printError(`gen-catalog: ${line}`));
      return 1;
    }
    const problems = await checkLongTail(new URL("longtail/", host.inputs), built.catalog);
    if (problems.length > 0) {
      problems.forEach((line) => host.printError(`gen-catalog: long tail: ${line}`));
      return 1;
    }
  } else await writeOutputs(folder, files);
  host.print(summaryLine(built, indexTerms));
  if (flags.mode === "include-long-tail") {
    host.print(
      await writeLongTail({ wheel: flags.from, folder, overrides, ops: built.catalog.ops }),
    );
  }
  return 0;
}

/** What a partial mode makes of the committed catalog; the fresh build for every other mode. */
async function applyMode(
  flags: Flags,
  context: { fresh: BuiltCatalog; overrides: Overrides; folder: URL },
): Promise<{ built: BuiltCatalog; warnings: string[] }> {
  const { fresh, overrides, folder } = context;
  const change = async (): Promise<PartialResult | undefined> => {
    const committed = (): Promise<Catalog> => readCatalogFile(folder);
    switch (flags.mode) {
      case "inject":
        return injectService(await committed(), {
          service: flags.service ?? "",
          fresh: fresh.catalog.ops,
        });
      case "apply-capabilities":
        return applyCapabilitiesTo(await committed(), overrides);
      case "apply-default-fields":
        return applyDefaultFields(await committed(), masksOf(overrides));
      case "enrich-request-fields":
        return enrichRequestFields(await committed(), fresh.catalog.ops);
      default:
        return undefined;
    }
  };
  const result = await change();
  if (result === undefined) return { built: fresh, warnings: [] };
  const built = withCatalog(fresh, result.catalog);
  validateBuilt(built);
  return { built, warnings: result.warnings };
}

async function readCatalogFile(folder: URL): Promise<Catalog> {
  return parseCatalog(await Deno.readFile(new URL("catalog.json", folder)));
}

/** Reads and checks `overrides.toml` in a folder. */
export async function readOverrides(inputs: URL): Promise<Overrides> {
  const schema: object = JSON.parse(
    await Deno.readTextFile(new URL("overrides.schema.json", inputs)),
  );
  return await parseOverrides(
    await Deno.readTextFile(new URL("overrides.toml", inputs)),
    schema,
  );
}

/** `--out` names the catalog file; everything else is written next to it. */
function outputFolder(out: string | undefined, inputs: URL): URL {
  if (out === undefined) return inputs;
  const path = new URL(out.replaceAll("\\", "/"), `file://${Deno.cwd()}/`);
  return new URL("./", path);
}

function summaryLine(built: BuiltCatalog, indexTerms: number): string {
  const { ops } = built.catalog;
  const variants = ops.reduce((count, op) => count + op.variants.length, 0);
  const services = new Set(ops.map((op) => op.service)).size;
  return `gen-catalog: ${ops.length} ops, ${variants} variants, ${services} services, ` +
    `${built.schemas.size} schemas, ${indexTerms} index terms, ` +
    `${built.skippedMethods} skipped methods`;
}
