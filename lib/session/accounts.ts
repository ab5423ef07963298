/**
 * Several accounts in one session (spec 11 §6). Each is a session of its own behind the first one,
 * opened when a call picks it: grants, caches, artifacts, records and limits never mix.
 */

import { type SessionAccount, sessionAccounts } from "../config/mod.ts";
import type { CatalogSnapshot } from "../catalog/types.ts";
import type { Environment, VariableName } from "../config/environment.ts";
import type { Invocation, Kernel } from "../dispatch/types.ts";
import type { EmulatorConnection } from "../emulator/types.ts";
import { findGumError, GumError } from "../errors/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { closeAll } from "./close_all.ts";
import { narrowerMode } from "./settings.ts";
import type { Session, SessionOptions } from "./types.ts";

/** The session with the accounts of its configuration; calls without one stay as they are. */
export function withAccounts(
  session: Session,
  made: { options: SessionOptions; open: (options: SessionOptions) => Promise<Session> },
): Session {
  const { options } = made;
  // An account's own session has no accounts: labels never lead further.
  if (options.account !== undefined || session.config === undefined) return session;
  const { accounts } = sessionAccounts(session.config);
  if (accounts.size === 0) return refusingAccounts(session);
  const opened = new Map<string, Promise<Session>>();

  const sessionOf = (account: SessionAccount): Promise<Session> => {
    let found = opened.get(account.label);
    if (found === undefined) {
      found = made.open(accountOptions(session, { options, account, accounts }));
      opened.set(account.label, found);
      // A session that failed to open is tried again by the next call.
      found.catch(() => opened.delete(account.label));
    }
    return found;
  };

  const picked = (label: string, opId: string): Promise<Session> => {
    const account = accounts.get(label);
    if (account === undefined) throw notAllowed(label, opId);
    return sessionOf(account);
  };

  const dispatch: Kernel["dispatch"] = async (invocation, signal) => {
    const { account, ...rest } = invocation;
    return account === undefined
      ? await session.kernel.dispatch(rest, signal)
      : await (await picked(account, rest.opId)).kernel.dispatch(rest, signal);
  };

  return {
    ...session,
    kernel: { ...session.kernel, dispatch },
    ...(session.code === undefined ? {} : { code: dispatch }),
    ...(session.poll === undefined ? {} : {
      async poll({ account, ...request }, signal) {
        const chosen = account === undefined ? session : await picked(account, "gum.poll");
        return await requirePoll(chosen)(request, signal);
      },
    }),
    async readResult(uri, from = {}) {
      if (from.account !== undefined) {
        return await requireResults(await picked(from.account, ""))(uri);
      }
      return await readFirst(uri, [Promise.resolve(session), ...opened.values()]);
    },
    ...accountSignIn(session, { accounts, sessionOf }),
    accountLabels: [...accounts.keys()],
    accounts: async () =>
      await Promise.all([...accounts.values()].map(async (account): Promise<JsonObject> => ({
        label: account.label,
        profile: account.profileName,
        address: await addressOf(sessionOf(account), session.log),
        allow: [...account.allow],
        deny: [...account.deny],
        max_risk: account.maxRisk ?? null,
        policy_mode: account.mode ?? null,
      }))),
    async close() {
      const all = await Promise.allSettled(opened.values());
      const others = all.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
      await closeAll([...others, session].map((one) => () => one.close()));
    },
  };
}

/** A session whose table names nobody: whoever picks an account is refused all the same. */
function refusingAccounts(session: Session): Session {
  const dispatch: Kernel["dispatch"] = async (invocation, signal) => {
    const { account, ...rest } = invocation;
    if (account !== undefined) throw notAllowed(account, rest.opId);
    return await session.kernel.dispatch(rest, signal);
  };
  return {
    ...session,
    kernel: { ...session.kernel, dispatch },
    ...(session.code === undefined ? {} : { code: dispatch }),
    ...(session.poll === undefined ? {} : {
      async poll({ account, ...request }, signal) {
        if (account !== undefined) throw notAllowed(account, "gum.poll");
        return await requirePoll(session)(request, signal);
      },
    }),
    ...(session.readResult === undefined ? {} : {
      async readResult(uri, from = {}) {
        if (from.account !== undefined) throw notAllowed(from.account, "");
        return await requireResults(session)(uri);
      },
    }),
  };
}

/** Variables that name an identity. They speak for the process's own profile, for no other one. */
const OWN_IDENTITY: ReadonlySet<VariableName> = new Set([
  "GUM_API_KEY",
  "GUM_SERVICE_ACCOUNT_KEY",
  "GUM_GOOGLE_ADS_DEVELOPER_TOKEN",
  "GUM_USE_ADC",
]);

/** How the session behind an account is opened: nothing of the first one's identity goes along. */
function accountOptions(
  session: Session,
  from: {
    options: SessionOptions;
    account: SessionAccount;
    accounts: ReadonlyMap<string, SessionAccount>;
  },
): SessionOptions {
  const { options, account } = from;
  const narrowed: SessionOptions = {
    ...options,
    profileName: account.profileName,
    account,
    policyMode: narrowerMode(options.policyMode, account.mode ?? "full"),
    ...(session.emulated === undefined
      ? {}
      : { emulated: emulatedAccountOf(session.emulated, { ...from, own: options.profileName }) }),
  };
  if (account.profileName === options.profileName) return narrowed;
  const { environment } = options;
  return {
    ...narrowed,
    credentials: undefined,
    ...(environment === undefined ? {} : { environment: without(environment, OWN_IDENTITY) }),
  };
}

