/**
 * Recovery artifacts, stage 9 of shaping: the whole body of a shortened result, kept on disk for a
 * while under an unguessable name (spec 03 §3.14).
 *
 * @module
 */

export {
  artifactHash,
  type ArtifactOptions,
  createArtifactStore,
  operationFolder,
} from "./store.ts";
export { findArtifact, readArtifact } from "./read.ts";
export { ensureTeeSecret, readTeeSecret } from "./tee_secret.ts";
