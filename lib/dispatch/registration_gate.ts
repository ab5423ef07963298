/** The session's gate for new tools (spec 02 §3.14). */

/** Open while tools are registered, closed for good once the transport runs. */
export interface RegistrationGate {
  /** Whether a tool added now joins the running session. */
  readonly open: boolean;
  /** Closes the gate; there is no way back in this session. */
  close(): void;
}

/**
 * Makes an open gate. A registry stays mutable after it closed; what is added then joins the next
 * session.
 */
export function createRegistrationGate(): RegistrationGate {
  let open = true;
  return {
    get open() {
      return open;
    },
    close() {
      open = false;
    },
  };
}
