/** A session: everything one process needs to serve calls for one account profile. */

import type {
  BrowserOpener,
  OAuthEndpoints,
  ScopeUpgrade,
  SessionSignIn,
  SignInIo,
} from "../auth/mod.ts";
import type { PassphrasePrompt } from "../auth/store/types.ts";
import type { CatalogSnapshot, OperationSearch } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import type { Environment } from "../config/environment.ts";
import type { ProfileConfig, SessionAccount } from "../config/mod.ts";
import type {
  ArtifactStore,
  Invocation,
  Kernel,
  KernelSettings,
  ShapedResponse,
} from "../dispatch/types.ts";
import type { Emulator, EmulatorConnection } from "../emulator/types.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";
import type { PollRequest } from "../lro/types.ts";
import type { LivePluginView } from "../plugin/status/mod.ts";
import type { HealthProbe, HealthSubsystem } from "../health/types.ts";

/** What `cli/` and `mcp/` work with. */
export interface Session {
  /** Account profile name. */
  readonly profileName: string;
  /** The profile's configuration as it was when the session opened; absent in test sessions. */
  readonly config?: ProfileConfig;
  readonly catalog: CatalogSnapshot;
  /** How the MCP surface's meta-tools are tuned, which checks it; absent: their defaults. */
  readonly tuning?: {
    searchK?: unknown;
    searchMaxItems?: unknown;
    searchTruncateChars?: unknown;
    describeMaxVariants?: unknown;
  };
  /** Whether text from strangers travels between marks (spec 11 §8); absent: `off`. */
  readonly untrustedText?: "mark" | "off";
  /** The embedded catalog, byte for byte. */
  catalogBytes(): Uint8Array;
  /** The ranked search over the same snapshot; loaded on first use. */
  search(): OperationSearch;
  readonly kernel: Kernel;
  /** Runs a script (spec 09); absent: this session has no sandbox. */
  code?(invocation: Invocation, signal: AbortSignal): Promise<ShapedResponse>;
  /**
   * Waits for a long-running operation; resolves with the finished one, rejects with a GumError
   * (spec 02 §3.12). Absent: this session cannot wait.
   */
  poll?(request: PollRequest & { account?: string }, signal: AbortSignal): Promise<JsonObject>;
  readonly artifacts: ArtifactStore;
  /**
   * The canonical JSON text behind a `gum://results/{hash}` address; every miss is a
   * `RESULT_ARTIFACT_EXPIRED`. Absent where nothing is kept.
   */
  readResult?(uri: string, from?: { account?: string }): Promise<string>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Present when the session runs on the built-in emulator. */
  readonly emulator?: Emulator;
  /** The emulator that answers instead of Google, in this process or in another one. */
  readonly emulated?: EmulatorConnection;
  /** Signing in after a refusal; absent on the emulator and with credentials given outright. */
  readonly signIn?: SessionSignIn;
  /** Consent for missing scopes through an MCP client; absent where no browser could be shown. */
  readonly scopeUpgrade?: ScopeUpgrade;
  /** The GainResult of the profile's ledger in summary mode; rejects with a `GAIN_…` error. */
  gain?(): Promise<JsonObject>;
  /** Whether the last audit write of the profile failed. */
  auditBroken?(): boolean;
  /** The live inventory of plugins; absent without a data directory. */
  readonly plugins?: LivePluginView;
  /** Local probes by subsystem; one that throws counts as unavailable. */
  readonly health?: Partial<Record<HealthSubsystem, HealthProbe>>;
  /** Address of the session's own account, for people to read; undefined while it is not known. */
  address?(): Promise<string | undefined>;
  /** Labels that a call may pick; absent where no accounts are configured. */
  readonly accountLabels?: readonly string[];
  /** The accounts behind the labels: addresses and policies, no secrets. */
  accounts?(): Promise<JsonObject[]>;
  /** Resolves when everything the session recorded is on disk and no handle is open. */
  close(): Promise<void>;
}

/** How to open a session. */
export interface SessionOptions {
  profileName: string;
  /** Run on the built-in emulator instead of Google. */
  emulator: boolean;
  /** The running emulator to use, instead of one of the session's own. */
  emulatorOrigin?: string;
  /** Base directories; undefined where none could be resolved. */
  directories?: { config?: string; data?: string; cache?: string };
  /** Explicit credentials (environment or configuration); never logged. */
  credentials?: {
    bearer?: string;
    apiKey?: string;
    developerToken?: string;
    quotaProject?: string;
  };
  /** How long a script may run, instead of what the profile says. */
  codeTimeoutMs?: number;
  /** What the operator lets this session do at most (spec 11 §7); default `full`. */
  policyMode?: KernelSettings["policyMode"];
  /** Directories that calls from elsewhere than the command line may take files from. */
  mediaDirs?: readonly string[];
  /** Bytes of the largest download; default 2 GiB. */
  maxDownloadBytes?: number;
  /** `GUM_GAIN_DISABLED`: no token accounting, whatever the profile says. */
  gainDisabled?: boolean;
  /** The process serves many calls, as `gum mcp` does. */
  serving?: boolean;
  clock?: Clock;
  log?: Logger;
  /** Variables that may give credentials; absent: none are looked at. */
  environment?: Environment;
  /** Set by {@link Session} itself for the session behind an account. */
  account?: SessionAccount;
  /** Set with {@link account}: the account's place on the emulator of the session in front. */
  emulated?: EmulatorConnection;
  /** How sign-ins started from within the session reach a person. */
  signIn?: {
    io: SignInIo;
    /** Absent: no browser is opened, and clients are not asked for more scopes. */
    openBrowser?: BrowserOpener | "system";
  };
  /** Asks for a vault's passphrase; absent where nobody can be asked. */
  prompt?: PassphrasePrompt;
  /** A test's stand-in for Google. No variable and no key leads here. */
  googlePeer?: { rewriteOrigin: (url: URL) => URL; endpoints: OAuthEndpoints };
}
