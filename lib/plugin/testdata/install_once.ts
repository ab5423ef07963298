/** Installs a plugin in a process of its own: `install_once.ts <profile dir root> <profile> <plugin>`. */

import { testProfile } from "./fixture.ts";

const [root = "", name = "", plugin = ""] = Deno.args;
const profile = testProfile(root, { name });
const result = await profile.install(plugin);
profile.parts.http.close();
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result) + "\n"));
