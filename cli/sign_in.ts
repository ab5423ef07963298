/** `gum login`, `gum logout` and the `gum auth` commands around them (spec 05 §3.19). */

import type { CommandSpec, FlagSpec } from "./types.ts";

/** The store, the browser and Google's token service. */
const SIGNS_IN = ["read", "write", "net", "run", "env", "sys"] as const;
/** The store alone. */
const STORE = ["read", "write", "run", "env", "sys"] as const;

const LOGIN_FLAGS: readonly FlagSpec[] = [
  { name: "scope", type: "stringList", help: "scopes to ask for, e.g. gmail.readonly" },
  {
    name: "service",
    type: "stringList",
    help: "everything the operations of these services need",
    complete: async (request) => ({
      candidates: [
        ...new Set((await request.catalog()).ops.map(({ service }) => service)),
      ].sort().map((value) => ({ value })),
    }),
  },
  { name: "all", type: "bool", help: "everything any operation needs" },
  { name: "no-browser", type: "bool", help: "print the address instead of opening a browser" },
  {
    name: "switch-account",
    type: "bool",
    help: "accept another account than the one this profile belongs to",
  },
];

const login: CommandSpec = {
  name: "login",
  group: "auth",
  summary: "Sign in to Google with your own OAuth client",
  description:
    "Opens the consent page in a browser and waits for its answer. Without a choice of " +
    "scopes it asks for those of Gmail, Calendar, Drive, Docs, Sheets, Slides, Tasks, Search " +
    "Console and Admin. What was granted before is kept.",
  examples: [
    "gum login --service gmail,calendar",
    "gum login --scope gmail.readonly --no-browser",
    "gum login --switch-account",
  ],
  args: [],
  flags: LOGIN_FLAGS,
  children: [],
  permissions: SIGNS_IN,
  run: async (context) => (await import("./login_run.ts")).runLogin(context),
};

const logout: CommandSpec = {
  name: "logout",
  group: "auth",
  summary: "Sign out: remove the grant here and at Google",
  args: [],
  flags: [
    { name: "forget-client", type: "bool", help: "forget the registered OAuth client too" },
    { name: "no-revoke", type: "bool", help: "leave the grant at Google as it is" },
  ],
  children: [],
  permissions: SIGNS_IN,
  run: async (context) => (await import("./login_run.ts")).runLogout(context),
};

const SCOPES: FlagSpec = {
  name: "scopes",
  type: "stringList",
  help: "scopes to look at (default gmail.readonly)",
};

const status: CommandSpec = {
  name: "status",
  summary: "Show what this profile can sign in with; local, no network",
  args: [],
  flags: [SCOPES],
  children: [],
  permissions: STORE,
  run: async (context) => (await import("./auth_status_run.ts")).runStatus(context),
};

const PROBE_STRATEGIES = ["auto", "byo_oauth", "adc", "service_account", "api_key"] as const;

const probe: CommandSpec = {
  name: "probe",
  summary: "Get a token, to see whether signing in works; it is not shown",
  args: [],
  flags: [
    SCOPES,
    {
      name: "strategy",
      type: "string",
      default: "auto",
      help: PROBE_STRATEGIES.join(", "),
      complete: () => ({ candidates: PROBE_STRATEGIES.map((value) => ({ value })) }),
    },
  ],
  children: [],
  permissions: SIGNS_IN,
  run: async (context) => (await import("./auth_status_run.ts")).runProbe(context),
};

const setup: CommandSpec = {
  name: "setup",
  summary: "Show, or walk through, what an operation still needs",
  description: "At a terminal it asks step by step, checks what it can and ends with a call that " +
    "works; otherwise it prints a report.",
  examples: ["gum auth setup gmail.users.messages.list", "gum auth setup --format json <op_id>"],
  args: [{
    name: "op_id",
    required: false,
    variadic: false,
    complete: async (request) => (await import("./complete_values.ts")).operationIds(request),
  }],
  flags: [
    {
      name: "format",
      type: "string",
      help: "json or text",
      complete: () => ({ candidates: [{ value: "json" }, { value: "text" }] }),
    },
    { name: "check", type: "bool", help: "fail when the operation is not ready" },
    { name: "variant-id", type: "string", help: "look at this variant instead of the default" },
  ],
  children: [],
  permissions: SIGNS_IN,
  run: async (context) => (await import("./auth_setup_run.ts")).runSetup(context),
};

const useOAuthClient: CommandSpec = {
  name: "use-oauth-client",
  summary: "Register an OAuth client of your own (type Desktop app)",
  examples: [
    "gum auth use-oauth-client --client-json client_secret.json",
    "pass show google/client | gum auth use-oauth-client --client-id <id> --secret-stdin",
  ],
  args: [],
  flags: [
    { name: "client-id", type: "string", help: "the client's id" },
    { name: "secret-stdin", type: "bool", help: "read its secret from standard input" },
    { name: "secret-file", type: "string", help: "read its secret from this file" },
    {
      name: "client-json",
      type: "string",
      help: "read id and secret from the file Google offers for download",
    },
    {
      name: "hosted",
      type: "bool",
      help: "keep it beside the ordinary client, for agents that somebody else hosts (type Web)",
    },
  ],
  children: [],
  secretInput: true,
  permissions: STORE,
  run: async (context) => (await import("./auth_client_run.ts")).runUseClient(context),
};

const useServiceAccount: CommandSpec = {
  name: "use-service-account",
  summary: "Store a service-account key",
  args: [{ name: "key.json", help: "the key file", required: true, variadic: false }],
  flags: [{ name: "subject", type: "string", help: "user to act for (domain-wide delegation)" }],
  children: [],
  permissions: STORE,
  run: async (context) => (await import("./auth_client_run.ts")).runUseServiceAccount(context),
};

/** Children of `gum auth`. */
export const SIGNING_IN: readonly CommandSpec[] = [
  { ...login, group: undefined },
  { ...logout, group: undefined },
  status,
  probe,
  setup,
  useOAuthClient,
  useServiceAccount,
];

/** Commands of this group. */
export const commands: readonly CommandSpec[] = [login, logout];
