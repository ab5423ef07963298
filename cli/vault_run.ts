/** What the `gum auth vault` commands do (spec 05 §3.3). */

import { administerStore, type PassphraseKdf } from "../lib/auth/store/mod.ts";
import { environmentOf } from "../lib/config/environment.ts";
import { setting } from "../lib/config/mod.ts";
import { choiceOf } from "./choices.ts";
import { commandStore } from "./credential_store.ts";
import { invalidArg } from "./errors.ts";
import { say } from "./say.ts";
import { passphrasePrompt, readSecret } from "./secret_input.ts";
import type { CommandContext } from "./types.ts";

/** Runs `gum auth vault init`. */
export async function runInit(context: CommandContext): Promise<void> {
  const { profile } = context;
  const { path, header } = await beginVault(context, kdf(context));
  print(context, { profile, path, kdf: header.kdf, in_use: header.inUse });
  if (!header.inUse) {
    say(context, "credentials are kept elsewhere; `gum auth vault migrate --to vault` moves them");
  }
}

/** A vault that was just made. */
export interface BegunVault {
  path: string;
  header: Awaited<ReturnType<ReturnType<typeof administerStore>["initVault"]>>;
}

/** Begins the profile's vault. @throws GumError when there is one, or no key for it. */
export async function beginVault(
  context: CommandContext,
  derivation: PassphraseKdf,
): Promise<BegunVault> {
  const { options, directories } = await commandStore(context, { prompt: true });
  const header = await administerStore(options)
    .initVault({ kdf: derivation, signal: context.signal });
  return { path: `${directories.data}/credentials.vault`, header };
}

/** Runs `gum auth vault status`. */
export async function runStatus(context: CommandContext): Promise<void> {
  const { profile, signal } = context;
  const { options, config } = await commandStore(context, { prompt: true });
  const report = await administerStore(options).vaultReport({ signal });
  const { backend, available, reason, detail } = report.store;
  print(context, {
    profile,
    configured: setting(config, "auth.credential_store"),
    credential_store: { backend: backend ?? null, available, reason, detail },
    vault: {
      path: report.path,
      present: report.vault !== undefined,
      kdf: report.vault?.kdf,
      updated_at: report.vault?.updatedAt,
    },
  });
}

/** Runs `gum auth vault rekey`. */
export async function runRekey(context: CommandContext): Promise<void> {
  const { profile, flags, signal } = context;
  const { options } = await commandStore(context, { prompt: true });
  const raw = flags.on("raw-key");
  const file = flags.text("new-key-file");
  const prompt = passphrasePrompt(context);
  const typed = prompt !== undefined && file === undefined && !raw;
  const given = typed
    ? undefined
    : await readSecret(context, { what: raw ? "new key" : "new passphrase", file });
  const text = given?.reveal();
  const environment = environmentOf(
    text === undefined ? {} : raw ? { GUM_VAULT_KEY: text } : { GUM_VAULT_PASSPHRASE: text },
  );
  const header = await administerStore(options).rekeyVault({
    kdf: kdf(context),
    newKey: { profileName: profile, environment, prompt },
    signal,
  });
  print(context, { profile, kdf: header.kdf, updated_at: header.updatedAt });
}

/** Runs `gum auth vault migrate`. */
export async function runMigrate(context: CommandContext): Promise<void> {
  const { profile, flags, signal } = context;
  const to = choiceOf(flags, { flag: "to", choices: ["keychain", "vault"] });
  const { options, config } = await commandStore(context, { prompt: true });
  const forced = setting(config, "auth.credential_store");
  if (forced !== "auto" && forced !== to) {
    throw invalidArg(
      "--to",
      `auth.credential_store is ${forced}; \`gum config unset auth.credential_store\` comes first`,
    );
  }
  // The place in use is the one to move out of, whatever the configuration prefers from now on.
  const moved = await administerStore({ ...options, choice: "auto" }).migrate({ to, signal });
  print(context, {
    profile,
    from: moved.from,
    to: moved.to,
    moved: moved.moved,
    left_behind: moved.left,
  });
}

function kdf({ flags }: CommandContext): PassphraseKdf {
  const name = choiceOf(flags, { flag: "kdf", choices: ["scrypt", "pbkdf2"] });
  return name === "pbkdf2" ? "pbkdf2-sha256" : name;
}

function print({ host }: CommandContext, report: Record<string, unknown>): void {
  host.stdout.write(JSON.stringify(report, null, 2) + "\n");
}
