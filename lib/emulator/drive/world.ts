/** The file tree that an emulated account starts with. */

import type { Person, SeededRandom, ServiceSeed } from "../service.ts";
import { FOLDER, NATIVE_TYPES, OFFICE_TYPES, SHORTCUT } from "./mime_types.ts";
import { nativeFilesOf } from "./native_files.ts";
import { type Prose, proseOf } from "./prose.ts";
import { opaqueId } from "./requests.ts";
import {
  type DriveStore,
  type Role,
  type StoredFile,
  type StoredPermission,
  userPermission,
} from "./store.ts";

const DAY = 86_400_000;
/** Files besides folders and native files. */
const BINARY_FILES = 172;
const SHARED_DRIVE_FILES = 24;

const TOP_FOLDERS = [
  "Finance",
  "Projekte (laufend)",
  "Fotos & Skizzen",
  "Contracts/Leases",
  "100% done",
  "会議",
  'Q&A "drafts"',
  "Archive",
] as const;

/** Kinds of uploaded files: extension, MIME type, weight, and median size in bytes. */
const KINDS: readonly { extension: string; mimeType: string; weight: number; size: number }[] = [
  { extension: "pdf", mimeType: "application/pdf", weight: 44, size: 24_000 },
  { extension: "png", mimeType: "image/png", weight: 34, size: 12_000 },
  { extension: "csv", mimeType: "text/csv", weight: 22, size: 6_000 },
  { extension: "txt", mimeType: "text/plain", weight: 20, size: 3_000 },
  { extension: "docx", mimeType: OFFICE_TYPES.document, weight: 16, size: 9_000 },
  { extension: "xlsx", mimeType: OFFICE_TYPES.spreadsheet, weight: 10, size: 9_000 },
  { extension: "md", mimeType: "text/markdown", weight: 9, size: 2_500 },
  { extension: "json", mimeType: "application/json", weight: 7, size: 4_000 },
  { extension: "zip", mimeType: "application/zip", weight: 5, size: 40_000 },
  { extension: "svg", mimeType: "image/svg+xml", weight: 4, size: 200 },
  { extension: "mp4", mimeType: "video/mp4", weight: 3, size: 90_000 },
];

/** Builds the seeded Drive. */
export function seedDrive(seed: ServiceSeed): DriveStore {
  const random = seed.random.fork("drive");
  const prose = proseOf(random.fork("prose"));
  const store: DriveStore = {
    account: seed.account,
    people: seed.people,
    rootId: `0A${opaqueId(random, 16)}A`,
    files: new Map(),
    drives: [],
    native: nativeFilesOf(seed),
    ids: seed.random.fork("new drive files"),
    reservedIds: new Set(),
  };
  const make = fileMaker(store, { seed, random });
  store.files.set(store.rootId, {
    ...make({ name: "My Drive", mimeType: FOLDER, parents: [] }),
    id: store.rootId,
  });
  const folders = seedFolders(store, { random, prose, make });
  seedUploads(store, { random, prose, make, folders });
  seedNativeRecords(store, { random, make, folders });
  seedSharing(store, { seed, random, prose });
  seedSharedDrive(store, { seed, random, prose, make });
  seedTrash(store, { seed, random });
  return store;
}

type FileMaker = (given: { name: string; mimeType: string; parents: string[] }) => StoredFile;

function fileMaker(
  store: DriveStore,
  { seed, random }: { seed: ServiceSeed; random: SeededRandom },
): FileMaker {
  return ({ name, mimeType, parents }) => {
    const createdAt = seed.now - random.int(30, 1400) * DAY - random.int(0, DAY);
    const modifiedAt = seed.now - Math.floor((seed.now - createdAt) * random.next() ** 3) - 60_000;
    const file: StoredFile = {
      id: `1${opaqueId(random, 32)}`,
      name,
      mimeType,
      parents,
      createdAt,
      modifiedAt,
      starred: random.next() < 0.06,
      owner: seed.account,
      lastModifier: seed.account,
      permissions: [userPermission(seed.account, "owner")],
      version: random.int(1, 240),
      properties: {},
      appProperties: {},
      copyRequiresWriterPermission: false,
      writersCanShare: true,
    };
    if (random.next() < 0.8) file.modifiedByMeAt = modifiedAt;
    if (random.next() < 0.7) file.viewedByMeAt = modifiedAt + random.int(0, 50_000);
    if (store.files.has(file.id)) throw new Error("seeded Drive ids collide");
    return file;
  };
}

