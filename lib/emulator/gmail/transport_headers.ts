/** The lines that mail servers stack on top of a message: the bulk of a real header block. */

import type { Person, SeededRandom } from "../service.ts";
import type { HeaderLine } from "./mime_write.ts";

/** What the lines are about. */
export interface TransportFacts {
  random: SeededRandom;
  from: string;
  to: Person;
  date: number;
  /** Bulk mail carries more of them. */
  bulk?: boolean;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Text that looks like base64. */
export function noise(random: SeededRandom, length: number): string {
  let text = "";
  while (text.length < length) text += ALPHABET[random.int(0, 63)];
  return text;
}

/** A date as mail headers write it. */
export function mailDate(milliseconds: number, zoneHours = 0): string {
  const local = new Date(milliseconds + zoneHours * 3_600_000).toUTCString().replace(" GMT", "");
  const sign = zoneHours < 0 ? "-" : "+";
  return `${local} ${sign}${String(Math.abs(zoneHours)).padStart(2, "0")}00`;
}

/** Header lines of a message that came over the network, newest hop first. */
export function transportHeaders(facts: TransportFacts): HeaderLine[] {
  const { random, from, to, date } = facts;
  const domain = from.slice(from.indexOf("@") + 1);
  const ipv6 = () => `2001:db8:${random.hex(4)}:${random.hex(3)}::${random.hex(3)}`;
  const queue = () =>
    `${random.hex(10)}-${random.hex(12)}si${random.int(1000000, 99999999)}${random.hex(3)}.${
      random.int(10, 599)
    }.2026.0${random.int(2, 5)}.${random.int(10, 28)}.0${random.int(0, 9)}`;
  const stamp = (lag: number) => `${mailDate(date + lag * 1000, -7)} (PDT)`;
  const source = `198.51.100.${random.int(2, 250)}`;
  const results =
    `mx.example.com; dkim=pass header.i=@${domain} header.s=${
      random.pick(["s1", "mail2025", "k3", "selector1"])
    } header.b="${
      noise(random, 8)
    }"; spf=pass (example.com: domain of ${from} designates ${source} ` +
    `as permitted sender) smtp.mailfrom="${from}"; dmarc=pass (p=${
      random.pick(["NONE", "QUARANTINE", "REJECT"])
    } sp=NONE dis=NONE) header.from=${domain}`;
  const signature = noise(random, facts.bulk ? 344 : 172);
  const bodyHash = `${noise(random, 43)}=`;
  const epoch = Math.floor(date / 1000);
  const lines: HeaderLine[] = [
    ["Delivered-To", to.email],
    [
      "Received",
      `by ${ipv6()} with SMTP id ${noise(random, 10)}csp${random.int(100000, 9999999)}${
        random.hex(3)
      }; ${stamp(2)}`,
    ],
    ["X-Google-Smtp-Source", `AGHT+I${noise(random, 64)}`],
    ["X-Received", `by ${ipv6()} with SMTP id ${queue()}; ${stamp(2)}`],
    [
      "ARC-Seal",
      `i=1; a=rsa-sha256; t=${epoch}; cv=none; d=example.com; s=arc-20240605; b=${
        noise(random, 342)
      }==`,
    ],
    [
      "ARC-Message-Signature",
      `i=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=arc-20240605; h=to:subject:message-id:date:from:mime-version:dkim-signature; bh=${bodyHash}; fh=${
        noise(random, 43)
      }=; b=${noise(random, 342)}==; dara=example.com`,
    ],
    ["ARC-Authentication-Results", `i=1; ${results}`],
    ["Return-Path", `<${from}>`],
    [
      "Received",
      `from mail-${random.pick(["sor", "yw1", "lf1", "ed1"])}-f${
        random.int(20, 99)
      }.${domain} (mail.${domain}. [${source}]) by mx.example.com with SMTPS id ${queue()} for <${to.email}> (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256); ${
        stamp(1)
      }`,
    ],
    [
      "Received-SPF",
      `pass (example.com: domain of ${from} designates ${source} as permitted sender) client-ip=${source};`,
    ],
    ["Authentication-Results", results],
    [
      "DKIM-Signature",
      `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=mail2025; t=${epoch}; x=${
        epoch + 604800
      }; h=to:subject:message-id:date:from:mime-version:from:to:cc:subject:date:message-id:reply-to; bh=${bodyHash}; b=${signature}==`,
    ],
  ];
  if (facts.bulk) {
    lines.push([
      "Received",
      `by filter-${random.hex(8)}-${random.hex(5)} with SMTP id filter-${random.hex(8)} ${
        new Date(date - 4000).toISOString()
      }; ${mailDate(date - 4000)}`,
    ]);
    lines.push(["X-Entity-ID", `u001.${noise(random, 22)}==`]);
  } else {
    lines.push(
      [
        "X-Google-DKIM-Signature",
        `v=1; a=rsa-sha256; c=relaxed/relaxed; d=1e100.example; s=20240116; t=${epoch}; x=${
          epoch + 604800
        }; h=to:subject:message-id:date:from:mime-version:x-gm-message-state; bh=${bodyHash}; b=${
          noise(random, 342)
        }==`,
      ],
      ["X-Gm-Message-State", `AOJu0Y${noise(random, 150)}`],
      ["X-Gm-Gg", `ASbGnc${noise(random, 120)}`],
      ["X-Received", `by ${ipv6()} with SMTP id ${queue()}; ${stamp(0)}`],
    );
  }
  return lines;
}

/** A message id at the sender's domain. */
export function messageIdOf(random: SeededRandom, from: string): string {
  const domain = from.slice(from.indexOf("@") + 1);
  return random.next() < 0.6
    ? `<CA${noise(random, 42).replace(/[+/]/g, "_")}@mail.${domain}>`
    : `<${random.hex(8)}-${random.hex(4)}-${random.hex(4)}-${random.hex(12)}@${domain}>`;
}

/** `Name <address>`, quoted where the name needs it. */
export function addressOf(person: Person): string {
  // deno-lint-ignore no-control-regex -- the test is for ASCII itself
  const ascii = /^[\x00-\x7f]*$/.test(person.displayName);
  const name = ascii && /[^A-Za-z0-9 ]/.test(person.displayName)
    ? `"${person.displayName}"`
    : person.displayName;
  return `${name} <${person.email}>`;
}
