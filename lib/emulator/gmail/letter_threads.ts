/** Threads between people: conversations and mailing lists, invitations, drafts. */

import type { Person, SeededRandom } from "../service.ts";
import { type Prose, proseOf, type Topic, TOPICS } from "../prose.ts";
import { attachment, invitation, letterHtml, letterText, longTail, quoted } from "./letters.ts";
import { type HeaderLine, writeMessage, type WritePart } from "./mime_write.ts";
import { DAY, MINUTE, pastInstant, pickSome, type Planned, standing, type World } from "./plan.ts";
import { addressOf, mailDate, messageIdOf, transportHeaders } from "./transport_headers.ts";

/** Conversations of the owner with one to three others. */
export function conversations(world: World, count: number): Planned[] {
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

/** Threads on mailing lists. */
export function mailingLists(world: World, count: number): Planned[] {
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
    const labels = [
      ...thread.labels,
      ...standing(own.fork("labels"), { mine, date, now: world.now, category: thread.category }),
    ];
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
    ? [[
      "Received",
      `from desk.example.com by smtp.example.com with ESMTPSA id ${random.hex(14)}; ${
        mailDate(date, 2)
      }`,
    ]]
    : transportHeaders({
      random: random.fork("transport"),
      from: from.email,
      to: world.owner,
      date,
    });
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
    ? {
      text: history.slice(-3).map((item) => item.text()).reverse().join("\n"),
      from: previous.from,
      date: previous.date,
    }
    : undefined;
  const text = quote ? `${ownText}${quoted(quote.text, quote.from, quote.date)}` : ownText;
  const plain: WritePart = {
    kind: "text",
    subtype: "plain",
    charset: "UTF-8",
    encoding: "quoted-printable",
    text,
  };
  const html: WritePart = {
    kind: "text",
    subtype: "html",
    charset: "UTF-8",
    encoding: "quoted-printable",
    text: letterHtml(ownText, quote),
  };
  const body: WritePart = random.next() < 0.25 ? plain : {
    kind: "container",
    subtype: "alternative",
    boundary: `000000000000${random.hex(16)}`,
    parts: [plain, html],
  };
  if (random.next() >= 0.22) return writeMessage(headers, body);
  const files = Array.from(
    { length: random.int(1, 3) },
    (_, index) => attachment(random.fork(`file ${index}`), input.prose),
  );
  return writeMessage(headers, {
    kind: "container",
    subtype: "mixed",
    boundary: `000000000000${random.hex(16)}`,
    parts: [body, ...files],
  });
}

/** Calendar invitations. */
export function invitations(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`invitation ${index}`);
    const date = pastInstant(random, world.now);
    const organizer = random.pick(world.others);
    return {
      date,
      thread: `invitation ${index}`,
      labels: standing(random.fork("labels"), {
        mine: false,
        date,
        now: world.now,
        category: "CATEGORY_PERSONAL",
      }),
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const title = prose.subject();
        const start = date + own.int(1, 20) * DAY;
        const attendees = [world.owner, ...pickSome(own, world.others, own.int(1, 9))];
        const calendar = invitation({
          random: own.fork("event"),
          prose,
          organizer,
          attendees,
          start,
          title,
        });
        const text = `You have been invited to the following event.\n\n${title}\n${
          new Date(start).toUTCString()
        }\n\n${prose.paragraph(2)}\n\nAttendees:\n${
          attendees.map((person) => `  * ${person.email}`).join("\n")
        }\n`;
        return writeMessage([
          ...transportHeaders({
            random: own.fork("transport"),
            from: organizer.email,
            to: world.owner,
            date,
          }),
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
                {
                  kind: "text",
                  subtype: "html",
                  charset: "UTF-8",
                  encoding: "quoted-printable",
                  text: letterHtml(text),
                },
                {
                  kind: "text",
                  subtype: "calendar",
                  charset: "UTF-8",
                  encoding: "7bit",
                  parameters: "; method=REQUEST",
                  text: calendar,
                },
              ],
            },
            {
              kind: "file",
              contentType: "application/ics",
              fileName: "invite.ics",
              bytes: new TextEncoder().encode(calendar),
            },
          ],
        });
      },
    };
  });
}

/** Unsent drafts. */
export function drafts(world: World, count: number): Planned[] {
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
