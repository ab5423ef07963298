/** Bulk mail: newsletters, receipts and notifications as HTML with inline style and tracking links. */

import type { SeededRandom } from "../service.ts";
import { noise } from "./transport_headers.ts";
import { capital, type Prose } from "../prose.ts";

/** A sender of bulk mail. */
export interface Publication {
  name: string;
  email: string;
  accent: string;
  font: string;
}

/** Everyone who sends bulk mail into the world. */
export const PUBLICATIONS: readonly Publication[] = [
  {
    name: "The Tideline",
    email: "letters@tideline.example.org",
    accent: "#0b6e7f",
    font: "Georgia, serif",
  },
  {
    name: "Ledger & Latch",
    email: "news@ledgerlatch.example.com",
    accent: "#5b2a86",
    font: "Helvetica, Arial, sans-serif",
  },
  {
    name: "Köchin & Koch",
    email: "post@koechin-koch.example.net",
    accent: "#b3541e",
    font: "'Segoe UI', sans-serif",
  },
  {
    name: "Branchline Weekly",
    email: "weekly@branchline.example.org",
    accent: "#27496d",
    font: "Verdana, sans-serif",
  },
  {
    name: "Dév'Mag",
    email: "bonjour@devmag.example.com",
    accent: "#1b7f3b",
    font: "Tahoma, sans-serif",
  },
  {
    name: "みなと通信",
    email: "info@minato.example.net",
    accent: "#a4161a",
    font: "'Hiragino Sans', sans-serif",
  },
];

/** Everyone who sends receipts. */
export const SHOPS: readonly Publication[] = [
  {
    name: "Quayside Hardware",
    email: "orders@quayside.example.com",
    accent: "#333333",
    font: "Arial, sans-serif",
  },
  {
    name: "Northline Rail",
    email: "tickets@northline.example.org",
    accent: "#004f9f",
    font: "Arial, sans-serif",
  },
  {
    name: "Papeterie Émile",
    email: "commande@papeterie-emile.example.net",
    accent: "#7a3b69",
    font: "Georgia, serif",
  },
  {
    name: "Loam & Seed",
    email: "hello@loamseed.example.com",
    accent: "#386641",
    font: "Verdana, sans-serif",
  },
  {
    name: "Cloudbin Hosting",
    email: "billing@cloudbin.example.net",
    accent: "#006d77",
    font: "Helvetica, sans-serif",
  },
];

function tracked(random: SeededRandom, publication: Publication): string {
  const domain = publication.email.slice(publication.email.indexOf("@") + 1);
  return `https://click.${domain}/ls/click?upn=${
    encodeURIComponent(noise(random, random.int(90, 260)))
  }&amp;e=${random.hex(12)}`;
}

