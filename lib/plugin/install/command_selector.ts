/** Which program runs, from what the manifest selects (spec 06 §3.6). */

import { untrusted, type UntrustedReason } from "../untrusted.ts";
import type { PluginManifest } from "../types.ts";

const INTERPRETERS = new Set(
  "sh bash zsh dash ksh fish csh tcsh cmd powershell pwsh python node ruby perl php bun deno"
    .split(" "),
);

const WRAPPERS = new Set(
  ("env nohup sudo doas xargs time timeout uv uvx pipx pip npx npm pnpm yarn poetry conda docker " +
    "podman").split(" "),
);

/** A selected program. */
export type SelectedCommand =
  | {
    kind: "package";
    /** Relative to the install root. */
    relativePath: string;
    residual: string[];
  }
  /** Development profiles only: a program of the machine. */
  | { kind: "unverified"; program: string; residual: string[] };

/** Why a program's base name may not run as a plugin; undefined when it may. */
export function baseNameProblem(path: string): "interpreter" | "wrapper" | undefined {
  const base = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase().replace(/\.exe$/, "");
  const stem = base.replace(/[0-9][0-9.]*$/, "");
  if (INTERPRETERS.has(base) || INTERPRETERS.has(stem)) return "interpreter";
  return WRAPPERS.has(base) || WRAPPERS.has(stem) ? "wrapper" : undefined;
}

/** Where a console script of a host-built environment lies, relative to the install root. */
function consoleScriptPath(script: string, os: string = Deno.build.os): string {
  return os === "windows" ? `venv/Scripts/${script}.exe` : `venv/bin/${script}`;
}

/**
 * The program a manifest's command selects.
 *
 * @throws GumError `PLUGIN_EXECUTABLE_UNTRUSTED`
 */
export function normalizeCommand(
  manifest: PluginManifest,
  { isDev }: { isDev: boolean },
): SelectedCommand {
  const { executable, command, shape } = manifest.plugin;
  // A module is no program, whatever its name.
  const native = shape !== "deno-script";
  if (native) {
    const own = baseNameProblem(executable);
    if (own !== undefined) throw refuse(own, executable);
  }
  const words = manifest.package.source === "pypi" ? withoutRunner(command) : [...command];
  const [selector = "", ...residual] = words;
  const relative = selector.replace(/^(\.\/)+/, "");
  if (relative === executable && relative !== "") {
    const relativePath = manifest.package.source === "pypi"
      ? consoleScriptPath(bareName(executable))
      : executable;
    return { kind: "package", relativePath, residual };
  }
  const reason = selectorProblem(selector, { native });
  const escape: readonly UntrustedReason[] = ["path_only", "absolute", "interpreter"];
  if (native && isDev && escape.includes(reason)) {
    return { kind: "unverified", program: selector, residual };
  }
  throw refuse(reason, selector);
}

function withoutRunner(command: readonly string[]): string[] {
  const [first, second] = command;
  if (first === "uvx") return command.slice(1);
  if (first === "pipx") return command.slice(second === "run" ? 2 : 1);
  return [...command];
}

function bareName(script: string): string {
  if (!script.includes("/")) return script;
  throw refuse("not_declared_executable", script);
}

function selectorProblem(selector: string, { native }: { native: boolean }): UntrustedReason {
  const parts = selector.split(/[\\/]/);
  if (selector.startsWith("/") || /^[A-Za-z]:[\\/]/.test(selector)) return "absolute";
  if (parts.includes("..")) return "traversal";
  const base = native ? baseNameProblem(selector) : undefined;
  if (base !== undefined) return base;
  return parts.length === 1 ? "path_only" : "not_declared_executable";
}

function refuse(reason: UntrustedReason, selector: string) {
  const shown = selector.length > 120 ? `${selector.slice(0, 120)}…` : selector;
  return untrusted(reason, {
    message: `the command ${JSON.stringify(shown)} may not run as a plugin (${reason})`,
    details: { selector: shown },
    suggestion: "Select the executable that the manifest declares.",
  });
}