function without(environment: Environment, hidden: ReadonlySet<VariableName>): Environment {
  const text: Environment["text"] = (name) => hidden.has(name) ? undefined : environment.text(name);
  return {
    text,
    isOne: (name) => text(name) === "1",
    take: (name) => hidden.has(name) ? undefined : environment.take(name),
  };
}

/** Other profiles that a table leads to; each has an account of its own on the emulator. */
export function otherProfiles(
  accounts: ReadonlyMap<string, SessionAccount>,
  own: string,
): string[] {
  const names = [...accounts.values()].map(({ profileName }) => profileName);
  return [...new Set(names)].filter((name) => name !== own);
}

/** The emulator as one of its other accounts. Closing it leaves the emulator to its owner. */
function emulatedAccountOf(
  emulator: EmulatorConnection,
  who: { account: SessionAccount; accounts: ReadonlyMap<string, SessionAccount>; own: string },
): EmulatorConnection {
  // The session's own profile is the first account; the others follow in the order of the table.
  const index = otherProfiles(who.accounts, who.own).indexOf(who.account.profileName) + 1;
  const account = emulator.accounts[index];
  if (account === undefined) {
    throw new GumError("POLICY_DENIED", {
      message: `the emulator has no account for ${who.account.label}`,
      details: { reason: "account_not_emulated", account: who.account.label },
    });
  }
  const { email, displayName, fingerprint, bearer, apiKey } = account;
  return {
    origin: emulator.origin,
    accounts: emulator.accounts,
    rewrite: emulator.rewrite,
    account: { email, displayName, fingerprint },
    credentials: { bearer, apiKey, developerToken: emulator.credentials.developerToken },
    close: () => Promise.resolve(),
  };
}

async function addressOf(opening: Promise<Session>, log: Session["log"]): Promise<string | null> {
  try {
    return await (await opening).address?.() ?? null;
  } catch (error) {
    // An account that cannot be opened is still one that a call may pick, and then it says why.
    log.log("debug", "an account could not be looked at", { error: `${error}` });
    return null;
  }
}

function requirePoll(session: Session): NonNullable<Session["poll"]> {
  if (session.poll !== undefined) return session.poll;
  throw new GumError("UNSUPPORTED_CAPABILITY", { message: "this account cannot wait" });
}

function requireResults(session: Session): NonNullable<Session["readResult"]> {
  if (session.readResult !== undefined) return session.readResult;
  throw new GumError("RESULT_ARTIFACT_EXPIRED", { message: "this account keeps no results" });
}

/** From the first of these that has it; the first one's miss when none does. */
async function readFirst(uri: string, sessions: readonly Promise<Session>[]): Promise<string> {
  let first: unknown;
  for (const opening of sessions) {
    try {
      return await requireResults(await opening)(uri);
    } catch (error) {
      first ??= error;
      if (findGumError(error, "RESULT_ARTIFACT_EXPIRED") === undefined) throw error;
    }
  }
  throw first;
}

/** Sign-ins go to the account whose call was refused. */
function accountSignIn(
  session: Session,
  over: {
    accounts: ReadonlyMap<string, SessionAccount>;
    sessionOf(account: SessionAccount): Promise<Session>;
  },
): Pick<Session, "signIn" | "scopeUpgrade"> {
  const named = async (label: unknown): Promise<Session | undefined> => {
    const account = typeof label === "string" ? over.accounts.get(label) : undefined;
    return account === undefined ? undefined : await over.sessionOf(account);
  };
  const { signIn, scopeUpgrade } = session;
  return {
    ...(signIn === undefined ? {} : {
      signIn: {
        async offer(refusal, signal) {
          const { account } = refusal.details;
          if (account === undefined) return await signIn.offer(refusal, signal);
          const offer = await (await named(account))?.signIn?.offer(refusal, signal);
          return offer === undefined ? undefined : { ...offer, account: String(account) };
        },
        async login(request) {
          const { account, ...rest } = request;
          const own = account === undefined ? signIn : (await named(account))?.signIn;
          if (own === undefined) throw notAllowed(account ?? "", "");
          return await own.login(rest);
        },
      },
    }),
    ...(scopeUpgrade === undefined ? {} : {
      scopeUpgrade: {
        async form(refusal, { account, ...invocation }) {
          const of = account === undefined ? scopeUpgrade : (await named(account))?.scopeUpgrade;
          return await of?.form(refusal, invocation);
        },
        async answer(refusal, reply) {
          const { account, ...invocation } = reply.invocation;
          const of = account === undefined ? scopeUpgrade : (await named(account))?.scopeUpgrade;
          const answered = await of?.answer(refusal, { ...reply, invocation }) ?? refusal;
          return account === undefined ? answered : answered.with({ account });
        },
      },
    }),
  };
}

function notAllowed(label: string, opId: string): GumError {
  return new GumError("POLICY_DENIED", {
    message: "the account is not one that this profile's sessions may use",
    details: {
      reason: "account_not_allowed",
      ...(opId === "" ? {} : { op_id: opId }),
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
