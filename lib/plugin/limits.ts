/** Limits of packages and install roots (spec 06 §5). */

/** Bytes of one download. */
export const DOWNLOAD_LIMIT = 200 * 1024 * 1024;
/** Redirects on the way to one download, each of them to https. */
export const REDIRECT_LIMIT = 5;
/** Bytes of one unpacked tree. */
export const TREE_LIMIT = 1024 * 1024 * 1024;
/** Files and directories of one tree. */
export const ENTRY_LIMIT = 20_000;
/** Directories inside each other. */
export const DEPTH_LIMIT = 32;
/** Pinned modes of an install root. */
export const MODES = { directory: 0o755, file: 0o644, executable: 0o755 } as const;
