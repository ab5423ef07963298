/** Scripts of a session: their runner exists from the first one on. */

import { describeOp } from "../catalog/describe/mod.ts";
import type { CatalogSnapshot, OperationSearch } from "../catalog/types.ts";
import type { Clock } from "../clock/mod.ts";
import { createBatchLedger } from "../code/ledger/mod.ts";
import type { BatchLedger, CodeLimits, CodeRunner } from "../code/types.ts";
import { dispatchPages } from "../dispatch/mod.ts";
import type { GainSink, Kernel } from "../dispatch/types.ts";
import { GumError } from "../errors/mod.ts";
import { recordKey } from "../format/records/mod.ts";
import type { JsonValue } from "../json/mod.ts";
import type { Logger } from "../log/mod.ts";

/** What scripts work with. */
export interface SessionScriptsOptions {
  /** Asked for when a script runs: the kernel itself reaches scripts through an adapter. */
  kernel: () => Kernel;
  catalog: CatalogSnapshot;
  search: OperationSearch;
  limits: CodeLimits;
  gain: GainSink;
  clock: Clock;
  log: Logger;
}

/** Scripts of one session. */
export interface SessionScripts {
  /** The sink that kernel and scripts write to. */
  readonly gain: BatchLedger;
  /** The runner; its modules are loaded with the first script. */
  runner(): Promise<CodeRunner>;
  close(): Promise<void>;
}

/** Prepares scripts; nothing heavy is loaded yet. */
export function sessionScripts(options: SessionScriptsOptions): SessionScripts {
  const { catalog, search, limits, clock, log } = options;
  const gain = createBatchLedger(options.gain);
  let opening: Promise<CodeRunner> | undefined;
  const open = async (): Promise<CodeRunner> => {
    const { createCodeRunner } = await import("../code/mod.ts");
    const kernel = options.kernel();
    return createCodeRunner({
      kernel,
      catalog,
      search,
      limits,
      gain,
      clock,
      log,
      describe: (opId) => contract(catalog, opId),
      pages: (invocation, { maxPages, maxItems, signal }) =>
        dispatchPages(
          { dispatch: kernel.dispatch, catalog, clock, recordKey },
          { invocation, limits: { pageLimit: maxPages, items: maxItems } },
          signal,
        ),
    });
  };
  return {
    gain,
    runner: () => opening ??= open(),
    async close() {
      await (await opening)?.close();
    },
  };
}

function contract(catalog: CatalogSnapshot, opId: string): JsonValue {
  const op = catalog.findOp(opId);
  if (op === undefined) {
    throw new GumError("OP_NOT_FOUND", {
      message: `operation ${opId} is not in the catalog`,
      details: { op_id: opId },
    });
  }
  return JSON.parse(JSON.stringify(describeOp(op, { hostDefaults: false })));
}
