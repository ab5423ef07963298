/**
 * Response caches behind the kernel's `ResponseCache`.
 *
 * @module
 */
export { createMemoryResponseCache, type MemoryCacheOptions } from "./memory.ts";
export { disabledResponseCache } from "./disabled.ts";
