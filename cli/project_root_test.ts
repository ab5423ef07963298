import assert from "node:assert/strict";
import { environmentOf } from "../lib/config/environment.ts";
import { projectRootOf } from "./project_root.ts";
import { runCommandLine } from "./run.ts";
import { recordedHost } from "./testing/recorded_host.ts";
import { withFolder } from "./testing/spawned.ts";
import { COMMANDS } from "./tree.ts";

const PROFILE = '[output_profiles."team.lean"]\nformat = "csv"\n';

Deno.test("the project of a command is the folder it was started in, or what the environment names", async () => {
  await withFolder(async (folder) => {
    const deep = `${folder}/project/a/b`;
    await Deno.mkdir(deep, { recursive: true });
    await Deno.mkdir(`${folder}/project/.gum/profiles`, { recursive: true });
    await Deno.mkdir(`${folder}/elsewhere`);
    await Deno.writeTextFile(`${folder}/project/.gum/profiles/team.toml`, PROFILE);
    const seen = async (started: string, root?: string) => {
      const { host, recorded } = recordedHost(["profile", "list"], {
        environment: { HOME: folder, ...(root !== undefined && { GUM_PROJECT_ROOT: root }) },
      });
      await runCommandLine(COMMANDS, { ...host, workingDirectory: () => started });
      return /^team\.lean +project-local$/m.test(recorded().stdout);
    };
    assert.equal(await seen(deep), true);
    assert.equal(await seen(`${folder}/elsewhere`), false);
    assert.equal(await seen(`${folder}/elsewhere`, deep), true);
    assert.equal(await seen(deep, `${folder}/elsewhere`), false);
    assert.equal(await seen(`${folder}/elsewhere`, "../project/a"), true);
    assert.equal(await seen(deep, "../../../elsewhere"), false);
  });
});

Deno.test("a folder that is gone is no project", () => {
  const { host } = recordedHost([]);
  const gone = () => {
    throw new Deno.errors.NotFound();
  };
  assert.equal(projectRootOf({ ...host, workingDirectory: gone }), undefined);
  const environment = environmentOf({ GUM_PROJECT_ROOT: "/work/project" });
  assert.equal(
    projectRootOf({ ...host, environment, workingDirectory: gone }),
    "/work/project",
  );
});
