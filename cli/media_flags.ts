/** Flags that move files and follow pages (spec 02 §8); data only, so that help stays light. */

import type { FlagSpec } from "./types.ts";

/** Bytes out of a read. */
export const DOWNLOAD_FLAGS: readonly FlagSpec[] = [
  {
    name: "download",
    type: "string",
    help: "save the bytes to this file or directory, or write them to stdout (-)",
  },
  { name: "overwrite", type: "bool", help: "replace the file that --download names" },
  {
    name: "decode",
    type: "string",
    help: "download the base64 text at this path of the answer, such as data",
  },
];

/** Bytes into a write. */
export const UPLOAD_FLAGS: readonly FlagSpec[] = [
  { name: "upload", type: "string", help: "send this file, or standard input (-)" },
  { name: "upload-type", type: "string", help: "media type of --upload, such as image/png" },
];

/** All pages of a list. */
export const PAGE_FLAGS: readonly FlagSpec[] = [
  { name: "page-all", type: "bool", help: "fetch page after page and show them as one answer" },
  { name: "page-limit", type: "int", help: "pages --page-all fetches; default 10, 0 = no limit" },
  { name: "page-items", type: "int", help: "stop fetching after this many records" },
  { name: "page-delay", type: "int", help: "milliseconds between pages; default 100" },
  { name: "ndjson", type: "bool", help: "print one record a line while pages arrive" },
];
