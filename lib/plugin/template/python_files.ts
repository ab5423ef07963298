/** The files of a new native plugin, in Python. */

import { manifest, schemas } from "./shared_files.ts";
import serverText from "./stdio_server_py.txt" with { type: "text" };
import type { TemplateFile } from "./template.ts";

/** The files by path. */
export function pythonFiles(id: string): Record<string, TemplateFile> {
  // Whatever the plugin is called, its package hides none of Python's own.
  const name = `${id.replaceAll("-", "_")}_plugin`;
  return {
    "plugin.toml": { text: manifest(id, { shape: "mcp-plugin", executable: `bin/${id}` }) },
    [`bin/${id}`]: { text: program(name), isProgram: true },
    [`${name}/__init__.py`]: { text: "" },
    [`${name}/server.py`]: { text: server(id) },
    [`${name}/stdio_server.py`]: { text: serverText },
    [`${name}/greeting.py`]: { text: GREETING },
    "tests/test_greeting.py": { text: greetingTest(name) },
    [`schemas/${id}.greet.json`]: { text: schemas() },
  };
}

function program(name: string): string {
  return `#!/usr/bin/env python3
"""Starts the server. Byte code is not written: the installation never changes after it was hashed."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from ${name}.server import main  # noqa: E402

main()
`;
}

function server(id: string): string {
  return `"""The plugin's one tool."""

from .greeting import greeting
from .stdio_server import Tool, serve

INPUT_SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}},
}


def main():
    """Serves until the input ends."""
    serve(
        {"name": "${id}", "version": "0.1.0"},
        [
            Tool(
                "greet",
                "Say hello",
                INPUT_SCHEMA,
                lambda arguments: {"greeting": greeting(arguments["name"])},
            )
        ],
    )
`;
}

const GREETING = `"""What the plugin does, without the protocol around it."""


def greeting(name):
    """Names whom it greets."""
    return f"Hello, {name}!"
`;

function greetingTest(name: string): string {
  return `import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))

from ${name}.greeting import greeting  # noqa: E402


class GreetingTest(unittest.TestCase):
    def test_names_whom_it_greets(self):
        self.assertEqual(greeting("Ada"), "Hello, Ada!")


if __name__ == "__main__":
    unittest.main()
`;
}
