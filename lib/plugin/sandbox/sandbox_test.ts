import assert from "node:assert/strict";
import { environmentOf, variablesOf } from "../../config/environment.ts";
import { findGumError } from "../../errors/mod.ts";
import { inTemporary, never } from "../testdata/fixture.ts";
import {
  eventually,
  isRunning,
  type RunnableWorld,
  type ScriptPlugin,
  withNativePlugin,
  withScriptPlugin,
} from "../testdata/runnable.ts";
import type { LockRow } from "../types.ts";
import { BACKENDS, seatbeltProfile } from "./backends.ts";
import { chooseSandbox, describeHost } from "./choose.ts";
import { probeBackend } from "./probe.ts";
import type { SandboxSettings } from "./types.ts";
import { prepareDirectories } from "./write_dir.ts";

const environment = environmentOf({ PATH: Deno.env.get("PATH") ?? "" });
const nothing = environmentOf({ PATH: "/nonexistent" });
const [bubblewrap] = BACKENDS;
assert.ok(bubblewrap);
const probed = await probeBackend(bubblewrap, environment);
const confined = probed.result.usable && probed.result.writes && probed.result.network;
if (!confined) {
  console.log(
    `tests under bubblewrap are skipped: ${probed.result.reason ?? "it does not confine"}`,
  );
}

const settings = (more: Partial<SandboxSettings> = {}): SandboxSettings => ({
  isDev: false,
  backend: "auto",
  network: "strict",
  read: "open",
  ...more,
});

function row(more: Partial<LockRow> = {}): LockRow {
  return {
    name: "echo-box",
    shape: "mcp-plugin",
    declared_capabilities: { network: false, net_hosts: [], fs_write_dir: "", env_allow: [] },
    ...more,
  } as LockRow; // the other fields play no part in the choice
}

/** A native plugin that does what its arguments say and reports how that went. */
const PROBING = `#!/usr/bin/env python3
import json, os, socket, subprocess, sys

def attempt(what, path, *rest):
    try:
        if what == "write":
            with open(path, "w") as f:
                f.write("x")
        elif what == "read":
            with open(path) as f:
                return "ok:" + f.read()
        elif what == "child-write":
            return "ok" if subprocess.run(["sh", "-c", 'echo x > "$1"', "sh", path], stderr=subprocess.DEVNULL).returncode == 0 else "refused"
        elif what == "remount":
            subprocess.run(["mount", "-o", "remount,rw,bind", "/"], stderr=subprocess.DEVNULL)
            with open(path, "w") as f:
                f.write("x")
        elif what == "unix":
            socket.socket(socket.AF_UNIX).connect(path)
        elif what == "connect":
            socket.create_connection(("127.0.0.1", int(path)), timeout=2).close()
        elif what == "env":
            return "ok:" + json.dumps(dict(os.environ))
        elif what == "pid":
            return "ok:" + str(os.getpid())
        return "ok"
    except Exception as e:
        return "refused"

for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    method = m["method"]
    if method == "initialize":
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif method == "tools/list":
        r = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    else:
        a = m["params"]["arguments"]
        r = {"content": [{"type": "text", "text": attempt(a["what"], a.get("path", ""))}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`;

type Attempt = (what: string, path?: string) => Promise<string>;

async function started(world: RunnableWorld): Promise<Attempt> {
  const plugin = await world.runtime.host.start(world.pluginId, { signal: never() });
  return async (what, path = "") => {
    const answer = await plugin.callTool("echo", { what, path }, {
      signal: never(),
      timeoutMs: 5_000,
    });
    const [block] = answer.content as { text: string }[];
    return block?.text ?? "";
  };
}

async function probing(
  given: ScriptPlugin,
  work: (attempt: Attempt, world: RunnableWorld) => Promise<void>,
): Promise<void> {
  await withNativePlugin(
    { executable: PROBING, sandbox: { backend: "bubblewrap" }, ...given },
    async (world) => await work(await started(world), world),
  );
}

