/** Fills a mailbox: about 260 messages over 90 days, written lazily, the same for the same seed. */

import type { Person, SeededRandom, ServiceSeed } from "../service.ts";
import { attachment, invitation, letterHtml, letterText, longTail, quoted } from "./letters.ts";
import type { Mailbox, NewMessage } from "./mailbox.ts";
import { type HeaderLine, type WritePart, writeMessage } from "./mime_write.ts";
import { newsletterBody, PUBLICATIONS, receiptBody, SHOPS } from "./newsletters.ts";
import { type Prose, proseOf, type Topic, TOPICS } from "../prose.ts";
import { addressOf, mailDate, messageIdOf, transportHeaders } from "./transport_headers.ts";
import { oddMessages } from "./odd_messages.ts";

/** A message before it has an id; `thread` groups, in order of time. */
export interface Planned {
  date: number;
  labels: string[];
  thread: string;
  raw: () => Uint8Array<ArrayBuffer>;
  /** Saved as a draft too. */
  draft?: boolean;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
const SPAN_DAYS = 90;

/** Generates the mailbox's messages, labels and drafts. */
export function fillMailbox(mailbox: Mailbox, seed: ServiceSeed): void {
  const labelIds = USER_LABELS.map(([name, color]) =>
    mailbox.createLabel(name, color === undefined ? {} : { color }).id
  );
  const world: World = {
    random: seed.random.fork("mail"),
    now: seed.now,
    owner: seed.account,
    others: seed.people.filter((person) => person.email !== seed.account.email),
    labelIds,
  };
  const planned = [
    ...conversations(world, 40),
    ...mailingLists(world, 9),
    ...newsletters(world, 44),
    ...receipts(world, 26),
    ...invitations(world, 11),
    ...junk(world, 7),
    ...drafts(world, 5),
    ...oddMessages(world),
  ].sort((left, right) => left.date - right.date);
  const threads = new Map<string, string>();
  for (const item of planned) {
    const threadId = threads.get(item.thread);
    const input: NewMessage = {
      raw: item.raw,
      labelIds: item.labels,
      internalDate: item.date,
      ...(threadId === undefined ? {} : { threadId }),
    };
    const message = mailbox.add(input, { quiet: true });
    threads.set(item.thread, message.threadId);
    if (item.draft) mailbox.drafts.set(mailbox.newDraftId(), message.id);
  }
}

const USER_LABELS: readonly (readonly [string, { textColor: string; backgroundColor: string }?])[] = [
  ["Receipts", { textColor: "#094228", backgroundColor: "#b9e4d0" }],
  ["Harbour/Permits"],
  ["Choir", { textColor: "#ffffff", backgroundColor: "#653e9b" }],
  ["To read"],
  ["Familie 🏡"],
  ["Sparse"],
  ["Empty for now"],
];

/** What the planners share. */
export interface World {
  random: SeededRandom;
  now: number;
  owner: Person;
  others: readonly Person[];
  /** Ids of the user labels, in the order of their creation. */
  labelIds: readonly string[];
}

/** A past instant, denser near now. */
export function pastInstant(random: SeededRandom, now: number): number {
  const age = Math.pow(random.next(), 1.4) * SPAN_DAYS * DAY;
  return Math.floor((now - 20 * MINUTE - age) / 1000) * 1000;
}

function conversations(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index) => {
    const random = world.random.fork(`conversation ${index}`);
    const topic = random.pick(TOPICS);
    const length = Math.min(11, longTail(random, 2.3));
    const partners = pickSome(random, world.others, random.int(1, 3));
    return letterThread(world, {
      random,
      topic,
      length,
      people: [world.owner, ...partners],
      key: `conversation ${index}`,
      start: pastInstant(random, world.now - length * 3 * 3_600_000),
      extra: () => [],
      labels: topic.name === "choir" ? [world.labelIds[2] as string] : [],
      category: "CATEGORY_PERSONAL",
    });
  }).flat();
}

function mailingLists(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index) => {
    const random = world.random.fork(`list ${index}`);
    const topic = random.pick(TOPICS);
    const slug = topic.name.replaceAll(" ", "-");
    const list = `${slug}@lists.example.org`;
    return letterThread(world, {
      random,
      topic,
      length: random.int(2, 6),
      people: pickSome(random, world.others, 5),
      key: `list ${index}`,
      start: pastInstant(random, world.now - DAY),
      listAddress: list,
      extra: () => [
        ["List-ID", `<${slug}.lists.example.org>`],
        ["List-Post", `<mailto:${list}>`],
        ["List-Help", "<https://lists.example.org/help>"],
        ["List-Archive", `<https://lists.example.org/archive/${slug}>`],
        ["List-Unsubscribe", `<mailto:${slug}+unsubscribe@lists.example.org>`],
        ["Mailing-list", `list ${list}; contact ${slug}+owners@lists.example.org`],
        ["Precedence", "list"],
      ],
      labels: [],
      category: "CATEGORY_FORUMS",
    });
  }).flat();
}

