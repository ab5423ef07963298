/** Pack bytes on disk: the shipped folder, or one that `gum catalog update` wrote. */

import { assetUrl } from "../../assets/mod.ts";
import type { PackSource } from "./types.ts";

/** A pack in a folder; the URL ends in a slash. */
export function folderSource(folder: URL): PackSource {
  return {
    read: (file) => Deno.readFileSync(new URL(file, folder)),
    range(file, { offset, length }) {
      using handle = Deno.openSync(new URL(file, folder), { read: true });
      handle.seekSync(offset, Deno.SeekMode.Start);
      const bytes = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const count = handle.readSync(bytes.subarray(filled));
        if (count === null) break;
        filled += count;
      }
      return filled === length ? bytes : bytes.slice(0, filled);
    },
  };
}

/** The pack of this build. */
export function embeddedSource(): PackSource {
  return folderSource(assetUrl("catalog/longtail/"));
}