Deno.test({
  name: "sandbox: under bubblewrap a plugin writes in its own directory and nowhere else",
  ignore: !confined,
  async fn() {
    await inTemporary(async (elsewhere) => {
      await probing({}, async (attempt, { profile, pluginId }) => {
        const dataDir = profile.registry.paths.dataDir(pluginId);
        assert.equal(await attempt("write", `${dataDir}/mine`), "ok");
        assert.equal(await Deno.readTextFile(`${dataDir}/mine`), "x");
        assert.equal(await attempt("child-write", `${dataDir}/child`), "ok");
        for (
          const path of [
            `${elsewhere}/file`,
            "/etc/gum-test",
            "/tmp/gum-test-sandbox",
            `${profile.profileDir}/plugin-state.json`,
          ]
        ) {
          assert.equal(await attempt("write", path), "refused", path);
          assert.equal(await attempt("child-write", path), "refused", `child: ${path}`);
        }
        assert.deepEqual([...Deno.readDirSync(elsewhere)], []);
      });
    });
  },
});

Deno.test({
  name: "sandbox: a plugin of root has no capability left to take the walls down with",
  ignore: !confined || Deno.uid() !== 0,
  async fn() {
    await inTemporary(async (elsewhere) => {
      await probing({}, async (attempt) => {
        assert.match(await attempt("read", "/proc/self/status"), /\nCapEff:\t0+\n/);
        assert.equal(await attempt("remount", `${elsewhere}/file`), "refused");
        assert.deepEqual([...Deno.readDirSync(elsewhere)], []);
      });
    });
  },
});

Deno.test({
  name: "sandbox: fs_write_dir narrows what may be written, and the temporary folder stays",
  ignore: !confined,
  async fn() {
    await probing({
      tree: { declared_capabilities: { fs_write_dir: "out/files" } },
    }, async (attempt, { profile, pluginId }) => {
      const dataDir = profile.registry.paths.dataDir(pluginId);
      assert.equal(await attempt("write", `${dataDir}/out/files/a`), "ok");
      assert.equal(await attempt("write", `${dataDir}/tmp/a`), "ok");
      assert.equal(await attempt("write", `${dataDir}/a`), "refused");
      assert.equal(((await Deno.stat(`${dataDir}/out/files`)).mode ?? 0) & 0o777, 0o700);
    });
  },
});

Deno.test({
  name: "sandbox: without a declared network nothing is reached, with one it is",
  ignore: !confined,
  async fn() {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const port = String((listener.addr as Deno.NetAddr).port);
    await probing({}, async (attempt, world) => {
      assert.equal(await attempt("connect", port), "refused");
      const plugin = await world.runtime.host.start(world.pluginId, { signal: never() });
      assert.deepEqual(plugin.sandbox, {
        backend: "bubblewrap",
        fs: "enforced",
        network: "enforced",
      });
    });
    const accepting = listener.accept();
    await probing({
      tree: { declared_capabilities: { network: true, net_hosts: ["x.example"] } },
    }, async (attempt, world) => {
      assert.equal(await attempt("connect", port), "ok");
      (await accepting).close();
      const plugin = await world.runtime.host.start(world.pluginId, { signal: never() });
      assert.equal(plugin.sandbox.network, "declared");
    });
  },
});

Deno.test({
  name: "sandbox: a plugin sees neither GUM's files nor other plugins', but its own",
  ignore: !confined,
  async fn() {
    // Of the folder for temporary files a plugin sees nothing anyway.
    const directory = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "gum-sandbox-" });
    try {
      const secretFile = `${directory}/gum/credentials.vault`;
      await Deno.mkdir(`${directory}/gum`);
      await Deno.writeTextFile(secretFile, "the vault");
      await probing({ hidden: [`${directory}/gum`] }, async (attempt) => {
        assert.equal(await attempt("read", secretFile), "refused");
        assert.equal(await attempt("write", `${directory}/gum/planted`), "refused");
      });
      await probing({}, async (attempt) => {
        assert.equal(await attempt("read", secretFile), "ok:the vault", "it was there to be read");
      });
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
    // The profile that holds the plugin itself, with everything beside it.
    await withNativePlugin(
      { executable: PROBING, sandbox: { backend: "bubblewrap" } },
      async (w) => {
        const { runtimeOf } = await import("../testdata/runnable.ts");
        const runtime = runtimeOf(w.profile, {
          sandbox: { backend: "bubblewrap" },
          hidden: [`${w.directory}/data/gum`],
        });
        try {
          const attempt = await started({ ...w, runtime });
          const { paths } = w.profile.registry;
          await Deno.writeTextFile(`${paths.dataDir(w.pluginId)}/mine`, "own");
          assert.equal(await attempt("read", paths.lock), "refused");
          assert.equal(await attempt("read", `${paths.dataDir(w.pluginId)}/mine`), "ok:own");
        } finally {
          await runtime.close();
        }
      },
    );
  },
});

