/** Mail from machines: newsletters, receipts, junk. */

import { proseOf, TOPICS } from "../prose.ts";
import { attachment, longTail } from "./letters.ts";
import { type HeaderLine, writeMessage, type WritePart } from "./mime_write.ts";
import { newsletterBody, PUBLICATIONS, receiptBody, SHOPS } from "./newsletters.ts";
import { pastInstant, type Planned, standing, type World } from "./plan.ts";
import { addressOf, mailDate, messageIdOf, transportHeaders } from "./transport_headers.ts";

/** Newsletters. */
export function newsletters(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`newsletter ${index}`);
    const date = pastInstant(random, world.now);
    const publication = random.pick(PUBLICATIONS);
    const labels = standing(random.fork("labels"), {
      mine: false,
      date,
      now: world.now,
      category: "CATEGORY_PROMOTIONS",
    });
    if (random.next() < 0.1) labels.push(world.labelIds[3] as string);
    return {
      date,
      thread: `newsletter ${index}`,
      labels,
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const title = own.next() < 0.2
          ? prose.foreign()
          : `${prose.subject()} | ${publication.name} #${own.int(12, 900)}`;
        const { text, html } = newsletterBody({
          random: own.fork("body"),
          prose,
          publication,
          title,
          sections: Math.min(16, longTail(own.fork("size"), 3)),
        });
        const domain = publication.email.split("@")[1];
        const headers: HeaderLine[] = [
          ...transportHeaders({
            random: own.fork("transport"),
            from: publication.email,
            to: world.owner,
            date,
            bulk: true,
          }),
          ["Content-Language", "en"],
          ["Date", mailDate(date)],
          ["From", `${publication.name} <${publication.email}>`],
          ["Message-ID", messageIdOf(own.fork("id"), publication.email)],
          ["Subject", title],
          ["To", world.owner.email],
          [
            "List-Unsubscribe",
            `<https://${domain}/u/${own.hex(40)}>, <mailto:unsubscribe-${own.hex(20)}@${domain}>`,
          ],
          ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
          ["Feedback-ID", `${own.int(10000, 9999999)}:${own.hex(8)}:newsletter`],
          ["Precedence", "bulk"],
        ];
        const htmlPart: WritePart = {
          kind: "text",
          subtype: "html",
          charset: "utf-8",
          encoding: "quoted-printable",
          text: html,
        };
        return writeMessage(
          headers,
          own.next() < 0.3 ? htmlPart : {
            kind: "container",
            subtype: "alternative",
            boundary: `${own.hex(24)}`,
            parts: [{
              kind: "text",
              subtype: "plain",
              charset: "utf-8",
              encoding: "quoted-printable",
              text,
            }, htmlPart],
          },
        );
      },
    };
  });
}

/** Receipts. */
export function receipts(world: World, count: number): Planned[] {
  return Array.from({ length: count }, (_, index): Planned => {
    const random = world.random.fork(`receipt ${index}`);
    const date = pastInstant(random, world.now);
    const shop = random.pick(SHOPS);
    const labels = standing(random.fork("labels"), {
      mine: false,
      date,
      now: world.now,
      category: "CATEGORY_UPDATES",
    });
    if (random.next() < 0.7) labels.push(world.labelIds[0] as string);
    return {
      date,
      thread: `receipt ${index}`,
      labels,
      raw: () => {
        const own = random.fork("write");
        const prose = proseOf(own.fork("prose"), own.pick(TOPICS));
        const number = `${own.hex(3).toUpperCase()}-${own.int(100000, 99999999)}`;
        const { text, html, total } = receiptBody({
          random: own.fork("body"),
          prose,
          shop,
          lines: Math.min(30, longTail(own.fork("size"), 3)),
          number,
        });
        const subject = own.pick([
          `Your order ${number}`,
          `Receipt: ${total} at ${shop.name}`,
          `"${shop.name}" confirms ${number}, paid`,
          `=${total} charged; order ${number}`,
          `Rechnung ${number} über ${total}`,
        ]);
        const headers: HeaderLine[] = [
          ...transportHeaders({
            random: own.fork("transport"),
            from: shop.email,
            to: world.owner,
            date,
            bulk: own.next() < 0.5,
          }),
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

/** Spam, and mail already in the bin. */
export function junk(world: World, count: number): Planned[] {
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
          ...transportHeaders({
            random: own.fork("transport"),
            from,
            to: world.owner,
            date,
            bulk: true,
          }),
          ["From", `"${prose.noun().toUpperCase()}!!" <${from}>`],
          ["To", world.owner.email],
          [
            "Subject",
            spam ? `RE: RE: ${prose.noun()} 💰💰 claim #${own.int(1000, 9999)}` : prose.subject(),
          ],
          ["Date", mailDate(date)],
          ["Message-ID", messageIdOf(own, from)],
        ], {
          kind: "text",
          subtype: "plain",
          charset: "utf-8",
          encoding: "7bit",
          text: `${prose.paragraph(own.int(2, 9))}\n`,
        });
      },
    };
  });
}
