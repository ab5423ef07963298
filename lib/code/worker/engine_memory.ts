/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/// <reference lib="esnext" />
/** What happens where the engine takes its code and its memory from. */

import type { RunState } from "./run_state.ts";

/** Bytes of a page of the engine's memory. */
const WASM_PAGE = 65_536;

/**
 * Lets the engine use code that another worker has compiled: compiling costs more than everything
 * else a short script does. Gives the code that was used.
 */
export function shareCompiledCode(
  given: WebAssembly.Module | undefined,
  run: RunState,
): () => WebAssembly.Module | undefined {
  const instantiate = WebAssembly.instantiate.bind(WebAssembly);
  let used = given;
  Object.defineProperty(WebAssembly, "instantiate", {
    async value(bytes: BufferSource, imports: WebAssembly.Imports) {
      const module = used ??= await WebAssembly.compile(bytes);
      return { module, instance: await instantiate(module, watchGrowth(imports, run)) };
    },
  });
  return () => used;
}

/**
 * A script can catch the engine's complaint about missing memory, so the refusal itself is noticed.
 * The one function that the engine asks for more memory is known by what it is given, a size beyond
 * all there is, and by its answer; the names of the imports differ from build to build.
 */
function watchGrowth(imports: WebAssembly.Imports, run: RunState): WebAssembly.Imports {
  const watched = (imported: WebAssembly.ImportValue): WebAssembly.ImportValue => {
    if (typeof imported !== "function" || imported.length !== 1) return imported;
    return (asked: unknown) => {
      const answer = imported(asked);
      const isSize = typeof asked === "number" && run.memory !== undefined &&
        asked >>> 0 > run.memory.buffer.byteLength;
      if (isSize && !answer) run.limit ??= "memory";
      return answer;
    };
  };
  return Object.fromEntries(
    Object.entries(imports).map(([module, members]) => [
      module,
      Object.fromEntries(
        Object.entries(members).map(([name, imported]) => [name, watched(imported)]),
      ),
    ]),
  );
}

/**
 * The engine's own account of its memory counts little more than the number of pieces, so the
 * ceiling is put where the memory comes from: what cannot grow makes an allocation fail.
 */
export function boundMemory(memory: WebAssembly.Memory, run: RunState): void {
  const start = memory.buffer.byteLength;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    const allowed = start + (run.message?.memoryBytes ?? start);
    if (memory.buffer.byteLength + pages * WASM_PAGE > allowed) {
      throw new RangeError("the memory limit of the script is reached");
    }
    return grow(pages);
  };
}