for (const folder of ["/run", "/tmp"]) {
  Deno.test({
    name: `sandbox: sockets of other programs in ${folder} are out of reach, network or not`,
    ignore: !confined || (folder === "/run" && Deno.uid() !== 0),
    async fn() {
      const path = `${folder}/gum-test-${crypto.randomUUID()}.sock`;
      const listener = new Deno.Command("python3", {
        args: [
          "-c",
          "import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n" +
          "s.listen(9)\nsys.stdin.read()",
          path,
        ],
        stdin: "piped",
      }).spawn();
      const exists = () => Deno.lstat(path).then(() => true, () => false);
      await eventually(exists, "the socket is there");
      try {
        for (const network of [false, true]) {
          await probing({ tree: { declared_capabilities: { network } } }, async (attempt) => {
            assert.equal(await attempt("unix", path), "refused");
          });
        }
        await probing({ sandbox: { isDev: true, backend: "off" } }, async (attempt) => {
          assert.equal(await attempt("unix", path), "ok", "it was there to be reached");
        });
      } finally {
        await listener.stdin.close();
        await listener.status;
        await Deno.remove(path);
      }
    },
  });
}

Deno.test({
  name: "sandbox: strict reading leaves the system and the plugin's own folders",
  ignore: !confined,
  async fn() {
    await inTemporary(async (directory) => {
      await Deno.writeTextFile(`${directory}/note`, "private");
      await withScriptPlugin({
        sandbox: { backend: "bubblewrap", read: "strict" },
        behaviour:
          `call = async (name, { path }) => text(await Deno.readTextFile(path).catch(() => "refused"));`,
      }, async ({ runtime, pluginId }) => {
        const plugin = await runtime.host.start(pluginId, { signal: never() });
        assert.equal(plugin.sandbox.backend, "bubblewrap+deno-permissions");
        const answer = await plugin.callTool("echo", { path: `${directory}/note` }, {
          signal: never(),
          timeoutMs: 5_000,
        });
        assert.match(JSON.stringify(answer.content), /refused/);
      });
    });
  },
});

Deno.test({
  name: "sandbox: a confined plugin does not outlive a GUM that was killed",
  ignore: !confined,
  async fn() {
    await withNativePlugin(
      { executable: PROBING, sandbox: { backend: "bubblewrap" } },
      async (w) => {
        const script = `${w.directory}/parent.ts`;
        await Deno.writeTextFile(script, PARENT(w));
        const parent = new Deno.Command(Deno.execPath(), {
          args: ["run", "-q", "--no-lock", "-A", "--config", "deno.json", script],
          stdout: "piped",
          stderr: "inherit",
        }).spawn();
        const reader = parent.stdout.pipeThrough(new TextDecoderStream()).getReader();
        let said = "";
        while (!said.includes("\n")) said += (await reader.read()).value ?? "\n";
        const marker = said.trim();
        assert.match(marker, /^[0-9]+$/);
        assert.equal(await isRunning(Number(marker)), true);
        parent.kill("SIGKILL");
        await parent.status;
        await reader.cancel();
        await eventually(async () => !await isRunning(Number(marker)), "the plugin ends");
      },
    );
  },
});

