/** Test only: a whole session on the built-in emulator, with folders of its own. */

import { openSession } from "../../lib/session/mod.ts";
import type { Session, SessionOptions } from "../../lib/session/types.ts";

/** Opens a session on the emulator, runs `use` and cleans up. */
export async function withEmulator(
  use: (session: Session, data: string) => Promise<void>,
  options: Partial<SessionOptions> = {},
): Promise<void> {
  const data = await Deno.makeTempDir({ prefix: "gum-mcp-" });
  const session = await openSession({
    profileName: "default",
    emulator: true,
    directories: { data },
    ...options,
  });
  try {
    await use(session, data);
  } finally {
    await session.close();
    await Deno.remove(data, { recursive: true });
  }
}
