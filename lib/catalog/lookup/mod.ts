/**
 * Looking curated operations up and reading their contracts; search, long tail and everything that
 * builds a catalog stay unloaded. For commands that ask for one operation in a fresh process.
 *
 * @module
 */

export { embeddedRequestSchema, loadCatalog } from "../load.ts";
export { openShippedSnapshot } from "../excerpt.ts";
export { createSnapshot } from "../snapshot.ts";
export { mustBeGiven, type OpArgument, operationArguments } from "../arguments.ts";
export { riskOverrides } from "../risk_overrides.ts";
export { exampleArgs } from "../describe/example_args.ts";