/** Plain and HTML bodies of a newsletter with `sections` articles. */
export function newsletterBody(
  input: {
    random: SeededRandom;
    prose: Prose;
    publication: Publication;
    sections: number;
    title: string;
  },
): { text: string; html: string } {
  const { random, prose, publication, sections, title } = input;
  const link = () => tracked(random, publication);
  const articles = Array.from({ length: sections }, () => ({
    heading: prose.subject(),
    lead: prose.paragraph(random.int(1, 3)),
    more: random.next() < 0.35 ? prose.foreign() : prose.paragraph(random.int(1, 6)),
    url: link(),
  }));
  const rows = articles.map((article, index) =>
    `<tr><td style="padding:${
      random.int(12, 28)
    }px 24px;border-bottom:1px solid #e6e6e6;font-family:${publication.font};">
  <a href="${article.url}" style="color:${publication.accent};text-decoration:none;"><img src="https://img.${
      publication.email.split("@")[1]
    }/${random.hex(16)}/${random.int(240, 1200)}x${random.int(120, 700)}.jpg" width="${
      random.int(220, 560)
    }" alt="${escapeHtml(article.heading)}" style="display:block;border:0;max-width:100%;"></a>
  <h${index === 0 ? 2 : 3} style="margin:14px 0 6px;font-size:${
      index === 0 ? 24 : 18
    }px;line-height:1.3;color:#222222;">${escapeHtml(article.heading)}</h${index === 0 ? 2 : 3}>
  <p style="margin:0 0 10px;font-size:15px;line-height:1.55;color:#444444;">${
      escapeHtml(article.lead)
    }</p>
  <p style="margin:0 0 10px;font-size:15px;line-height:1.55;color:#444444;">${
      escapeHtml(article.more)
    }</p>
  <table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="background:${publication.accent};border-radius:${
      random.int(2, 8)
    }px;"><a href="${link()}" style="display:inline-block;padding:10px 18px;color:#ffffff;font-size:14px;text-decoration:none;">${
      random.pick([
        "Read on",
        "Weiterlesen",
        "Lire la suite",
        "Leer más",
        "続きを読む",
        "Open the story",
      ])
    }</a></td></tr></table>
</td></tr>`
  );
  const html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style type="text/css">body{margin:0;padding:0;background:#f4f4f2;-webkit-text-size-adjust:100%}
.wrap{max-width:640px;margin:0 auto;background:#ffffff}.pre{display:none!important;visibility:hidden;opacity:0;height:0;width:0}
@media only screen and (max-width:480px){.wrap{width:100%!important}td{padding-left:12px!important;padding-right:12px!important}}
@media (prefers-color-scheme:dark){.wrap{background:#1c1c1c}h2,h3{color:#f2f2f2!important}}</style></head>
<body><div class="pre">${escapeHtml(articles[0]?.lead ?? title)}${
    "&nbsp;&zwnj;".repeat(random.int(4, 40))
  }</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center">
<table role="presentation" class="wrap" width="640" cellpadding="0" cellspacing="0" border="0">
<tr><td style="padding:28px 24px;background:${publication.accent};color:#ffffff;font-family:${publication.font};font-size:26px;">${
    escapeHtml(publication.name)
  }</td></tr>
${rows.join("\n")}
<tr><td style="padding:24px;font-family:${publication.font};font-size:12px;color:#888888;">You get this because you signed up at <a href="${link()}" style="color:#888888;">our site</a>.
<a href="${link()}" style="color:#888888;">Unsubscribe</a> &middot; <a href="${link()}" style="color:#888888;">Preferences</a> &middot; ${
    random.int(1, 240)
  } Harbour Row</td></tr>
</table></td></tr></table>
<img src="https://open.${publication.email.split("@")[1]}/wf/open?upn=${
    noise(random, 180)
  }" alt="" width="1" height="1" border="0" style="height:1px!important;width:1px!important;">
</body></html>
`;
  const text = `${publication.name}\n\n${
    articles.map((article) =>
      `${article.heading.toUpperCase()}\n${article.lead}\n${article.more}\n${
        article.url.replaceAll("&amp;", "&")
      }\n`
    ).join("\n")
  }\nUnsubscribe: ${link().replaceAll("&amp;", "&")}\n`;
  return { text, html };
}

/** Body of a receipt with `lines` articles; amounts add up. */
export function receiptBody(
  input: { random: SeededRandom; prose: Prose; shop: Publication; lines: number; number: string },
): { text: string; html: string; total: string } {
  const { random, prose, shop, lines, number } = input;
  const cents = (amount: number) =>
    `€${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;
  const items = Array.from({ length: lines }, () => {
    const quantity = random.int(1, 12);
    const price = random.int(95, 24000);
    return { name: capital(prose.noun()), sku: random.hex(7).toUpperCase(), quantity, price };
  });
  const sum = items.reduce((total, item) => total + item.quantity * item.price, 0);
  const total = cents(sum);
  const rows = items.map((item) =>
    `<tr><td style="padding:6px 0;border-bottom:1px dotted #cccccc">${
      escapeHtml(item.name)
    }<br><span style="color:#999999;font-size:11px">${item.sku}</span></td><td align="right">${item.quantity}</td><td align="right">${
      cents(item.price)
    }</td><td align="right">${cents(item.price * item.quantity)}</td></tr>`
  );
  const html =
    `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body style="font-family:${shop.font};color:#222222">
<h1 style="color:${shop.accent};font-size:20px">${escapeHtml(shop.name)}</h1>
<p>${escapeHtml(prose.sentence())}</p>
<p>Order <b>${number}</b></p>
<table width="100%" cellpadding="4" cellspacing="0">${rows.join("\n")}
<tr><td colspan="3" align="right"><b>Total</b></td><td align="right"><b>${total}</b></td></tr></table>
<p style="font-size:12px;color:#777777">${escapeHtml(prose.paragraph(2))} <a href="${
      tracked(random, shop)
    }">Track the parcel</a></p>
</body></html>
`;
  const text = `${shop.name}\nOrder ${number}\n\n${
    items.map((item) =>
      `${item.quantity} x ${item.name} (${item.sku})  ${cents(item.price * item.quantity)}`
    ).join("\n")
  }\n\nTotal: ${total}\n\n${prose.paragraph(2)}\n`;
  return { text, html, total };
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