/** A process that starts the plugin, prints its sandbox's process id and waits to be killed. */
function PARENT({ directory }: RunnableWorld): string {
  const root = new URL("../../../", import.meta.url).href;
  return `
import { testProfile, never } from "${root}lib/plugin/testdata/fixture.ts";
import { runtimeOf } from "${root}lib/plugin/testdata/runnable.ts";
const runtime = runtimeOf(testProfile(${
    JSON.stringify(directory)
  }), { sandbox: { backend: "bubblewrap" } });
await runtime.host.start("echo-box", { signal: never() });
const found = await new Deno.Command("pgrep", { args: ["-P", String(Deno.pid), "bwrap"] }).output();
console.log(new TextDecoder().decode(found.stdout).trim().split("\\n")[0]);
setInterval(() => {}, 1000);
`;
}

Deno.test("sandbox: a script's own permissions hold without any program of the host", async () => {
  await inTemporary(async (directory) => {
    await Deno.writeTextFile(`${directory}/note`, "private");
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    await withScriptPlugin({
      ambient: variablesOf({ PATH: "/usr/bin:/bin", UNDECLARED: "x", WANTED: "y" }),
      tree: { declared_capabilities: { env_allow: ["WANTED"] } },
      behaviour: `
        const tries = {
          read: (path) => Deno.readTextFile(path),
          write: (path) => Deno.writeTextFile(path, "x"),
          nodeRead: async (path) => (await import("node:fs")).readFileSync(path, "utf8"),
          connect: async (port) => (await Deno.connect({ hostname: "127.0.0.1", port })).close(),
          run: () => new Deno.Command("/bin/true").output(),
          env: (name) => Deno.env.get(name),
          sys: () => Deno.hostname(),
          remote: (url) => import(url),
          worker: (path) => new Promise((resolve, reject) => {
            const code = "Deno.readTextFile(" + JSON.stringify(path) + ").then(() => postMessage(1), () => postMessage(0));";
            const worker = new Worker("data:text/javascript," + encodeURIComponent(code), { type: "module" });
            worker.onmessage = ({ data }) => { worker.terminate(); data ? resolve(1) : reject(new Error("no")); };
            worker.onerror = (event) => { event.preventDefault(); reject(new Error("no")); };
          }),
        };
        call = async (name, { what, path }) => {
          try { return text("ok:" + await tries[what](path)); } catch (error) { return text("refused"); }
        };`,
    }, async (world) => {
      const attempt = await started(world);
      const data = world.profile.registry.paths.dataDir(world.pluginId);
      assert.match(await attempt("write", `${data}/mine`), /^ok/);
      assert.match(await attempt("read", `${data}/mine`), /^ok:x/);
      assert.match(await attempt("env", "WANTED"), /^ok:y/);
      const mustNot: [string, string][] = [
        ["read", `${directory}/note`],
        ["read", "/etc/passwd"],
        ["nodeRead", `${directory}/note`],
        ["worker", `${directory}/note`],
        ["write", `${directory}/planted`],
        ["write", world.profile.registry.paths.state],
        ["connect", String(port)],
        ["run", ""],
        ["env", "UNDECLARED"],
        ["env", "USER"],
        ["sys", ""],
        ["remote", `http://127.0.0.1:${port}/x.js`],
      ];
      for (const [what, path] of mustNot) {
        assert.equal(await attempt(what, path), "refused", `${what} ${path}`);
      }
      assert.equal(await Deno.readTextFile(`${directory}/note`), "private");
    });
  });
});

Deno.test("sandbox: with nothing to confine it a native plugin does not start, and is not blamed", async () => {
  await assert.rejects(
    chooseSandbox(row(), { environment: nothing, settings: settings(), hidden: [] }),
    (error) => {
      const known = findGumError(error, "PLUGIN_SANDBOX_UNSUPPORTED");
      assert.equal(known?.details.missing, "fs");
      assert.match(known?.userMessage ?? "", /bubblewrap|deno-script|sandbox-exec/);
      return true;
    },
  );
  for (const os of ["windows", "freebsd"]) {
    await assert.rejects(
      chooseSandbox(row(), { environment, settings: settings(), hidden: [], os }),
      (error) => findGumError(error)?.code === "PLUGIN_SANDBOX_UNSUPPORTED",
    );
  }
  assert.deepEqual(await describeHost({ environment: nothing, settings: settings(), hidden: [] }), {
    backend: "none",
    fs: "none",
    network: "none",
  });
});