interface Parts {
  random: SeededRandom;
  prose: Prose;
  make: FileMaker;
  folders: string[];
}

function seedFolders(store: DriveStore, { random, prose, make }: Omit<Parts, "folders">): string[] {
  const ids: string[] = [store.rootId];
  for (const name of TOP_FOLDERS) {
    const top = make({ name, mimeType: FOLDER, parents: [store.rootId] });
    if (random.next() < 0.4) top.folderColor = "#f83a22";
    store.files.set(top.id, top);
    ids.push(top.id);
    for (let count = random.int(1, 3); count > 0; count--) {
      const inner = make({ name: prose.topic(), mimeType: FOLDER, parents: [top.id] });
      store.files.set(inner.id, inner);
      ids.push(inner.id);
      if (random.next() < 0.35) {
        const deep = make({
          name: `${random.int(2021, 2026)}`,
          mimeType: FOLDER,
          parents: [inner.id],
        });
        store.files.set(deep.id, deep);
        ids.push(deep.id);
      }
    }
  }
  return ids;
}

function upload(given: Parts & { parents: string[] }): StoredFile {
  const { random, prose, make, parents } = given;
  const kind = weightedKind(random);
  const name = random.next() < 0.12
    ? `${random.pick(["Scan", "IMG", "Bildschirmfoto", "領収書"])}_${
      random.int(20_220_101, 20_260_501)
    }+${random.int(1, 99)}%.${kind.extension}`
    : `${prose.fileTitle()}.${kind.extension}`;
  const file = make({ name, mimeType: kind.mimeType, parents });
  // Log-normal sizes: many small files, a few large ones.
  const size = Math.round(kind.size * Math.exp(2.2 * (random.next() + random.next() - 1)));
  file.content = { from: "seed", key: file.id, size };
  file.originalFilename = name;
  file.headRevision = `0B${opaqueId(random, 48)}`;
  if (random.next() < 0.2) file.description = prose.paragraph(random.int(1, 3));
  if (random.next() < 0.05) file.appProperties = { importBatch: String(random.int(100, 999)) };
  return file;
}

function weightedKind(random: SeededRandom): (typeof KINDS)[number] {
  let at = random.int(1, KINDS.reduce((sum, kind) => sum + kind.weight, 0));
  for (const kind of KINDS) {
    at -= kind.weight;
    if (at <= 0) return kind;
  }
  return KINDS[0] as (typeof KINDS)[number];
}

function seedUploads(store: DriveStore, parts: Parts): void {
  const { random, folders, make } = parts;
  for (let count = 0; count < BINARY_FILES; count++) {
    const file = upload({ ...parts, parents: [random.pick(folders)] });
    store.files.set(file.id, file);
  }
  const targets = [...store.files.values()].filter((file) => file.content !== undefined);
  for (let count = 0; count < 3; count++) {
    const target = random.pick(targets);
    const shortcut = make({ name: target.name, mimeType: SHORTCUT, parents: [store.rootId] });
    shortcut.shortcutTo = target.id;
    store.files.set(shortcut.id, shortcut);
  }
}

function seedNativeRecords(
  store: DriveStore,
  { random, make, folders }: Omit<Parts, "prose">,
): void {
  for (const native of store.native.list()) {
    if (native.seeded === undefined) continue;
    const file = make({
      name: native.title,
      mimeType: NATIVE_TYPES[native.kind],
      parents: [random.pick(folders)],
    });
    store.files.set(native.id, {
      ...file,
      id: native.id,
      createdAt: native.createdAt,
      modifiedAt: native.modifiedAt,
      ...(file.modifiedByMeAt === undefined ? {} : { modifiedByMeAt: native.modifiedAt }),
      ...(file.viewedByMeAt === undefined ? {} : { viewedByMeAt: native.modifiedAt }),
    });
  }
}

