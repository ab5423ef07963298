/**
 * The catalog generator: `deno run -q --no-prompt -P=gen catalog/generate.ts [flags]`.
 *
 * @module
 */
import { runGenerator } from "./run.ts";

if (import.meta.main) Deno.exit(await runGenerator(Deno.args));