Deno.test("sandbox: strict reading is enforced or refused, never left out", async () => {
  const strict = { environment, hidden: [], settings: settings({ read: "strict" }) };
  for (const os of ["linux", "darwin"]) {
    for (const { name, os: systems, limitsReads } of BACKENDS) {
      if (!systems.includes(os) || limitsReads) continue;
      const parts = { ...strict, os, settings: { ...strict.settings, backend: name } };
      await assert.rejects(chooseSandbox(row(), parts), (error) => {
        const known = findGumError(error, "PLUGIN_SANDBOX_UNSUPPORTED");
        assert.equal(known?.details.missing, "fs", name);
        assert.match(known.message, /sandbox_read = strict/);
        return true;
      });
      assert.equal((await describeHost(parts)).backend, "none");
      const script = await chooseSandbox(row({ shape: "deno-script" }), parts);
      assert.match(script.report.backend, /deno-permissions$/, "a script's runtime does it");
    }
  }
  const policy = {
    writable: [],
    network: true,
    hidden: ["/vault"],
    readable: [],
    strictRead: true,
  };
  assert.match(seatbeltProfile(policy), /deny file-read\* \(subpath "\/vault"\)/);
});

Deno.test("sandbox: a script needs no program of the host, on any system", async () => {
  const chosen = await chooseSandbox(row({ shape: "deno-script" }), {
    environment: nothing,
    settings: settings(),
    hidden: [],
    os: "windows",
  });
  assert.deepEqual(chosen.report, {
    backend: "deno-permissions",
    fs: "enforced",
    network: "enforced",
  });
});

Deno.test("sandbox: off is for development profiles only", async () => {
  const parts = { environment, hidden: [] };
  await assert.rejects(
    chooseSandbox(row(), { ...parts, settings: settings({ backend: "off" }) }),
    (error) => findGumError(error)?.code === "PLUGIN_SANDBOX_UNSUPPORTED",
  );
  const chosen = await chooseSandbox(row(), {
    ...parts,
    settings: settings({ backend: "off", isDev: true }),
  });
  assert.deepEqual(chosen.report, { backend: "off", fs: "none", network: "none" });
  const wrapped = chosen.wrap({ program: "/x/y", args: ["z"] }, {
    cwd: "/",
    policy: { writable: [], network: false, hidden: [], readable: [], strictRead: false },
  });
  assert.match(wrapped.program, /\/env$/);
  assert.deepEqual(wrapped.args, ["/x/y", "z"]);
});

Deno.test("sandbox: write directories that lead out are refused, and nothing is made outside", async () => {
  await inTemporary(async (directory) => {
    const data = `${directory}/data`;
    await Deno.mkdir(data);
    await Deno.mkdir(`${directory}/outside`);
    await Deno.symlink(`${directory}/outside`, `${data}/link`);
    await Deno.writeTextFile(`${data}/file`, "");
    for (const path of ["../outside", "/etc", "a/../../outside", "link", "link/deep", "file"]) {
      await assert.rejects(
        prepareDirectories(data, path),
        (error) => findGumError(error)?.code === "PLUGIN_FS_WRITE_OUTSIDE_SANDBOX",
        path,
      );
    }
    assert.deepEqual([...Deno.readDirSync(`${directory}/outside`)], []);
    const made = await prepareDirectories(data, "a/b");
    assert.equal(made.writeDir, `${data}/a/b`);
  });
});

