/** `code.risor`: the executor of `gum.code`. The script itself runs in `lib/code` (spec 09). */

import { canonicalScopeEntries, codeRequest } from "../../code/request/mod.ts";
import type { CodeRunner } from "../../code/types.ts";
import { sha256Hex } from "../../digest/mod.ts";
import type { Adapter } from "../../dispatch/types.ts";

/** How the adapter reaches a runner; asked for on the first script, because it is heavy. */
export interface CodeAdapterOptions {
  runner(): Promise<CodeRunner>;
}

/** Adapters by key; every language of scripts runs through the one key. */
export function createCodeAdapters(options: CodeAdapterOptions): Record<string, Adapter> {
  const adapter: Adapter = {
    checkArgs(args) {
      codeRequest(args);
    },
    async auditFacts(args) {
      const request = codeRequest(args);
      return {
        source_sha256: await sha256Hex(request.source),
        allow_write: request.allowWrite,
        allow_destructive: request.allowDestructive,
        destructive_budget: request.destructiveBudget,
        destructive_scope: canonicalScopeEntries(request.destructiveScope),
      };
    },
    async execute(request, signal) {
      const { requestId, grants, projectRootPath, projectRootUri } = request;
      request.onScriptProgress?.({ phase: "starting", done: 0, asked: 0 });
      const runner = await options.runner();
      const result = await runner.run(
        codeRequest(request.args),
        {
          confirmed: grants.confirmed,
          caller: request.caller,
          requestId,
          projectRootPath,
          projectRootUri,
          onProgress: request.onScriptProgress,
          reached: request.reached,
        },
        signal,
      );
      const body = new TextEncoder().encode(result.output);
      return {
        body,
        format: "raw",
        status: 200,
        contentType: "text/plain; charset=utf-8",
        bytesIn: body.length,
        bytesOut: 0,
        ownText: {
          lossy: result.truncated,
          resultCount: body.length > 0 ? 1 : 0,
          innerBodies: result.innerBodies,
        },
      };
    },
  };
  return { "code.risor": adapter };
}
