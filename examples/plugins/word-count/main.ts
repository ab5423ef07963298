/** Word Count: an example plugin of the shape `deno-script`. */

import { serve, ToolFailure } from "./stdio_server.ts";
import { countWords } from "./word_count.ts";

const LONGEST = 1_000_000;

if (import.meta.main) {
  await serve({ name: "word-count", version: "1.0.0" }, [
    {
      name: "count",
      description: "Count the words of a text",
      inputSchema: {
        type: "object",
        required: ["text"],
        properties: { text: { type: "string" }, top: { type: "integer" } },
      },
      run({ text, top }) {
        const given = String(text);
        if (given.length > LONGEST) {
          throw new ToolFailure("INVALID_INPUT", `a text has at most ${LONGEST} characters`);
        }
        return countWords(given, typeof top === "number" ? top : undefined);
      },
    },
    {
      name: "remember",
      description: "Keep a text under a name",
      inputSchema: {
        type: "object",
        required: ["name", "text"],
        properties: { name: { type: "string" }, text: { type: "string" } },
      },
      async run({ name, text }) {
        // The only directory that this plugin may write.
        const path = `${Deno.env.get("PLUGIN_DATA_DIR")}/${String(name)}.txt`;
        await Deno.writeTextFile(path, String(text));
        return { saved: String(name) };
      },
    },
  ]);
}
