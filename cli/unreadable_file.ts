/** Why the file or folder that somebody named cannot be used, in words instead of system errors. */

/** A sentence part such as `no such file`; of a size that was exceeded, `larger than 64 MiB`. */
export function unreadableReason(error: unknown, limitBytes: number): string {
  if (error instanceof RangeError) return `larger than ${sizeText(limitBytes)}`;
  if (error instanceof Deno.errors.NotFound) return "no such file";
  if (error instanceof Deno.errors.IsADirectory) return "is a directory";
  if (error instanceof Deno.errors.NotADirectory) return "a part of the path is not a directory";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return "cannot be read";
}

function sizeText(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

/** What the system was doing, by the name its error gives it. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  mkdir: "make the directory",
  open: "open",
  readfile: "read",
  readdir: "list",
  readlink: "read",
  realpath: "look at",
  stat: "look at",
  lstat: "look at",
  writefile: "write",
  copy: "copy",
  rename: "rename",
  remove: "remove",
  chmod: "change the mode of",
  symlink: "link",
  truncate: "shorten",
};

/**
 * A failure of the system as what was tried, why it failed and what helps:
 * `cannot make the directory /x: permission denied; …`. Undefined for every other error.
 */
export function systemFailure(error: Error): string | undefined {
  const parts = /^(.+?) \(os error \d+\)(?:: ([a-z]+) '(.+?)'(?: -> '(.+)')?)?$/s.exec(
    error.message,
  );
  if (parts === null) return undefined;
  const [, what = "", attempt = "", from, to] = parts;
  const reason = what.charAt(0).toLowerCase() + what.slice(1);
  const tried = from === undefined
    ? ""
    : `cannot ${ATTEMPTS[attempt] ?? attempt} ${from}${to === undefined ? "" : ` as ${to}`}: `;
  const remedy = remedyOf(error, reason);
  return `${tried}${reason}${remedy === undefined ? "" : `; ${remedy}`}`;
}

function remedyOf(error: Error, reason: string): string | undefined {
  if (/no space|quota/.test(reason)) return "make room and run the command again";
  if (/read-only/.test(reason)) return "choose a place on a file system that can be written";
  if (error instanceof Deno.errors.PermissionDenied) {
    return "make it accessible to this user, or choose another place (HOME and the XDG variables " +
      "say where gum keeps its own files)";
  }
  if (error instanceof Deno.errors.AddrInUse) return "choose another port, or end what uses it";
  return undefined;
}
