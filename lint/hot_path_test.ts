/** What the commands that a person or a shell waits for may load (spec 12 §7). */

import assert from "node:assert/strict";
import { GUM, isolatedEnvironment, ROOT, runDeno, withFolder } from "../cli/testing/spawned.ts";
import { importGraph } from "./import_graph.ts";

/** Every command's way to its own code: words, flags, permissions, the profile's name. */
const STARTUP = [
  "cli/choices.ts",
  "main.ts",
  "cli/active_plugins.ts",
  "cli/document_commands.ts",
  "cli/early_profile.ts",
  "cli/emulator_choice.ts",
  "cli/errors.ts",
  "cli/exit_codes.ts",
  "cli/host.ts",
  "cli/log_level.ts",
  "cli/parse.ts",
  "cli/plugin_startup.ts",
  "cli/run.ts",
  "cli/start.ts",
  "cli/streams.ts",
  "lib/assets/",
  "lib/clock/",
  "lib/config/directories.ts",
  "lib/config/environment.ts",
  "lib/config/glance.ts",
  "lib/errors/",
  "lib/files/",
  "lib/json/",
  "lib/log/",
  "lib/plugin/activation/mod.ts",
  "lib/spelling/",
  "lib/version/",
];
/** One operation by its id, out of the embedded catalog. */
const LOOKUP = [
  "lib/catalog/arguments.ts",
  "lib/catalog/describe/",
  "lib/catalog/embedded.ts",
  "lib/catalog/excerpt.ts",
  "lib/catalog/load.ts",
  "lib/catalog/lookup/",
  "lib/catalog/parse.ts",
  "lib/catalog/risk_overrides.ts",
  "lib/catalog/search/order.ts",
  "lib/catalog/snapshot.ts",
  "lib/catalog/validate/ids.ts",
  "lib/resource_names/",
];

/** Hot command lines, a module each must load, and all it may: files, or folders with a slash. */
const HOT: readonly { argv: string; loads: string; may: readonly string[] }[] = [
  { argv: "--version", loads: "lib/version/mod.ts", may: ["main.ts", "lib/version/"] },
  {
    argv: "--help",
    loads: "cli/root_help.generated.ts",
    may: ["main.ts", "lib/version/", "cli/root_help.generated.ts"],
  },
  {
    argv: "search mail",
    loads: "lib/catalog/search/rank.ts",
    may: [
      ...STARTUP,
      "cli/discover.ts",
      "cli/long_tail.ts",
      "cli/search_run.ts",
      "cli/terminal_text.ts",
      "lib/catalog/embedded.ts",
      "lib/catalog/longtail/",
      "lib/catalog/search/",
    ],
  },
  {
    argv: "__complete read gmail.",
    loads: "cli/complete_values.ts",
    may: [
      ...STARTUP,
      ...LOOKUP,
      "cli/complete.ts",
      "cli/complete_values.ts",
      "cli/confirmation_flags.ts",
      "cli/invoke.ts",
      "cli/media_flags.ts",
      "cli/meta.ts",
      "cli/output_choice.ts",
    ],
  },
  {
    argv: "describe gmail.users.messages.list",
    loads: "cli/catalog_run.ts",
    may: [...STARTUP, ...LOOKUP, "cli/catalog_run.ts", "cli/discover.ts", "cli/terminal_text.ts"],
  },
  {
    argv: "serch",
    loads: "cli/error_rendering.ts",
    // A word that is no command: all declarations are there to suggest one, no command's code.
    may: [...STARTUP, "cli/", "lib/code/request/"],
  },
];

Deno.test("TestHotPathImports: hot commands load what is listed for them, and no package", async (t) => {
  const bare = new Map(
    Map.groupBy(
      importGraph(ROOT.replace(/\/$/, "")).filter((edge) =>
        !edge.lazy && !edge.typeOnly && !edge.to.endsWith(".ts") && !edge.to.includes("/") ||
        edge.to.startsWith("node:") && !edge.lazy
      ),
      (edge) => edge.from,
    ),
  );
  for (const { argv, loads, may } of HOT) {
    await t.step(`gum ${argv}`, async () => {
      const loaded = await loadedModules(argv.split(" "));
      assert.ok(loaded.includes(loads), `${loads} is loaded: ${loaded.join(", ")}`);
      const allowed = (file: string) =>
        may.some((one) => one.endsWith("/") ? file.startsWith(one) : file === one);
      assert.deepEqual(loaded.filter((file) => !allowed(file)), [], "modules that are not listed");
      for (const file of loaded) {
        assert.deepEqual(
          bare.get(file)?.map(({ to }) => to) ?? [],
          [],
          `${file} imports a package`,
        );
      }
    });
  }
});

/** Source files that a run evaluated, relative to the tree: coverage keeps one record for each. */
async function loadedModules(argv: readonly string[]): Promise<string[]> {
  const loaded: string[] = [];
  await withFolder(async (folder) => {
    const [run = "", ...flags] = GUM;
    await runDeno([run, `--coverage=${folder}/records`, ...flags, ...argv], {
      env: await isolatedEnvironment(folder),
    });
    for await (const { name } of Deno.readDir(`${folder}/records`)) {
      if (!name.endsWith(".json")) continue;
      const { url } = JSON.parse(await Deno.readTextFile(`${folder}/records/${name}`));
      loaded.push(new URL(url).pathname.replace(ROOT, ""));
    }
  });
  return loaded.sort();
}
