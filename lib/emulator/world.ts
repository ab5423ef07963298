/** The people of the emulated world and its fixed instant. Reserved domains only. */

import { type Clock, systemClock } from "../clock/mod.ts";
import type { Person } from "./service.ts";

/** The instant at which the emulated clock stands unless one is given: 2026-05-19T14:30:00Z. */
export const WORLD_INSTANT = Date.UTC(2026, 4, 19, 14, 30, 0);

/** A clock that stands at {@link WORLD_INSTANT}; its waits are real. */
export const worldClock: Clock = {
  now: () => WORLD_INSTANT,
  sleep: (ms, signal) => systemClock.sleep(ms, signal),
};

/** Accounts that exist: the seeded one first, then the second one. */
const WORLD_ACCOUNTS: readonly Person[] = [
  { displayName: "Mara Lindqvist", email: "mara.lindqvist@example.com" },
  { displayName: "Jonas Okafor", email: "jonas.okafor@example.org" },
];

const OTHERS: readonly (readonly [string, string])[] = [
  ["Priya Raghunathan", "priya.raghunathan@example.com"],
  ["Tomás Echeverría", "tomas.echeverria@example.com"],
  ["Hanna Weiß", "hanna.weiss@example.com"],
  ["佐藤 陽子", "yoko.sato@example.net"],
  ["Renaud Lefèvre", "renaud.lefevre@example.org"],
  ["Olumide Adeyemi", "olumide.adeyemi@example.com"],
  ["Ingrid Sørensen", "ingrid.sorensen@example.net"],
  ["Mateusz Wójcik", "mateusz.wojcik@example.com"],
  ["Leila Haddad", "leila.haddad@example.org"],
  ["Caoimhe Byrne", "caoimhe.byrne@example.com"],
  ["Dmitri Volkov", "dmitri.volkov@example.net"],
  ["Aiko Tanaka", "aiko.tanaka@example.net"],
  ["Bronwen Pritchard", "bronwen.pritchard@example.org"],
  ["Samuel Achterberg", "samuel.achterberg@example.com"],
  ["Noor Al-Masri", "noor.almasri@example.com"],
  ["Beatriz Quintela", "beatriz.quintela@example.net"],
  ["Elif Yıldız", "elif.yildiz@example.org"],
  ["Gareth O'Donnell", "gareth.odonnell@example.com"],
  ["Svetlana Marić", "svetlana.maric@example.net"],
  ["Wen Jiahui", "wen.jiahui@example.com"],
  ["Fatoumata Diallo", "fatoumata.diallo@example.org"],
  ["Petr Dvořák", "petr.dvorak@example.net"],
  ["Anneliese Brückner", "anneliese.brueckner@example.com"],
  ["Ravi Subramaniam", "ravi.subramaniam@example.com"],
  ["Chiara Bellandi", "chiara.bellandi@example.org"],
  ["Håkon Nygård", "hakon.nygaard@example.net"],
  ["דנה לוי", "dana.levi@example.net"],
  ["Zoltán Fekete", "zoltan.fekete@example.com"],
  ["Marisol Ibáñez", "marisol.ibanez@example.org"],
  ["Kwame Boateng", "kwame.boateng@example.com"],
  ["Eun-ji Park", "eunji.park@example.net"],
  ["Lotte van den Berg", "lotte.vandenberg@example.com"],
  ["Thandiwe Nkosi", "thandiwe.nkosi@example.org"],
  ["Ciarán Gallagher", "ciaran.gallagher@example.net"],
  ["Yusuf Demir", "yusuf.demir@example.com"],
  ["Agnieszka Zielińska", "agnieszka.zielinska@example.org"],
  ["Pablo Etxeberria", "pablo.etxeberria@example.net"],
  ["Margaux Delacroix", "margaux.delacroix@example.com"],
];

const EVERYONE: readonly Person[] = [
  ...WORLD_ACCOUNTS,
  ...OTHERS.map(([displayName, email]) => ({ displayName, email })),
];

/** The people with an account in a world of `count` accounts, the seeded one first. */
export function worldAccounts(count: number): readonly Person[] {
  return EVERYONE.slice(0, Math.max(count, WORLD_ACCOUNTS.length));
}

/** Everyone in the world as the account at `ownerIndex` sees them: the owner first. */
export function worldPeople(ownerIndex: number): Person[] {
  const owner = EVERYONE[ownerIndex];
  if (owner === undefined) throw new RangeError("nobody lives there");
  return [owner, ...EVERYONE.filter((person) => person !== owner)];
}
