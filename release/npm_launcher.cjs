#!/usr/bin/env node
// Starts the executable of the platform's own package, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { dirname, join } = require("node:path");

const own = require("../package.json");
const platform = `${own.name}-${process.platform}-${process.arch}`;
let folder;
try {
  folder = dirname(require.resolve(`${platform}/package.json`));
} catch {
  const known = Object.keys(own.optionalDependencies ?? {});
  const why = known.includes(platform)
    ? "It is an optional dependency that was left out: install again without --omit=optional."
    : `There are: ${known.join(", ")}.`;
  process.stderr.write(`gum: the package ${platform} is not installed. ${why}\n`);
  process.exit(1);
}

const program = join(folder, process.platform === "win32" ? "gum.exe" : "gum");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// Whoever ends the launcher means the program; the keyboard's interrupt reaches both by itself.
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
process.on("SIGINT", () => {});
child.on("error", (error) => {
  process.stderr.write(`gum: ${program} cannot be started: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
