/** What callers read about one operation: contract, example arguments, resource payloads. */

export { describeMetaTool, describeOp, type DescribeOptions } from "./describe_op.ts";
export type { DescribedParam, DescribedVariant, DescribeOpResult, ToolContract } from "./types.ts";
export { capabilityWarning } from "./capability_warnings.ts";
export { defaultVariant } from "./default_variant.ts";
export { exampleArgs } from "./example_args.ts";
export { opResource, type SchemaLookup, schemaResource, variantResource } from "./resources.ts";
