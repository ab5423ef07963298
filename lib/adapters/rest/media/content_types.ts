/** File name endings and media types, for the files people upload and download. Pure. */

const TYPES: Readonly<Record<string, string | undefined>> = {
  avi: "video/x-msvideo",
  avif: "image/avif",
  bmp: "image/bmp",
  bz2: "application/x-bzip2",
  css: "text/css",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  epub: "application/epub+zip",
  gif: "image/gif",
  gz: "application/gzip",
  heic: "image/heic",
  htm: "text/html",
  html: "text/html",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tif: "image/tiff",
  tiff: "image/tiff",
  toml: "application/toml",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  vcf: "text/vcard",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** The media type that a file name suggests. */
export function contentTypeOfName(name: string): string | undefined {
  const extension = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}

/** A file name ending, dot included, for a media type; "" when none is usual. */
export function extensionOfType(contentType: string): string {
  const bare = contentType.split(";", 1)[0]?.trim().toLowerCase();
  const found = Object.keys(TYPES).find((extension) => TYPES[extension] === bare);
  return found === undefined ? "" : `.${found}`;
}

/** Whether a type matches one of `image/*`, `message/rfc822`, the wildcard for all; none = any. */
export function typeAccepted(contentType: string, accept: readonly string[] = []): boolean {
  const bare = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return accept.length === 0 || accept.some((pattern) => {
    const wanted = pattern.trim().toLowerCase();
    if (wanted === "*/*" || wanted === bare) return true;
    return wanted.endsWith("/*") && bare.startsWith(wanted.slice(0, -1));
  });
}
