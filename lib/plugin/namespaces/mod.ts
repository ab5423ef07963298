/**
 * Who may use an operation prefix, and handing one over (spec 06 §3.2).
 *
 * @module
 */

import { rfc3339 } from "../../clock/mod.ts";
import type { Clock } from "../../clock/mod.ts";
import type { AuditSink } from "../../dispatch/types.ts";
import { GumError } from "../../errors/mod.ts";
import type { LockRow, PluginRegistry } from "../types.ts";

const ALWAYS_RESERVED = ["gum", "google", "plug"];

/** Prefixes that no plugin may take: the services of the embedded operations, and GUM's own words. */
export function reservedPrefixes(opIds: Iterable<string>): Set<string> {
  const reserved = new Set(ALWAYS_RESERVED);
  for (const opId of opIds) {
    const [service = ""] = opId.split(".");
    if (service !== "") reserved.add(service);
  }
  return reserved;
}

/** What a namespace check looks at. */
export interface NamespaceClaim {
  /** The plugin id, which is the prefix. */
  prefix: string;
  declaredOwner: string;
  reserved: ReadonlySet<string>;
  lock: readonly LockRow[];
  isDev: boolean;
  /** `--dev-allow-namespace-conflict` was given. */
  allowConflict: boolean;
}

/** @throws GumError `PLUGIN_NAMESPACE_CONFLICT` */
export function checkNamespace(claim: NamespaceClaim): void {
  const { prefix, declaredOwner } = claim;
  const fail = (message: string, existingOwner: string | null, suggestion?: string) =>
    new GumError("PLUGIN_NAMESPACE_CONFLICT", {
      message,
      details: {
        prefix,
        existing_owner: existingOwner,
        declared_owner: declaredOwner,
      },
      userMessage: message,
      suggestion,
    });
  if (declaredOwner === "") {
    throw fail(
      `plugin ${prefix} declares no namespace_owner`,
      null,
      "Add namespace_owner to the manifest.",
    );
  }
  if (claim.reserved.has(prefix)) {
    throw fail(
      `the prefix ${prefix} is reserved for GUM's own operations`,
      "gum",
      "Rename the plugin.",
    );
  }
  if (claim.allowConflict && !claim.isDev) {
    throw fail(
      "--dev-allow-namespace-conflict works on a profile with profile.is_dev only",
      null,
      "Leave the flag out, or set profile.is_dev on a profile made for development.",
    );
  }
  const holder = claim.lock.find((row) => (row.prefix ?? row.name) === prefix);
  const owner = holder?.namespace_owner;
  if (owner === undefined || owner === "" || owner === declaredOwner) return;
  if (claim.isDev && claim.allowConflict) return;
  throw fail(`the prefix ${prefix} belongs to ${owner}, not to ${declaredOwner}`, owner);
}

/** What a transfer did. */
export interface NamespaceTransfer {
  prefix: string;
  oldOwner: string;
  /** "" on a release. */
  newOwner: string;
  released: boolean;
}

/**
 * Gives a prefix to another owner, or to nobody. On a refusal neither the registry nor the audit
 * log changes.
 *
 * @throws GumError `PLUGIN_PREFIX_NOT_BOUND`
 */
export async function transferNamespace(
  request: { prefix: string; newOwner: string | null; signal: AbortSignal },
  parts: { registry: PluginRegistry; clock: Clock; auditSink: AuditSink; profileName: string },
): Promise<NamespaceTransfer> {
  const { prefix, signal } = request;
  const newOwner = request.newOwner ?? "";
  const done: NamespaceTransfer = {
    prefix,
    oldOwner: "",
    newOwner,
    released: request.newOwner === null,
  };
  await parts.registry.writeTransaction((draft) => {
    const row = draft.lock.plugins.find((known) =>
      prefix !== "" && (known.prefix ?? known.name) === prefix
    );
    const owner = row?.namespace_owner ?? "";
    if (row === undefined || owner === "") {
      throw new GumError("PLUGIN_PREFIX_NOT_BOUND", {
        message: `no plugin of this profile owns the prefix ${JSON.stringify(prefix)}`,
        details: { prefix },
      });
    }
    done.oldOwner = owner;
    if (done.released) delete row.namespace_owner;
    else row.namespace_owner = newOwner;
    row.transfer_history = [
      ...row.transfer_history ?? [],
      { from: owner, to: newOwner, at: rfc3339(parts.clock.now()) },
    ];
  }, { signal });
  parts.auditSink.append({
    event: done.released ? "plugin_namespace_release" : "plugin_namespace_transfer",
    prefix,
    old_owner: done.oldOwner,
    new_owner: newOwner,
    released: done.released,
    profile: parts.profileName,
  });
  return done;
}
