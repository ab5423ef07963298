/** What the `gum profile` commands print (spec 03 §3.18). */

import type { CatalogSnapshot } from "../lib/catalog/types.ts";
import { baseDirectories } from "../lib/config/directories.ts";
import { GumError, isGumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/visible/mod.ts";
import { assembleProfileLayers, profileCommands, type ProfileLayer } from "../lib/profile/mod.ts";
import { SOURCE_LIMIT_BYTES } from "./arg_grammar.ts";
import { choiceOf } from "./choices.ts";
import { FailedReport, invalidArg } from "./errors.ts";
import { namedFileBytes } from "./named_file.ts";
import { KERNEL_FORMATS } from "./output_choice.ts";
import { projectRootOf } from "./project_root.ts";
import type { CommandContext, CommandHost, Completion } from "./types.ts";

/** Runs `gum profile validate`. */
export async function runValidate(context: CommandContext): Promise<void> {
  const { words, flags, host } = context;
  const path = words[0] ?? "";
  const format = reportFormat(context);
  const { validateProfileText } = await profileCommands();
  const text = await fileText(path, context);
  const variantId = flags.text("variant");
  const { validation } = validateProfileText(text, {
    path,
    layers: await profileLayers(context),
    catalog: variantId === undefined && bindsNothing(text)
      ? UNASKED_CATALOG
      : await host.factories.catalog(),
    variantId,
  });
  if (format === "json") host.stdout.write(JSON.stringify(validation, null, 2) + "\n");
  else {
    const found = [
      ...validation.errors.map((finding) => ({ ...finding, severity: "error" })),
      ...validation.warnings.map((finding) => ({ ...finding, severity: "warning" })),
    ];
    const lines = found.map(({ severity, code, profile, field, line, message }) => {
      const place = [path, line].filter((part) => part !== undefined).join(":");
      const subject = [profile, field].filter((part) => part !== undefined).join(".");
      return `${place}: ${severity} ${code}${subject === "" ? "" : ` ${subject}`}: ${message}`;
    });
    if (validation.valid) lines.push("ok");
    lines.push(
      ...validation.skipped_checks.map((check) =>
        `skipped ${check}: name a variant with --variant`
      ),
    );
    // Keys of a file from elsewhere may hold anything, so that every finding stays one plain line.
    host.stdout.write(lines.map((line) => visibleText(line.replace(/\s/g, " "))).join("\n") + "\n");
  }
  if (!validation.valid) throw new FailedReport("the profile file is not valid");
}

/** True for a file that cannot name an operation: no such table, and nothing that may spell one. */
function bindsNothing(text: string): boolean {
  return !text.includes("override_bindings") && !text.includes("\\");
}

/** Stands where nothing will be looked up: loading the catalog takes longer than the rules. */
const UNASKED_CATALOG: CatalogSnapshot = {
  ops: [],
  findOp: () => undefined,
  findVariant: () => undefined,
  requestSchema: () => undefined,
};

/** Runs `gum profile test`. */
export async function runTest(context: CommandContext): Promise<void> {
  const { words, flags, host } = context;
  const path = words[0] ?? "";
  const input = flags.text("input");
  const golden = flags.text("golden");
  const format = flags.text("format")?.toLowerCase();
  if (golden !== undefined && input === undefined) throw invalidArg("--golden", "needs --input");
  const commands = await profileCommands();
  const { shaper } = await import("../lib/shape/mod.ts");
  const request = {
    path,
    text: await fileText(path, context),
    name: flags.text("name"),
    layers: await profileLayers(context),
    catalog: await host.factories.catalog(),
  };
  if (input !== undefined) {
    const named = KERNEL_FORMATS.find((known) => known === format);
    if (format !== undefined && named === undefined) {
      throw invalidArg("--format", `accepted with --input: ${KERNEL_FORMATS.join(", ")}`);
    }
    const inputBytes = await fileBytes(input, context);
    const goldenBytes = golden === undefined ? undefined : await fileBytes(golden, context);
    const body = argumentFaults(() =>
      commands.shapeInput({ ...request, input: inputBytes, golden: goldenBytes, format: named }, {
        shape: shaper.shape,
      })
    );
    return host.stdout.write(golden === undefined ? body : "ok\n");
  }
  if (format !== undefined) choiceOf(flags, { flag: "format", choices: ["json"] });
  const { countTokens } = await import("../lib/tokens/mod.ts");
  const report = await commands.testProfile(request, { shape: shaper.shape, countTokens })
    .catch((error) =>
      argumentFaults(() => {
        throw error;
      })
    );
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
  const failure = commands.fixtureFailure(report);
  if (failure !== undefined) throw failure.with({ path });
}

/** Runs `gum profile list`. */
export async function runList(context: CommandContext): Promise<void> {
  const { host } = context;
  const format = reportFormat(context);
  const { listProfiles } = await profileCommands();
  const listing = listProfiles(await profileLayers(context));
  if (format === "json") return host.stdout.write(JSON.stringify(listing, null, 2) + "\n");
  const width = Math.max(0, ...listing.profiles.map(({ name }) => name.length));
  for (const { name, source, inherits } of listing.profiles) {
    const base = inherits === undefined ? "" : `  inherits ${inherits}`;
    host.stdout.write(`${name.padEnd(width)}  ${source}${base}\n`);
  }
}

/** Runs `gum profile show`. @throws GumError `RESOURCE_NOT_FOUND` */
export async function runShow(context: CommandContext): Promise<void> {
  const { words, host } = context;
  const name = words[0] ?? "";
  const format = reportFormat(context);
  const { showProfile } = await profileCommands();
  const shown = showProfile(name, await profileLayers(context));
  if (shown === undefined) {
    throw new GumError("RESOURCE_NOT_FOUND", {
      message: `no profile ${JSON.stringify(name)}`,
      details: { name },
      suggestion: "gum profile list shows every profile.",
    });
  }
  if (format === "json") return host.stdout.write(JSON.stringify(shown, null, 2) + "\n");
  const toml = String(shown.toml ?? "");
  host.stdout.write(`# ${name} (${shown.source})\n${toml}${toml.endsWith("\n") ? "" : "\n"}`);
}

/** Names `gum profile show` takes. */
export async function profileNames(host: CommandHost): Promise<Completion> {
  const names = (await profileLayers({ host })).flatMap((layer) => layer.names());
  return { candidates: [...new Set(names)].sort().map((value) => ({ value })) };
}

function reportFormat({ flags }: CommandContext): "text" | "json" {
  return choiceOf(flags, { flag: "format", choices: ["text", "json"] });
}

async function profileLayers({ host }: { host: CommandHost }): Promise<readonly ProfileLayer[]> {
  let userDirectory: string | undefined;
  try {
    userDirectory = `${baseDirectories(host.environment).config}/gum/profiles`;
  } catch (error) {
    // Without a home directory there are only the project's and the shipped profiles.
    if (!isGumError(error, "HOME_UNRESOLVED")) throw error;
  }
  const layersOf = await assembleProfileLayers(
    userDirectory === undefined ? {} : { userDirectory },
  );
  return layersOf(projectRootOf(host));
}

function fileBytes(path: string, context: CommandContext): Promise<Uint8Array> {
  return namedFileBytes(context, { path, limit: SOURCE_LIMIT_BYTES });
}

async function fileText(path: string, context: CommandContext): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await fileBytes(path, context));
  } catch (error) {
    if (error instanceof TypeError) throw invalidArg(path, "not UTF-8 text");
    throw error;
  }
}

// Which profile is meant is a matter of the words typed, so it is reported like one.
function argumentFaults<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GumError) || error.code !== "CLI_ARG_INVALID") throw error;
    throw invalidArg(String(error.details.arg ?? ""), error.message);
  }
}