interface LetterThread {
  random: SeededRandom;
  topic: Topic;
  length: number;
  people: readonly Person[];
  key: string;
  start: number;
  listAddress?: string;
  extra: () => HeaderLine[];
  labels: readonly string[];
  category: string;
}

interface Written {
  from: Person;
  date: number;
  messageId: string;
  text: () => string;
}

function letterThread(world: World, thread: LetterThread): Planned[] {
  const { random, people } = thread;
  const subjectProse = proseOf(random.fork("subject"), thread.topic);
  const subject = random.next() < 0.12 ? subjectProse.foreign() : subjectProse.subject();
  const earlier: Written[] = [];
  const planned: Planned[] = [];
  let date = thread.start;
  for (let index = 0; index < thread.length; index++) {
    const own = random.fork(`letter ${index}`);
    const from = index === 0 && people[0] === world.owner && own.next() < 0.7
      ? people[1] as Person
      : own.pick(people);
    const to = people.filter((person) => person !== from);
    const mine = from === world.owner;
    const prose = proseOf(own.fork("prose"), thread.topic);
    let text: string | undefined;
    const written: Written = {
      from,
      date,
      messageId: messageIdOf(own.fork("id"), from.email),
      text: () =>
        text ??= letterText({
          random: own.fork("text"),
          prose,
          from,
          to: to[0] ?? world.owner,
          scale: index === 0 ? 2.6 : 1.5,
        }),
    };
    const history = [...earlier];
    const labels = [...thread.labels, ...standing(own.fork("labels"), { mine, date, now: world.now, category: thread.category })];
    planned.push({
      date,
      labels,
      thread: thread.key,
      raw: () =>
        writeLetter(world, {
          thread,
          written,
          history,
          to,
          subject: index === 0 ? subject : `Re: ${subject}`,
          random: own.fork("write"),
          prose,
        }),
    });
    earlier.push(written);
    date = Math.min(world.now - 12 * MINUTE, date + own.int(4, 60 * 30) * MINUTE);
  }
  return planned;
}

function writeLetter(
  world: World,
  input: {
    thread: LetterThread;
    written: Written;
    history: readonly Written[];
    to: readonly Person[];
    subject: string;
    random: SeededRandom;
    prose: Prose;
  },
): Uint8Array<ArrayBuffer> {
  const { written, history, random } = input;
  const { from, date } = written;
  const previous = history[history.length - 1];
  const mine = from === world.owner;
  const recipients = input.thread.listAddress === undefined
    ? input.to.map(addressOf).join(", ")
    : input.thread.listAddress;
  const headers: HeaderLine[] = mine
    ? [["Received", `from desk.example.com by smtp.example.com with ESMTPSA id ${random.hex(14)}; ${mailDate(date, 2)}`]]
    : transportHeaders({ random: random.fork("transport"), from: from.email, to: world.owner, date });
  if (previous) {
    headers.push(
      ["References", history.map(({ messageId }) => messageId).join(" ")],
      ["In-Reply-To", previous.messageId],
    );
  }
  headers.push(
    ["From", addressOf(from)],
    ["Date", mailDate(date, random.pick([-7, -5, 0, 1, 2, 2, 9]))],
    ["Message-ID", written.messageId],
    ["Subject", input.subject],
    ["To", recipients],
  );
  if (random.next() < 0.25) headers.push(["Cc", addressOf(random.pick(world.others))]);
  headers.push(...input.thread.extra());
  const ownText = written.text();
  const quote = previous && random.next() < 0.85
    ? { text: history.slice(-3).map((item) => item.text()).reverse().join("\n"), from: previous.from, date: previous.date }
    : undefined;
  const text = quote ? `${ownText}${quoted(quote.text, quote.from, quote.date)}` : ownText;
  const plain: WritePart = { kind: "text", subtype: "plain", charset: "UTF-8", encoding: "quoted-printable", text };
  const html: WritePart = { kind: "text", subtype: "html", charset: "UTF-8", encoding: "quoted-printable", text: letterHtml(ownText, quote) };
  const body: WritePart = random.next() < 0.25
    ? plain
    : { kind: "container", subtype: "alternative", boundary: `000000000000${random.hex(16)}`, parts: [plain, html] };
  if (random.next() >= 0.22) return writeMessage(headers, body);
  const files = Array.from({ length: random.int(1, 3) }, (_, index) => attachment(random.fork(`file ${index}`), input.prose));
  return writeMessage(headers, {
    kind: "container",
    subtype: "mixed",
    boundary: `000000000000${random.hex(16)}`,
    parts: [body, ...files],
  });
}

