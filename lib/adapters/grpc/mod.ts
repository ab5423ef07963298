/**
 * gRPC: a registry of invokers, an injected dialer, routing metadata and status mapping
 * (spec 02 §3.11.5).
 *
 * @module
 */
export {
  createGrpcAdapter,
  createGrpcAdapters,
  type GrpcInvoker,
  type GrpcOptions,
} from "./grpc.ts";
