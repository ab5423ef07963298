/** Names of operating-system errors, and which of them mean "cannot sync here" (spec 06 §3.9). */

/** Numbers that every POSIX system names alike. */
const COMMON = [
  "EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD",
  "- ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR",
  "EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS",
  "EMLINK EPIPE EDOM ERANGE",
].join(" ").split(" ");

const LINUX: Readonly<Record<number, string>> = {
  11: "EAGAIN",
  35: "EDEADLK",
  36: "ENAMETOOLONG",
  37: "ENOLCK",
  38: "ENOSYS",
  39: "ENOTEMPTY",
  40: "ELOOP",
  42: "ENOMSG",
  43: "EIDRM",
  60: "ENOSTR",
  61: "ENODATA",
  62: "ETIME",
  63: "ENOSR",
  67: "ENOLINK",
  71: "EPROTO",
  72: "EMULTIHOP",
  74: "EBADMSG",
  75: "EOVERFLOW",
  84: "EILSEQ",
  88: "ENOTSOCK",
  89: "EDESTADDRREQ",
  90: "EMSGSIZE",
  91: "EPROTOTYPE",
  92: "ENOPROTOOPT",
  93: "EPROTONOSUPPORT",
  95: "EOPNOTSUPP",
  97: "EAFNOSUPPORT",
  98: "EADDRINUSE",
  99: "EADDRNOTAVAIL",
  100: "ENETDOWN",
  101: "ENETUNREACH",
  102: "ENETRESET",
  103: "ECONNABORTED",
  104: "ECONNRESET",
  105: "ENOBUFS",
  106: "EISCONN",
  107: "ENOTCONN",
  110: "ETIMEDOUT",
  111: "ECONNREFUSED",
  113: "EHOSTUNREACH",
  114: "EALREADY",
  115: "EINPROGRESS",
  116: "ESTALE",
  122: "EDQUOT",
  125: "ECANCELED",
};

const DARWIN: Readonly<Record<number, string>> = {
  11: "EDEADLK",
  35: "EAGAIN",
  36: "EINPROGRESS",
  37: "EALREADY",
  45: "ENOTSUP",
  60: "ETIMEDOUT",
  62: "ELOOP",
  63: "ENAMETOOLONG",
  66: "ENOTEMPTY",
  69: "EDQUOT",
  70: "ESTALE",
  77: "ENOLCK",
  78: "ENOSYS",
  84: "EOVERFLOW",
  89: "ECANCELED",
  92: "EILSEQ",
  102: "EOPNOTSUPP",
};

/** Windows error codes that have a POSIX name of the same meaning. */
const WINDOWS: Readonly<Record<number, string>> = {
  1: "EINVAL",
  2: "ENOENT",
  3: "ENOENT",
  4: "EMFILE",
  5: "EACCES",
  17: "EXDEV",
  32: "EBUSY",
  33: "EBUSY",
  50: "ENOTSUP",
  80: "EEXIST",
  87: "EINVAL",
  112: "ENOSPC",
  183: "EEXIST",
};

/** Name of an errno number on a platform; `errno_<number>` where it has none here. */
export function errnoOfNumber(number: number, os: string = Deno.build.os): string {
  if (os === "windows") return WINDOWS[number] ?? `errno_${number}`;
  const own = (os === "darwin" ? DARWIN : LINUX)[number];
  const common = COMMON[number - 1];
  return own ?? (common === undefined || common === "-" ? `errno_${number}` : common);
}

/**
 * Name of the system error behind a failure: its `code`, else the number in its text; `unknown`
 * only when there is neither.
 */
export function errnoName(error: unknown, os: string = Deno.build.os): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; depth++) {
    const code = "code" in current ? current.code : undefined;
    if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) return code;
    const number = /\(os error ([0-9]+)\)/.exec(current.message)?.[1];
    if (number !== undefined) return errnoOfNumber(Number(number), os);
    current = current.cause;
  }
  return "unknown";
}

const UNSUPPORTED = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP"]);

/** True when a file system cannot sync at all, as against one that tried and failed. */
export function isSyncUnsupported(error: unknown): boolean {
  return UNSUPPORTED.has(errnoName(error));
}
