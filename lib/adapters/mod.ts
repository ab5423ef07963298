/**
 * Adapters: how a variant reaches the wire. They know the wire and nothing of policy; what goes
 * wrong leaves as a failure of `lib/errors`, which the kernel turns into an envelope.
 *
 * @module
 */
export { createAdapterRegistry } from "./registry.ts";
export { type CodeAdapterOptions, createCodeAdapters } from "./code/mod.ts";
export { mediaFiles, mediaFilesOutside } from "./rest/media_files.ts";
export { annotateAnswer, type AnnotatedBody } from "./annotators/mod.ts";
export { createRestAdapter, type RestAdapterOptions } from "./rest/rest.ts";
export { createGoogleAdsAdapters, type GoogleAdsOptions } from "./google_ads/mod.ts";
export { createMapsAdapters, type MapsOptions } from "./maps/mod.ts";
export { createGenAiAdapters, type GenAiOptions } from "./genai/mod.ts";
export {
  createGrpcAdapter,
  createGrpcAdapters,
  type GrpcInvoker,
  type GrpcOptions,
} from "./grpc/mod.ts";
export {
  createPluginAdapter,
  createSchemaChecks,
  PLUGIN_ADAPTER_KEY,
  type PluginAdapterOptions,
  type SchemaChecks,
} from "./plugin/mod.ts";
export { upstreamFailure } from "./upstream_failure.ts";
