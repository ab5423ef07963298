/** Google addresses on an emulator's origin. */

/** What stands before the host in a rewritten path. */
export const HOST_PREFIX = "/_host/";

/**
 * Maps a Google URL to the emulator.
 *
 * @throws TypeError when the emulator's origin is not loopback, or the URL is no https one.
 */
export function rewriteUrl(url: URL, origin: string): URL {
  const target = new URL(origin);
  if (target.hostname !== "127.0.0.1" && target.hostname !== "localhost") {
    throw new TypeError("the emulator may only be reached on loopback");
  }
  if (url.origin === target.origin) return new URL(url.href);
  const metadata = url.protocol === "http:" &&
    (url.hostname === "metadata.google.internal" || url.hostname === "169.254.169.254");
  if (url.protocol !== "https:" && !metadata) {
    throw new TypeError(`the emulator stands in for https hosts only, not ${url.protocol}`);
  }
  return new URL(`${target.origin}${HOST_PREFIX}${url.hostname}${url.pathname}${url.search}`);
}
