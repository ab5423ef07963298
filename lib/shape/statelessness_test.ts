import assert from "node:assert/strict";

const FOLDERS = ["shape", "format", "format/toon", "profile"].map((name) =>
  new URL(`../${name}/`, import.meta.url)
);

/** Sources of the folders, tests and benches left out. */
function sources(): { path: string; text: string }[] {
  return FOLDERS.flatMap((folder) =>
    [...Deno.readDirSync(folder)]
      .filter(({ name }) => name.endsWith(".ts") && !/_(test|bench)\.ts$/.test(name))
      .map(({ name }) => ({
        path: `${folder.pathname}${name}`,
        text: withoutComments(Deno.readTextFileSync(new URL(name, folder))),
      }))
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function offences(pattern: RegExp): string[] {
  return sources().flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([found]) => `${path}: ${found.trim()}`)
  );
}

Deno.test("TestOutputStatelessness: no factory or constructor is exported", () => {
  assert.ok(sources().length > 30);
  assert.deepEqual(
    offences(/export (?:async )?(?:function|const|let) (?:new|create|make)[A-Z]\w*/g),
    [],
  );
  const classes = offences(/export (?:abstract )?class \w+.*/g);
  assert.deepEqual(classes.filter((line) => !line.includes("extends Error")), []);
});

Deno.test("TestOutputStatelessness: no module keeps anything that changes", () => {
  assert.deepEqual(offences(/^(?:export )?(?:let|var) .*/gm), []);
  const holders = offences(
    /^(?:export )?const \w+(?:: [^=]+)? = (?:new (?:Map|WeakMap|Array)|\[\];|\{\};).*/gm,
  );
  assert.deepEqual(holders, []);
  assert.deepEqual(
    offences(/^(?:export )?const \w+: (?!Readonly)(?:Set|Map|Record)<.*/gm).filter((line) =>
      !line.includes("= {")
    ),
    [],
  );
});

Deno.test("TestOutputStatelessness: nothing assigns to hidden members", () => {
  assert.deepEqual(offences(/\b\w+\._\w+\s*=[^=]/g), []);
});

Deno.test("TestStdLogProhibition: nothing logs or writes to a stream", () => {
  assert.deepEqual(offences(/\bconsole\.|Deno\.std(?:out|err)|from "\.\.\/(?:\.\.\/)?log\//g), []);
});

Deno.test("TestOutputStatelessness: a source that broke the rules would be seen", () => {
  const broken = "export function createThing() {}\nlet cache = 1;\n";
  assert.match(broken, /export (?:async )?(?:function|const|let) (?:new|create|make)[A-Z]\w*/);
  assert.match(broken, /^(?:export )?(?:let|var) .*/m);
});
