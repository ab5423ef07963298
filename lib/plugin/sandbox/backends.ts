/** How each confining program is called. Pure. */

import type { Backend, ConfinementPolicy } from "./types.ts";

/** Device nodes that ordinary programs open for writing. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/** Folders of the system that a program needs to start at all. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt"];

/** Files outside of them that name resolution, certificates and time zones live in. */
const SYSTEM_FILES = [
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates",
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/localtime",
  "/etc/ld.so.cache",
  "/etc/alternatives",
];

const bubblewrap: Backend = {
  name: "bubblewrap",
  program: "bwrap",
  os: ["linux"],
  limitsReads: true,
  wrap(command, { program, policy, cwd }) {
    // What is not mounted needs no cover.
    const hidden = policy.strictRead ? [] : policy.hidden;
    return {
      program,
      args: [
        "--die-with-parent",
        "--new-session",
        "--unshare-pid",
        "--unshare-ipc",
        // Started by root it would keep every capability, and with them mount the walls away.
        ...["--cap-drop", "ALL"],
        ...(policy.network ? [] : ["--unshare-net"]),
        ...(policy.strictRead ? systemOnly() : ["--ro-bind", "/", "/"]),
        ...["--proc", "/proc", "--dev", "/dev"],
        ...hidden.flatMap((folder) => ["--tmpfs", folder]),
        ...policy.readable.flatMap((folder) => ["--ro-bind", folder, folder]),
        ...policy.writable.flatMap((folder) => ["--bind", folder, folder]),
        // An empty folder that stays writable would be a place to write.
        ...hidden.flatMap((folder) => ["--remount-ro", folder]),
        ...["--chdir", cwd, "--"],
        command.program,
        ...command.args,
      ],
    };
  },
};

function systemOnly(): string[] {
  return [...SYSTEM_FOLDERS, ...SYSTEM_FILES].flatMap((path) => ["--ro-bind-try", path, path]);
}

const LANDLOCK_WRITES = [
  "write-file",
  "remove-dir",
  "remove-file",
  "make-char",
  "make-dir",
  "make-reg",
  "make-sock",
  "make-fifo",
  "make-block",
  "make-sym",
  "refer",
  "truncate",
].join(",");

const landlock: Backend = {
  name: "landlock",
  program: "setpriv",
  os: ["linux"],
  limitsReads: false,
  wrap(command, { program, policy, unshare, dropCapabilities }) {
    const args = [
      "--no-new-privs",
      ...(dropCapabilities === true ? ["--inh-caps=-all", "--bounding-set=-all"] : []),
      "--pdeathsig",
      "TERM",
      "--landlock-access",
      `fs:${LANDLOCK_WRITES}`,
      ...policy.writable.flatMap((folder) => landlockRule(LANDLOCK_WRITES, folder)),
      ...DEVICES.flatMap((path) => landlockRule("write-file", path)),
      "--",
      command.program,
      ...command.args,
    ];
    if (policy.network || unshare === undefined) return { program, args };
    return {
      program: unshare,
      args: ["--user", "--map-current-user", "--net", "--", program, ...args],
    };
  },
};

function landlockRule(rights: string, path: string): string[] {
  return ["--landlock-rule", `path-beneath:${rights}:${path}`];
}

const landrun: Backend = {
  name: "landrun",
  program: "landrun",
  os: ["linux"],
  limitsReads: false,
  wrap(command, { program, policy }) {
    return {
      program,
      args: [
        ...["--rox", "/"],
        ...policy.writable.flatMap((folder) => ["--rwx", folder]),
        ...DEVICES.flatMap((path) => ["--rw", path]),
        ...(policy.network ? ["--unrestricted-network"] : []),
        "--",
        command.program,
        ...command.args,
      ],
    };
  },
};

const sandboxExec: Backend = {
  name: "sandbox-exec",
  program: "/usr/bin/sandbox-exec",
  os: ["darwin"],
  limitsReads: false,
  wrap(command, { program, policy }) {
    return {
      program,
      args: ["-p", seatbeltProfile(policy), command.program, ...command.args],
    };
  },
};

/** The profile language of `sandbox-exec`; later rules win. */
export function seatbeltProfile(policy: ConfinementPolicy): string {
  const subpaths = (paths: readonly string[]) =>
    paths.map((path) => `(subpath ${JSON.stringify(path)})`).join(" ");
  const devices = DEVICES.map((path) => `(literal ${JSON.stringify(path)})`).join(" ");
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${devices} ${subpaths(policy.writable)})`,
    ...(policy.hidden.length === 0 ? [] : [`(deny file-read* ${subpaths(policy.hidden)})`]),
    `(allow file-read* ${subpaths([...policy.readable, ...policy.writable])})`,
    ...(policy.network ? [] : ["(deny network*)"]),
  ].join("\n");
}

/** Every backend, the best first. */
export const BACKENDS: readonly Backend[] = [bubblewrap, landlock, landrun, sandboxExec];