function seedSharing(
  store: DriveStore,
  { seed, random, prose }: { seed: ServiceSeed; random: SeededRandom; prose: Prose },
): void {
  const others = seed.people.filter((person) => person.email !== seed.account.email);
  if (others.length === 0) return;
  const domain = seed.account.email.split("@")[1] as string;
  for (const file of store.files.values()) {
    if (file.id === store.rootId) continue;
    const draw = random.next();
    if (draw < 0.62) continue;
    const guests = pickSome(random, {
      people: others,
      count: draw > 0.985 ? Math.min(9, others.length) : random.int(1, 3),
    });
    if (draw > 0.86 && file.mimeType !== FOLDER) {
      makeForeign(file, { seed, random, owner: guests[0] as Person });
    }
    for (const guest of guests) {
      if (guest.email === file.owner?.email) continue;
      addPermission(
        file,
        userPermission(guest, random.pick<Role>(["reader", "commenter", "writer"])),
      );
    }
    if (random.next() < 0.15) {
      addPermission(file, {
        id: "anyoneWithLink",
        type: "anyone",
        role: random.pick<Role>(["reader", "writer"]),
        allowFileDiscovery: false,
      });
    }
    if (random.next() < 0.1) {
      addPermission(file, {
        id: `${random.int(10_000_000, 99_999_999)}k`,
        type: "domain",
        role: "reader",
        domain,
        displayName: prose.topic(),
        allowFileDiscovery: random.next() < 0.5,
      });
    }
    if (random.next() < 0.06) {
      addPermission(file, {
        id: `0${random.int(1_000_000_000, 9_000_000_000)}${random.int(100_000_000, 900_000_000)}`,
        type: "group",
        role: "commenter",
        email: `${random.pick(["planning", "all-staff", "press"])}@${domain}`,
        displayName: prose.topic(),
        expiresAt: seed.now + random.int(5, 90) * DAY,
      });
    }
  }
}

function makeForeign(
  file: StoredFile,
  { seed, random, owner }: { seed: ServiceSeed; random: SeededRandom; owner: Person },
): void {
  file.owner = owner;
  file.lastModifier = owner;
  file.permissions = [
    userPermission(owner, "owner"),
    userPermission(seed.account, random.pick<Role>(["reader", "commenter", "writer"])),
  ];
  file.parents = [];
  file.sharer = owner;
  file.sharedWithMeAt = Math.min(seed.now - 3_600_000, file.createdAt + random.int(1, 20) * DAY);
  delete file.modifiedByMeAt;
}

function addPermission(file: StoredFile, permission: StoredPermission): void {
  if (!file.permissions.some((item) => item.id === permission.id)) {
    file.permissions.push(permission);
  }
}

function pickSome(
  random: SeededRandom,
  { people, count }: { people: readonly Person[]; count: number },
): Person[] {
  const left = [...people];
  const chosen: Person[] = [];
  while (chosen.length < count && left.length > 0) {
    chosen.push(left.splice(random.int(0, left.length - 1), 1)[0] as Person);
  }
  return chosen;
}

function seedSharedDrive(
  store: DriveStore,
  { seed, random, prose, make }: {
    seed: ServiceSeed;
    random: SeededRandom;
    prose: Prose;
    make: FileMaker;
  },
): void {
  const id = `0A${opaqueId(random, 14)}Uk9PVA`;
  const members = [
    { ...userPermission(seed.account, "organizer") },
    ...seed.people.filter((person) => person.email !== seed.account.email).slice(0, 4)
      .map((person, index) => userPermission(person, index === 0 ? "fileOrganizer" : "writer")),
  ];
  store.drives.push({
    id,
    name: "Harbour team – gemeinsam",
    createdAt: seed.now - 700 * DAY,
    members,
  });
  const inside = (file: StoredFile): StoredFile => {
    delete file.owner;
    file.driveId = id;
    file.permissions = members.map((member) => ({ ...member, inheritedFrom: id }));
    return file;
  };
  const root = { ...inside(make({ name: "Drive", mimeType: FOLDER, parents: [] })), id };
  store.files.set(id, root);
  const folders = [id];
  for (const name of ["Schichtpläne", "Tenders 2026"]) {
    const folder = inside(make({ name, mimeType: FOLDER, parents: [id] }));
    store.files.set(folder.id, folder);
    folders.push(folder.id);
  }
  for (let count = 0; count < SHARED_DRIVE_FILES; count++) {
    const parents = [random.pick(folders)];
    const file = inside(upload({ random, prose, make, folders, parents }));
    file.lastModifier = random.pick(seed.people);
    store.files.set(file.id, file);
  }
}

function seedTrash(
  store: DriveStore,
  { seed, random }: { seed: ServiceSeed; random: SeededRandom },
): void {
  const mine = [...store.files.values()].filter((file) =>
    file.owner?.email === seed.account.email && file.mimeType !== FOLDER && file.parents.length > 0
  );
  for (let count = 0; count < 11; count++) {
    random.pick(mine).trashedAt = seed.now - random.int(1, 28) * DAY;
  }
}
