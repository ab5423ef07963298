/** Somebody who answers the consent page, without a browser. */

import type { BrowserOpener } from "../oauth/browser.ts";
import type { SignInIo } from "../oauth/consent.ts";

/** How the person decides. */
export interface Decision {
  decision?: "allow" | "deny";
  account?: string;
  /** Only these of the asked scopes. */
  scopes?: readonly string[];
  /** Changes the redirect before it is followed. */
  redirect?: (address: URL) => URL | undefined;
}

/** What was seen on the way. */
export interface Visit {
  /** The authorization address. */
  asked: URL;
  /** What the loopback server said. */
  status: number;
  text: string;
  headers: Headers;
}

/** An opener that decides at once; what it saw is in `visits`. */
export function person(
  decision: Decision = {},
): { open: BrowserOpener; visits: Visit[]; settled(): Promise<void> } {
  const visits: Visit[] = [];
  const under: Promise<void>[] = [];
  const visit = async (address: string): Promise<void> => {
    const asked = new URL(address);
    const decided = new URL(address);
    decided.searchParams.set("gum_decision", decision.decision ?? "allow");
    if (decision.account !== undefined) decided.searchParams.set("gum_account", decision.account);
    if (decision.scopes !== undefined) {
      decided.searchParams.set("gum_scopes", decision.scopes.join(" "));
    }
    const answer = await fetch(decided, { redirect: "manual" });
    await answer.body?.cancel();
    const location = new URL(answer.headers.get("location") ?? "about:blank");
    const next = decision.redirect === undefined ? location : decision.redirect(location);
    if (next === undefined) return;
    const shown = await fetch(next);
    visits.push({
      asked,
      status: shown.status,
      text: await shown.text(),
      headers: shown.headers,
    });
  };
  return {
    open: (address) => {
      under.push(visit(address));
      return Promise.resolve();
    },
    visits,
    settled: async () => void await Promise.all(under),
  };
}

/** An io that keeps what it is told. */
export function listener(): { io: SignInIo; said: string[] } {
  const said: string[] = [];
  return { io: { say: (text) => void said.push(text) }, said };
}
