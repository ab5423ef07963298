/** GUM's own folders are closed to the files of calls, whatever directories a client may use. */

import assert from "node:assert/strict";
import type { Invocation } from "../dispatch/types.ts";
import { findGumError } from "../errors/mod.ts";
import { openSession } from "./mod.ts";

Deno.test("TestMediaMcp: a client whose root is the home directory neither sends nor replaces GUM's own files", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "gum-home-" }));
  const config = `${home}/.config/gum/default`;
  await Deno.mkdir(config, { recursive: true });
  await Deno.writeTextFile(`${config}/config.toml`, '[policy]\nmode = "full"\n');
  await Deno.writeTextFile(`${home}/note.txt`, "note");
  await Deno.symlink(`${home}/.config`, `${home}/link`);
  const session = await openSession({
    profileName: "default",
    emulator: true,
    directories: { config: `${home}/.config`, data: `${home}/.local/share`, cache: `${home}/.c` },
  });
  try {
    const refusal = async (invocation: Partial<Invocation>) => {
      const call = { opId: "drive.files.create", args: {}, caller: "mcp" as const };
      try {
        await session.kernel.dispatch({ ...call, mediaRoots: [home], ...invocation });
        return undefined;
      } catch (error) {
        return findGumError(error)?.code;
      }
    };
    const upload = (source: string) =>
      refusal({ allowWrite: true, media: { kind: "upload", source } });
    const listed = await session.kernel.dispatch({
      opId: "drive.files.list",
      args: { q: "mimeType = 'application/pdf'", pageSize: 1 },
      format: "json",
    });
    const id = /"id":\s*"([^"]+)"/.exec(new TextDecoder().decode(listed.body))?.[1] ?? "";
    const download = (target: string) =>
      refusal({
        opId: "drive.files.get",
        args: { fileId: id },
        media: { kind: "download", target, overwrite: true },
      });
    const attach = (path: string) =>
      refusal({
        opId: "gmail.users.drafts.create",
        args: {
          message: { to: "a@example.com", subject: "s", text: "t", attachments: [path] },
        },
        allowWrite: true,
      });
    for (
      const path of [
        `${config}/config.toml`,
        `${home}/link/gum/default/config.toml`,
        `${home}/.local/share/gum/confirmation-signing.key`,
      ]
    ) {
      // A key exists once something has asked for a confirmation.
      await refusal({ opId: "drive.files.delete", args: { fileId: "x" }, allowDestructive: true });
      assert.equal(await upload(path), "POLICY_DENIED", `up ${path}`);
      assert.equal(await download(path), "POLICY_DENIED", `down ${path}`);
      assert.equal(await attach(path), "POLICY_DENIED", `attach ${path}`);
    }
    assert.equal(await download(`${config}/new.toml`), "POLICY_DENIED");
    assert.equal(await download(config), "POLICY_DENIED");
    assert.match(await Deno.readTextFile(`${config}/config.toml`), /full/);
    assert.equal(await upload(`${home}/note.txt`), undefined);
    assert.equal(await attach(`${home}/note.txt`), undefined);
    assert.equal(await download(`${home}/got.pdf`), undefined);
  } finally {
    await session.close();
    await Deno.remove(home, { recursive: true });
  }
});