/** Labels by age and sender: read or not, in the inbox or archived, starred now and then. */
function standing(
  random: SeededRandom,
  facts: { mine: boolean; date: number; now: number; category: string },
): string[] {
  if (facts.mine) return ["SENT"];
  const age = (facts.now - facts.date) / DAY;
  const labels: string[] = [];
  if (random.next() < (age < 3 ? 0.6 : age < 20 ? 0.22 : 0.08)) labels.push("UNREAD");
  if (random.next() < 0.4 && facts.category === "CATEGORY_PERSONAL") labels.push("IMPORTANT");
  if (random.next() < 0.07) labels.push("STARRED");
  labels.push(facts.category);
  if (random.next() < (age < 14 ? 0.95 : 0.45)) labels.push("INBOX");
  return labels;
}

function newsletters(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`newsletter ${index}`);
    const date = pastInstant(random, world.now);
    const publication = random.pick(PUBLICATIONS);
    const labels = standing(random.fork("labels"), { mine: false, date, now: world.now, category: "CATEGORY_PROMOTIONS" });
    if (random.next() < 0.1) labels.push(world.labelIds[3] as string);
    return {
      date,
      thread: `newsletter ${index}`,
      labels,
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const title = own.next() < 0.2 ? prose.foreign() : `${prose.subject()} | ${publication.name} #${own.int(12, 900)}`;
        const { text, html } = newsletterBody({
          random: own.fork("body"),
          prose,
          publication,
          title,
          sections: Math.min(16, longTail(own.fork("size"), 3)),
        });
        const domain = publication.email.split("@")[1];
        const headers: HeaderLine[] = [
          ...transportHeaders({ random: own.fork("transport"), from: publication.email, to: world.owner, date, bulk: true }),
          ["Content-Language", "en"],
          ["Date", mailDate(date)],
          ["From", `${publication.name} <${publication.email}>`],
          ["Message-ID", messageIdOf(own.fork("id"), publication.email)],
          ["Subject", title],
          ["To", world.owner.email],
          ["List-Unsubscribe", `<https://${domain}/u/${own.hex(40)}>, <mailto:unsubscribe-${own.hex(20)}@${domain}>`],
          ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
          ["Feedback-ID", `${own.int(10000, 9999999)}:${own.hex(8)}:newsletter`],
          ["Precedence", "bulk"],
        ];
        const htmlPart: WritePart = { kind: "text", subtype: "html", charset: "utf-8", encoding: "quoted-printable", text: html };
        return writeMessage(
          headers,
          own.next() < 0.3 ? htmlPart : {
            kind: "container",
            subtype: "alternative",
            boundary: `${own.hex(24)}`,
            parts: [{ kind: "text", subtype: "plain", charset: "utf-8", encoding: "quoted-printable", text }, htmlPart],
          },
        );
      },
    };
  });
}

function receipts(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`receipt ${index}`);
    const date = pastInstant(random, world.now);
    const shop = random.pick(SHOPS);
    const labels = standing(random.fork("labels"), { mine: false, date, now: world.now, category: "CATEGORY_UPDATES" });
    if (random.next() < 0.7) labels.push(world.labelIds[0] as string);
    return {
      date,
      thread: `receipt ${index}`,
      labels,
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const number = `${own.hex(3).toUpperCase()}-${own.int(100000, 99999999)}`;
        const { text, html, total } = receiptBody({ random: own.fork("body"), prose, shop, lines: Math.min(30, longTail(own.fork("size"), 3)), number });
        const subject = own.pick([
          `Your order ${number}`,
          `Receipt: ${total} at ${shop.name}`,
          `"${shop.name}" confirms ${number}, paid`,
          `=${total} charged; order ${number}`,
          `Rechnung ${number} über ${total}`,
        ]);
        const headers: HeaderLine[] = [
          ...transportHeaders({ random: own.fork("transport"), from: shop.email, to: world.owner, date, bulk: own.next() < 0.5 }),
          ["From", `${shop.name} <${shop.email}>`],
          ["Reply-To", `No Reply <noreply@${shop.email.split("@")[1]}>`],
          ["To", addressOf(world.owner)],
          ["Subject", subject],
          ["Date", mailDate(date)],
          ["Message-ID", messageIdOf(own.fork("id"), shop.email)],
          ["X-Auto-Response-Suppress", "All"],
          ["Auto-Submitted", "auto-generated"],
        ];
        const body: WritePart = {
          kind: "container",
          subtype: "alternative",
          boundary: `----=_Part_${own.int(1000, 99999)}_${own.hex(12)}`,
          parts: [
            { kind: "text", subtype: "plain", charset: "UTF-8", encoding: "base64", text },
            { kind: "text", subtype: "html", charset: "UTF-8", encoding: "base64", text: html },
          ],
        };
        if (own.next() >= 0.3) return writeMessage(headers, body);
        return writeMessage(headers, {
          kind: "container",
          subtype: "mixed",
          boundary: `----=_Part_${own.hex(18)}`,
          parts: [body, attachment(own.fork("file"), prose)],
        });
      },
    };
  });
}

