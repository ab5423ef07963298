/** Which confinement a plugin gets; without one it does not start (spec 06 §3.15). */

import { GumError } from "../../errors/mod.ts";
import { findProgram } from "../../programs/mod.ts";
import type { LockRow, SandboxReport } from "../types.ts";
import { BACKENDS } from "./backends.ts";
import { probeBackend, type ProbedBackend } from "./probe.ts";
import type { ChosenSandbox, SandboxParts } from "./types.ts";

/**
 * Chooses for one plugin.
 *
 * @throws GumError `PLUGIN_SANDBOX_UNSUPPORTED` when nothing on this host enforces the policy.
 */
export async function chooseSandbox(lock: LockRow, parts: SandboxParts): Promise<ChosenSandbox> {
  const { settings } = parts;
  const script = lock.shape === "deno-script";
  if (settings.backend === "off") {
    if (!settings.isDev) {
      throw unsupported("fs", {
        message: "plugins.sandbox may be off in development profiles only",
        suggestion: "Set plugins.sandbox to auto.",
      });
    }
    return script ? byRuntime(lock) : await unconfined(lock, parts);
  }
  if (script && settings.backend === "deno-permissions") return byRuntime(lock);
  // A script's runtime limits what it reads, whatever stands around it.
  const strictRead = !script && settings.read === "strict";
  const probed = await probedBackends(parts, { strictRead });
  const { network } = lock.declared_capabilities;
  const whole = probed.find(({ result }) =>
    result.usable && result.writes && (network || result.network)
  );
  if (whole !== undefined) return byBackend(whole, { lock, partial: false });
  // The runtime itself confines a script, with or without a second wall.
  if (script) return byRuntime(lock);
  const writesOnly = probed.find(({ result }) => result.usable && result.writes);
  if (writesOnly !== undefined && settings.network === "best_effort") {
    return byBackend(writesOnly, { lock, partial: true });
  }
  throw unsupported(writesOnly === undefined ? "fs" : "network", {
    message: writesOnly === undefined
      ? `nothing on this host can confine plugin ${lock.name}` +
        (strictRead ? " as plugins.sandbox_read = strict asks for" : "")
      : `nothing on this host can keep plugin ${lock.name} off the network`,
    plugin: lock.name,
    tried: probed.map(({ backend, result }) =>
      `${backend.name}: ${result.reason ?? "network only partly"}`
    ),
    suggestion: installHint(parts.os ?? Deno.build.os, { strictRead }),
  });
}

/** What is there, for `gum doctor`: the first backend that confines everything. */
export async function describeHost(parts: SandboxParts): Promise<SandboxReport> {
  const strictRead = parts.settings.read === "strict";
  const probed = await probedBackends(parts, { strictRead });
  const best = probed.find(({ result }) => result.usable && result.writes && result.network) ??
    probed.find(({ result }) => result.usable && result.writes);
  if (best === undefined) return { backend: "none", fs: "none", network: "none" };
  return {
    backend: best.backend.name,
    fs: "enforced",
    network: best.result.network ? "enforced" : "partial",
  };
}

async function probedBackends(
  parts: SandboxParts,
  { strictRead }: { strictRead: boolean },
): Promise<ProbedBackend[]> {
  const os = parts.os ?? Deno.build.os;
  const { backend: wanted } = parts.settings;
  const candidates = BACKENDS.filter(({ name, os: systems, limitsReads }) =>
    systems.includes(os) && (wanted === "auto" || wanted === name) &&
    (limitsReads || !strictRead)
  );
  const probed: ProbedBackend[] = [];
  for (const backend of candidates) {
    const found = await probeBackend(backend, parts.environment);
    probed.push(found);
    // The order is one of preference, so a complete one ends the search.
    if (found.result.usable && found.result.writes && found.result.network) break;
  }
  return probed;
}

function byBackend(
  { backend, ...found }: ProbedBackend,
  { lock, partial }: { lock: LockRow; partial: boolean },
): ChosenSandbox {
  const script = lock.shape === "deno-script";
  return {
    confinesWrites: true,
    report: {
      backend: script ? `${backend.name}+deno-permissions` : backend.name,
      fs: "enforced",
      network: partial ? "partial" : networkWord(lock),
    },
    wrap: (command, plan) => {
      const { program, unshare, dropCapabilities } = found;
      return backend.wrap(command, { program, unshare, dropCapabilities, ...plan });
    },
  };
}

function byRuntime(lock: LockRow): ChosenSandbox {
  return {
    confinesWrites: true,
    report: { backend: "deno-permissions", fs: "enforced", network: networkWord(lock) },
    wrap: (command) => command,
  };
}

async function unconfined(lock: LockRow, parts: SandboxParts): Promise<ChosenSandbox> {
  const env = await findProgram("env", parts.environment);
  const { network, net_hosts: hosts } = lock.declared_capabilities;
  return {
    confinesWrites: false,
    report: {
      backend: "off",
      fs: "none",
      network: network && hosts.length > 0 ? "declared" : "none",
    },
    // Starting everything through one of few programs keeps the permission to run others away.
    wrap: (command) =>
      env === undefined ? command : { program: env, args: [command.program, ...command.args] },
  };
}

/** A script's hosts are enforced by its runtime; a native plugin's list is only a declaration. */
function networkWord({ shape, declared_capabilities: capabilities }: LockRow) {
  if (!capabilities.network) return "enforced";
  if (capabilities.net_hosts.length === 0) return "none";
  return shape === "deno-script" ? "enforced" : "declared";
}

function installHint(os: string, { strictRead }: { strictRead: boolean }): string {
  if (os === "linux") {
    return "Install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), " +
      "and allow unprivileged user namespaces.";
  }
  if (os === "darwin" && strictRead) {
    return "Set plugins.sandbox_read to open: on this system only plugins of the shape deno-script " +
      "can be kept from reading.";
  }
  return os === "darwin"
    ? "/usr/bin/sandbox-exec must be there and work."
    : "On this system only plugins of the shape deno-script can be confined.";
}

function unsupported(
  missing: "fs" | "network",
  why: { message: string; suggestion: string; plugin?: string; tried?: string[] },
): GumError {
  return new GumError("PLUGIN_SANDBOX_UNSUPPORTED", {
    message: why.message,
    details: {
      missing,
      ...(why.plugin === undefined ? {} : { plugin_name: why.plugin }),
      ...(why.tried === undefined || why.tried.length === 0 ? {} : { tried: why.tried }),
    },
    userMessage: `${why.message}. ${why.suggestion}`,
    suggestion: why.suggestion,
  });
}
