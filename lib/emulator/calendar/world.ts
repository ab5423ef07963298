/** The calendars that an emulated account starts with. */

import type { Person, ServiceSeed } from "../service.ts";
import { fillArchive, fillHolidays, fillPrimary, fillSingles, fillTeam } from "./seeded_events.ts";
import type { CalendarStore, StoredCalendar } from "./store.ts";

const DAY = 86_400_000;
const GROUP_DOMAIN = "group.calendar.example.com";

/** Builds the seeded calendars. */
export function seedCalendars(seed: ServiceSeed): CalendarStore {
  const random = seed.random.fork("calendars");
  const colleague = seed.people[1] ?? seed.account;
  const assistant = seed.people[2] ?? seed.account;
  const make = (given: Partial<StoredCalendar> & Pick<StoredCalendar, "id" | "summary">) =>
    blankCalendar({ zone: "Europe/Berlin", ...given }, seed);
  const primary = make({
    id: seed.account.email,
    summary: seed.account.email,
    primary: true,
    selected: true,
  });
  const team = make({
    id: `c_${random.hex(64)}@${GROUP_DOMAIN}`,
    summary: "Harbour shifts",
    description: "Rota of the ferry and crane crews. Swaps until noon the day before.",
    zone: "America/New_York",
    accessRole: "writer",
    selected: true,
    colorId: "7",
    backgroundColor: "#42d692",
  });
  const holidays = make({
    id: "en.german#holiday@group.v.calendar.example.com",
    summary: "Holidays in Germany",
    description: "Holidays and Observances in Germany",
    accessRole: "reader",
    selected: true,
    colorId: "8",
    backgroundColor: "#16a765",
  });
  const shared = make({
    id: colleague.email,
    summary: colleague.displayName,
    zone: "Asia/Tokyo",
    accessRole: "reader",
    colorId: "15",
    backgroundColor: "#9fc6e7",
    summaryOverride: `${colleague.displayName} (read only)`,
  });
  const busy = make({
    id: assistant.email,
    summary: assistant.email,
    accessRole: "freeBusyReader",
    colorId: "2",
  });
  const rooms = make({
    id: `räume/nord 2+3 100%@${GROUP_DOMAIN}`,
    summary: "Räume Nord",
    location: "Hallstein Quay, 2. Stock",
    colorId: "20",
  });
  const archive = make({
    id: `c_${random.hex(64)}@${GROUP_DOMAIN}`,
    summary: "Archive 2025 (cleaned up)",
    zone: "UTC",
    hidden: true,
    cutsBeforeFilter: true,
    colorId: "19",
  });
  const calendars = [primary, team, holidays, shared, busy, rooms, archive];
  for (const calendar of calendars) {
    calendar.rules = rulesFor(calendar, { seed, colleague, assistant });
  }
  fillPrimary(primary, { seed, random: random.fork("primary") });
  fillTeam(team, { seed, random: random.fork("team") });
  fillHolidays(holidays, seed);
  fillSingles(shared, { seed, random: random.fork("shared"), count: 42 });
  fillSingles(busy, { seed, random: random.fork("busy"), count: 18 });
  fillSingles(rooms, { seed, random: random.fork("rooms"), count: 5 });
  fillArchive(archive, { seed, random: random.fork("archive") });
  return {
    account: seed.account,
    people: seed.people,
    calendars,
    settings: {
      autoAddHangouts: "true",
      dateFieldOrder: "DMY",
      defaultEventLength: "60",
      format24HourTime: "true",
      hideInvitations: "false",
      hideWeekends: "false",
      locale: "en_GB",
      remindOnRespondedEventsOnly: "false",
      showDeclinedEvents: "true",
      timezone: "Europe/Berlin",
      useKeyboardShortcuts: "true",
      weekStart: "1",
    },
    ids: seed.random.fork("new events"),
    channels: new Map(),
  };
}

/** A calendar with the defaults of a freshly made one. */
export function blankCalendar(
  given: Partial<StoredCalendar> & Pick<StoredCalendar, "id" | "summary" | "zone">,
  seed: Pick<ServiceSeed, "now">,
): StoredCalendar {
  return {
    accessRole: "owner",
    primary: false,
    listed: true,
    hidden: false,
    selected: false,
    colorId: "14",
    backgroundColor: "#9fe1e7",
    foregroundColor: "#000000",
    defaultReminders: given.primary ? [{ method: "popup", minutes: 30 }] : [],
    rules: [],
    events: new Map(),
    changes: 0,
    expiredBefore: 0,
    updated: seed.now - 40 * DAY,
    cutsBeforeFilter: false,
    ...given,
  };
}

function rulesFor(
  calendar: StoredCalendar,
  { seed, colleague, assistant }: { seed: ServiceSeed; colleague: Person; assistant: Person },
): StoredCalendar["rules"] {
  if (calendar.accessRole !== "owner") return [];
  const rules: StoredCalendar["rules"] = [{
    scope: { type: "user", value: seed.account.email },
    role: "owner",
  }];
  if (!calendar.id.includes(GROUP_DOMAIN)) {
    rules.push(
      { scope: { type: "user", value: colleague.email }, role: "writer" },
      { scope: { type: "user", value: assistant.email }, role: "reader" },
      {
        scope: { type: "domain", value: seed.account.email.split("@")[1] as string },
        role: "freeBusyReader",
      },
    );
  }
  if (calendar.summary.startsWith("Räume")) {
    rules.push({ scope: { type: "default" }, role: "reader" });
  }
  return rules;
}