function invitations(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`invitation ${index}`);
    const date = pastInstant(random, world.now);
    const organizer = random.pick(world.others);
    return {
      date,
      thread: `invitation ${index}`,
      labels: standing(random.fork("labels"), { mine: false, date, now: world.now, category: "CATEGORY_PERSONAL" }),
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const title = prose.subject();
        const start = date + own.int(1, 20) * DAY;
        const attendees = [world.owner, ...pickSome(own, world.others, own.int(1, 9))];
        const calendar = invitation({ random: own.fork("event"), prose, organizer, attendees, start, title });
        const text = `You have been invited to the following event.\n\n${title}\n${new Date(start).toUTCString()}\n\n${prose.paragraph(2)}\n\nAttendees:\n${attendees.map((person) => `  * ${person.email}`).join("\n")}\n`;
        return writeMessage([
          ...transportHeaders({ random: own.fork("transport"), from: organizer.email, to: world.owner, date }),
          ["Reply-To", addressOf(organizer)],
          ["Sender", "Example Calendar <calendar-notification@example.com>"],
          ["Message-ID", `<calendar-${own.hex(8)}-${own.hex(4)}@example.com>`],
          ["Date", mailDate(date)],
          ["Subject", `Invitation: ${title} @ ${new Date(start).toUTCString().slice(0, 16)}`],
          ["From", addressOf(organizer)],
          ["To", addressOf(world.owner)],
        ], {
          kind: "container",
          subtype: "mixed",
          boundary: `000000000000${own.hex(16)}`,
          parts: [
            {
              kind: "container",
              subtype: "alternative",
              boundary: `000000000000${own.hex(16)}`,
              parts: [
                { kind: "text", subtype: "plain", charset: "UTF-8", encoding: "base64", text },
                { kind: "text", subtype: "html", charset: "UTF-8", encoding: "quoted-printable", text: letterHtml(text) },
                { kind: "text", subtype: "calendar", charset: "UTF-8", encoding: "7bit", parameters: "; method=REQUEST", text: calendar },
              ],
            },
            { kind: "file", contentType: "application/ics", fileName: "invite.ics", bytes: new TextEncoder().encode(calendar) },
          ],
        });
      },
    };
  });
}

function junk(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`junk ${index}`);
    const date = pastInstant(random, world.now);
    const spam = index % 2 === 0;
    return {
      date,
      thread: `junk ${index}`,
      labels: spam ? ["SPAM", "UNREAD"] : ["TRASH", "CATEGORY_UPDATES"],
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const from = `winner-${own.hex(6)}@bulk.test`;
        return writeMessage([
          ...transportHeaders({ random: own.fork("transport"), from, to: world.owner, date, bulk: true }),
          ["From", `"${prose.noun().toUpperCase()}!!" <${from}>`],
          ["To", world.owner.email],
          ["Subject", spam ? `RE: RE: ${prose.noun()} 💰💰 claim #${own.int(1000, 9999)}` : prose.subject()],
          ["Date", mailDate(date)],
          ["Message-ID", messageIdOf(own, from)],
        ], { kind: "text", subtype: "plain", charset: "utf-8", encoding: "7bit", text: `${prose.paragraph(own.int(2, 9))}\n` });
      },
    };
  });
}

function drafts(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`draft ${index}`);
    const date = pastInstant(random, world.now);
    return {
      date,
      thread: `draft ${index}`,
      labels: ["DRAFT"],
      draft: true,
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const to = own.pick(world.others);
        return writeMessage([
          ["Date", mailDate(date, 2)],
          ["Message-ID", messageIdOf(own, world.owner.email)],
          ["Subject", index === 0 ? "" : prose.subject()],
          ["From", addressOf(world.owner)],
          ...(index === 1 ? [] : [["To", addressOf(to)] as const]),
        ], {
          kind: "text",
          subtype: "plain",
          charset: "UTF-8",
          encoding: "quoted-printable",
          text: letterText({ random: own.fork("text"), prose, from: world.owner, to, scale: 1 }),
        });
      },
    };
  });
}

function pickSome<T>(random: SeededRandom, items: readonly T[], count: number): T[] {
  const left = [...items];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(random.int(0, left.length - 1), 1)[0] as T,
  );
}
