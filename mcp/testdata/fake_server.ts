/** Test only: serves the fake session over stdio, as `gum mcp --stdio` serves a real one. */

import { serveStdio } from "../mod.ts";
import { fakeHelp, fakeSession } from "./fake_session.ts";

await serveStdio(fakeSession().session, { version: "0.0.0-test", help: fakeHelp });
