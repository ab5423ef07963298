/** What `q` and `orderBy` look at, taken from stored files. */

import { searchableText } from "./content.ts";
import { FOLDER } from "./mime_types.ts";
import type { QueryFacts } from "./query.ts";
import { invalid } from "./requests.ts";
import { bytesOf } from "./content.ts";
import { type DriveStore, isTrashed, type StoredFile, type StoredPermission } from "./store.ts";

/** Facts of one file for a query. */
export function factsOf(store: DriveStore, file: StoredFile): QueryFacts {
  const holders = (roles: readonly string[]) =>
    file.permissions.filter((item) => roles.includes(item.role))
      .map((item) => item.email ?? item.domain ?? "");
  return {
    name: file.name,
    mimeType: file.mimeType,
    fullText: () => `${file.name}\n${file.description ?? ""}\n${indexedText(store, file)}`,
    trashed: () => isTrashed(store, file),
    starred: file.starred,
    sharedWithMe: file.sharedWithMeAt !== undefined,
    parents: file.parents.flatMap((id) => id === store.rootId ? [id, "root"] : [id]),
    owners: file.owner === undefined ? [] : withMe(store, [file.owner.email]),
    writers: withMe(store, holders(["writer", "owner", "organizer", "fileOrganizer"])),
    readers: withMe(
      store,
      holders(["reader", "commenter", "writer", "owner", "organizer", "fileOrganizer"]),
    ),
    modifiedTime: file.modifiedAt,
    createdTime: file.createdAt,
    viewedByMeTime: file.viewedByMeAt,
    sharedWithMeTime: file.sharedWithMeAt,
    visibility: visibilityOf(file.permissions),
    properties: file.properties,
    appProperties: file.appProperties,
    shortcutTarget: file.shortcutTo,
  };
}

function indexedText(store: DriveStore, file: StoredFile): string {
  const native = store.native.find(file.id);
  if (native === undefined) return searchableText(file);
  const type = native.kind === "spreadsheet" ? "text/csv" : "text/plain";
  return store.native.exporters.get(native.kind)?.(file.id, type) ?? "";
}

function withMe(store: DriveStore, emails: string[]): string[] {
  return emails.includes(store.account.email) ? [...emails, "me"] : emails;
}

function visibilityOf(permissions: readonly StoredPermission[]): string {
  const anyone = permissions.find((item) => item.type === "anyone");
  if (anyone !== undefined) return anyone.allowFileDiscovery ? "anyoneCanFind" : "anyoneWithLink";
  const domain = permissions.find((item) => item.type === "domain");
  if (domain !== undefined) return domain.allowFileDiscovery ? "domainCanFind" : "domainWithLink";
  return "limited";
}

type SortKey = (file: StoredFile) => string | number;

const collator = new Intl.Collator("en", { numeric: true });

const SORT_KEYS: Readonly<Record<string, SortKey>> = {
  createdTime: (file) => file.createdAt,
  folder: (file) => file.mimeType === FOLDER ? 0 : 1,
  modifiedByMeTime: (file) => file.modifiedByMeAt ?? 0,
  modifiedTime: (file) => file.modifiedAt,
  name: (file) => file.name.toLowerCase(),
  name_natural: (file) => file.name.toLowerCase(),
  quotaBytesUsed: (file) => bytesOf(file)?.bytes.length ?? 0,
  recency: (file) => Math.max(file.modifiedAt, file.viewedByMeAt ?? 0),
  sharedWithMeTime: (file) => file.sharedWithMeAt ?? 0,
  starred: (file) => file.starred ? 0 : 1,
  viewedByMeTime: (file) => file.viewedByMeAt ?? 0,
};

/**
 * Orders files as `orderBy` says; by default the last modified first, as Drive answers.
 *
 * @throws EmulatedError 400 for an unknown key.
 */
export function ordered(files: StoredFile[], orderBy: string | null): StoredFile[] {
  const terms = (orderBy ?? "").split(",").map((term) => term.trim()).filter((term) => term !== "")
    .map((term) => {
      const [name = "", direction, ...rest] = term.split(/\s+/);
      const key = SORT_KEYS[name];
      if (
        key === undefined || rest.length > 0 ||
        (direction !== undefined && !/^(desc|asc)$/.test(direction))
      ) {
        throw invalid("Invalid Value");
      }
      return { key, natural: name === "name_natural", sign: direction === "desc" ? -1 : 1 };
    });
  const steps = terms.length > 0
    ? terms
    : [{ key: SORT_KEYS.modifiedTime as SortKey, natural: false, sign: -1 }];
  return files.toSorted((left, right) => {
    for (const { key, natural, sign } of steps) {
      const a = key(left), b = key(right);
      const order = natural ? collator.compare(String(a), String(b)) : a < b ? -1 : a > b ? 1 : 0;
      if (order !== 0) return order * sign;
    }
    return left.id < right.id ? -1 : 1;
  });
}