Deno.test("sandbox: every backend names what may be written and cuts the network when asked", () => {
  const policy = {
    writable: ["/data/x"],
    network: false,
    hidden: ["/data"],
    readable: ["/root/y"],
    strictRead: false,
  };
  for (const backend of BACKENDS) {
    const plan = {
      program: `/bin/${backend.program}`,
      policy,
      cwd: "/root/y",
      unshare: "/bin/unshare",
    };
    const { program, args } = backend.wrap({ program: "/p", args: ["--flag"] }, plan);
    const line = [program, ...args].join(" ");
    assert.match(line, /\/data\/x/, backend.name);
    assert.ok(line.endsWith("/p --flag"), backend.name);
    const open = backend.wrap({ program: "/p", args: [] }, {
      ...plan,
      policy: { ...policy, network: true },
    });
    assert.notEqual(
      [open.program, ...open.args].join(" ").replace("/p", ""),
      line.replace("/p --flag", ""),
    );
  }
  assert.match(seatbeltProfile(policy), /\(deny network\*\)/);
  assert.match(seatbeltProfile({ ...policy, writable: ['/a"b'] }), /\(subpath "\/a\\"b"\)/);
});

Deno.test("sandbox: a program that only says it confines is found out", async () => {
  await inTemporary(async (directory) => {
    // Takes what bubblewrap takes and starts the command as it is.
    await Deno.writeTextFile(
      `${directory}/bwrap`,
      '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n',
      { mode: 0o755 },
    );
    const { result } = await probeBackend(
      bubblewrap,
      environmentOf({ PATH: `${directory}:${Deno.env.get("PATH") ?? ""}` }),
    );
    assert.deepEqual(result, { usable: true, writes: false, network: false });
    // One that fails says why.
    await Deno.writeTextFile(
      `${directory}/bwrap`,
      "#!/bin/sh\necho no user namespaces >&2\nexit 1\n",
    );
    const broken = await probeBackend(bubblewrap, environmentOf({ PATH: directory }));
    assert.equal(broken.result.usable, false);
    assert.match(broken.result.reason ?? "", /does not work here: no user namespaces/);
  });
});

Deno.test({
  name: "sandbox: of a network that stays only the writes are confined",
  ignore: !confined,
  async fn() {
    await inTemporary(async (directory) => {
      // Bubblewrap itself, but for the network.
      await Deno.writeTextFile(
        `${directory}/bwrap`,
        `#!/bin/sh\nfor word do shift; [ "$word" = --unshare-net ] || set -- "$@" "$word"; done\n` +
          `exec ${probed.program} "$@"\n`,
        { mode: 0o755 },
      );
      const { result } = await probeBackend(
        bubblewrap,
        environmentOf({ PATH: `${directory}:${Deno.env.get("PATH") ?? ""}` }),
      );
      assert.deepEqual(result, { usable: true, writes: true, network: false });
    });
  },
});

Deno.test({
  name: "sandbox: landlock takes the capabilities of root away, where that works",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const landlock = BACKENDS.find(({ name }) => name === "landlock");
    assert.ok(landlock);
    await inTemporary(async (directory) => {
      // The rest of setpriv as it is; what a kernel without Landlock lacks is left out.
      const fake = (refusal: string) =>
        Deno.writeTextFile(
          `${directory}/setpriv`,
          `#!/bin/sh\ncaps= ; while [ "$1" != "--" ]; do case "$1" in\n` +
            `--inh-caps=*|--bounding-set=*) ${refusal} caps="$caps $1";;\nesac; shift; done; shift\n` +
            `exec /usr/bin/setpriv --no-new-privs $caps -- "$@"\n`,
          { mode: 0o755 },
        );
      const probe = (more: string) =>
        probeBackend(
          landlock,
          environmentOf({ PATH: `${directory}:${more}:${Deno.env.get("PATH") ?? ""}` }),
        );
      await fake("");
      const found = await probe("/one");
      assert.equal(found.dropCapabilities, true);
      const policy = { writable: [], network: true, hidden: [], readable: [], strictRead: false };
      const { program, args } = landlock.wrap(
        { program: "/bin/grep", args: ["CapEff", "/proc/self/status"] },
        { ...found, policy, cwd: "/" },
      );
      const { stdout } = await new Deno.Command(program, { args: [...args] }).output();
      assert.match(new TextDecoder().decode(stdout), /^CapEff:\t0+\n$/);
      await fake("exit 1;");
      const refused = await probe("/two");
      assert.deepEqual([refused.result.usable, refused.dropCapabilities], [true, false]);
    });
  },
});
