/** OAuth and identity endpoints of the emulated Google. */

import type { EmulatedAccount, IssuedToken } from "./credentials.ts";
import type { EmulatedAnswer } from "./service.ts";

/** A request to an identity endpoint. */
export interface IdentityCall {
  method: string;
  host: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  bodyBytes: Uint8Array;
  now: number;
}

/** Issues and knows tokens. */
export class IdentityProvider {
  #tokens = new Map<string, IssuedToken>();

  constructor(readonly accounts: readonly EmulatedAccount[]) {
    for (const account of accounts) this.#tokens.set(account.bearer, { account });
  }

  /** The token's record; undefined when nobody issued it. */
  token(text: string): IssuedToken | undefined {
    return this.#tokens.get(text);
  }

  /** The endpoint at this address; undefined for all that is no identity endpoint. */
  route(
    _host: string,
    _path: string,
  ): ((call: IdentityCall) => EmulatedAnswer | Promise<EmulatedAnswer>) | undefined {
    return undefined;
  }
}
