/** A sign of life on a terminal's stderr while something takes its time. */

import type { Session } from "../lib/session/types.ts";
import { takesSequences, terminalWidth } from "./terminal_text.ts";
import type { CommandContext, CommandHost } from "./types.ts";

/** Faster answers show nothing. */
const PATIENCE_MS = 600;
const FRAME_MS = 120;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Shows what is waited for until the returned function is called; does nothing in a pipe. */
export function showProgress(label: string | (() => string), host: CommandHost): () => void {
  if (!takesSequences(host, "stderr")) return () => {};
  const started = host.factories.clock.now();
  let frame = 0;
  let drawn = false;
  const draw = () => {
    const seconds = Math.floor((host.factories.clock.now() - started) / 1_000);
    const text = typeof label === "string" ? label : label();
    const time = seconds > 0 ? ` ${seconds} s` : "";
    // A line that wraps cannot be taken back. The last column stays free: some terminals wrap there.
    const room = terminalWidth(host) - time.length - 4;
    const shown = text.length > room ? text.slice(0, room) : text;
    host.stderr.write(`\r\x1b[K${FRAMES[frame++ % FRAMES.length]} ${shown}…${time}`);
    drawn = true;
  };
  let ticking: ReturnType<typeof setInterval> | undefined;
  const waiting = setTimeout(() => {
    draw();
    ticking = setInterval(draw, FRAME_MS);
  }, PATIENCE_MS);
  return () => {
    clearTimeout(waiting);
    if (ticking !== undefined) clearInterval(ticking);
    // Whatever is printed next starts on a clean line.
    if (drawn) host.stderr.write("\r\x1b[K");
  };
}

/** The session with a kernel that shows progress, page by page. */
export function withProgress(session: Session, { host }: CommandContext): Session {
  if (!host.isTerminal("stderr")) return session;
  const { kernel } = session;
  let calls = 0;
  return {
    ...session,
    kernel: {
      ...kernel,
      async dispatch(invocation, signal) {
        // Moving bytes have a line of their own.
        if (invocation.media !== undefined) return await kernel.dispatch(invocation, signal);
        calls++;
        const page = calls > 1 ? `, call ${calls}` : "";
        const done = showProgress(`${invocation.opId}${page}`, host);
        try {
          return await kernel.dispatch(invocation, signal);
        } finally {
          done();
        }
      },
    },
  };
}
