/**
 * Several accounts in one session (spec 11 §6). Each is a session of its own behind the first one,
 * opened when a call picks it: grants, caches, artifacts, records and limits never mix.
 */

import { type SessionAccount, sessionAccounts } from "../config/mod.ts";
import type { CatalogSnapshot } from "../catalog/types.ts";
import type { Invocation, Kernel, ShapedResponse } from "../dispatch/types.ts";
import { findGumError, GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { narrowerMode } from "./settings.ts";
import type { Session, SessionOptions } from "./types.ts";

/** The session with the accounts of its configuration; calls without one stay as they are. */
export function withAccounts(
  session: Session,
  made: { options: SessionOptions; open: (options: SessionOptions) => Promise<Session> },
): Session {
  const { options } = made;
  // An account's own session has no accounts: labels never lead further.
  if (options.account !== undefined) return session;
  const accounts = session.config === undefined
    ? new Map<string, SessionAccount>()
    : sessionAccounts(session.config).accounts;
  const opened = new Map<string, Promise<Session>>();

  const sessionOf = (account: SessionAccount): Promise<Session> => {
    let found = opened.get(account.label);
    if (found === undefined) {
      found = made.open({
        ...options,
        profileName: account.profileName,
        account,
        policyMode: narrowerMode(options.policyMode, account.mode ?? "full"),
      });
      opened.set(account.label, found);
      // A session that failed to open is tried again by the next call.
      found.catch(() => opened.delete(account.label));
    }
    return found;
  };

  const dispatch: Kernel["dispatch"] = async (invocation, signal) => {
    const { account: label, ...rest } = invocation;
    if (label === undefined) return await session.kernel.dispatch(rest, signal);
    const account = accounts.get(label);
    if (account === undefined) throw notAllowed(label, rest.opId);
    const chosen = await sessionOf(account);
    return await labelled(chosen, { account, invocation: rest, signal });
  };

  return {
    ...session,
    kernel: { ...session.kernel, dispatch },
    ...(session.code === undefined ? {} : { code: dispatch }),
    accounts: () =>
      [...accounts.values()].map((account): JsonObject => ({
        label: account.label,
        profile: account.profileName,
        allow: [...account.allow],
        deny: [...account.deny],
        max_risk: account.maxRisk ?? null,
        policy_mode: account.mode ?? null,
      })),
    async close() {
      const all = await Promise.allSettled(opened.values());
      for (const one of all) if (one.status === "fulfilled") await one.value.close();
      await session.close();
    },
  };
}

/** Whose answer, and whose confirmation, it is. */
async function labelled(
  chosen: Session,
  call: { account: SessionAccount; invocation: Invocation; signal: AbortSignal | undefined },
): Promise<ShapedResponse> {
  const { account, invocation, signal } = call;
  try {
    const response = await chosen.kernel.dispatch(invocation, signal);
    const { expression } = response;
    return expression === undefined
      ? response
      : { ...response, expression: { ...expression, account: account.label } };
  } catch (error) {
    const known = findGumError(error);
    if (known === undefined || known !== error) throw error;
    throw known.with({ account: account.label });
  }
}

function notAllowed(label: string, opId: string): GumError {
  return new GumError("POLICY_DENIED", {
    message: "the account is not one that this profile's sessions may use",
    details: {
      reason: "account_not_allowed",
      op_id: opId,
      account: label.slice(0, 64),
      configured_in: "accounts of config.toml",
    },
    suggestion: "An operator can add it with `gum config set accounts.<name>.profile=<profile>`.",
  });
}

/** A kernel that holds every call, a script's inner ones too, to the account's row of the table. */
export function withAccountPolicy(
  kernel: Kernel,
  over: { account: SessionAccount | undefined; catalog: CatalogSnapshot },
): Kernel {
  const { account, catalog } = over;
  if (account === undefined) return kernel;
  return {
    ...kernel,
    async dispatch(invocation, signal) {
      const opId = catalog.findOp(invocation.opId)?.op_id ?? invocation.opId;
      const rule = brokenRule(account, { ...invocation, opId });
      if (rule !== undefined) throw refusedByRule(rule, { account, opId });
      return await kernel.dispatch(invocation, signal);
    },
  };
}

type Rule = "deny" | "allow" | "max_risk";

function brokenRule(account: SessionAccount, call: Invocation): Rule | undefined {
  if (account.deny.some((pattern) => matches(pattern, call.opId))) return "deny";
  const script = call.opId === "gum.code";
  if (
    account.allow.length > 0 && !script &&
    !account.allow.some((pattern) => matches(pattern, call.opId))
  ) return "allow";
  // The kernel runs nothing above what these flags say, so they tell the highest risk.
  if (account.maxRisk === "read" && (call.allowWrite || call.allowDestructive)) return "max_risk";
  if (account.maxRisk === "write" && call.allowDestructive) return "max_risk";
  return undefined;
}

/** `*` stands for any part of an operation id. */
function matches(pattern: string, opId: string): boolean {
  const source = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`).test(opId);
}

function refusedByRule(rule: Rule, at: { account: SessionAccount; opId: string }): GumError {
  const key = `accounts.${at.account.label}.${rule}`;
  return new GumError("POLICY_DENIED", {
    message: `account ${at.account.label} may not do this (${key})`,
    details: {
      reason: `account rule ${rule}`,
      op_id: at.opId,
      account: at.account.label,
      configured_in: key,
    },
    suggestion: `An operator can review \`${key}\` with \`gum config list\`.`,
  });
}
