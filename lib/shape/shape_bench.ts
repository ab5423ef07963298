/** Shaping a list to TOON: 25 ms for 1 MB is the budget of spec 00 §8, and time grows with size. */

import { shapeBody } from "./mod.ts";

function mailList(bytes: number): Uint8Array {
  const rows: unknown[] = [];
  for (let size = 0, index = 0; size < bytes; index++) {
    const row = {
      id: (0x18abc0000000 + index).toString(16),
      threadId: (0x18abc0000000 + (index >> 2)).toString(16),
      labelIds: ["INBOX", "CATEGORY_UPDATES"],
      snippet:
        `Message ${index}: the quarterly report, "final", is attached, see below for details`,
      historyId: String(1_000_000 + index),
      internalDate: String(1_716_000_000_000 + index * 1_000),
      sizeEstimate: 10_000 + index % 5_000,
    };
    size += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  return new TextEncoder().encode(
    JSON.stringify({ messages: rows, nextPageToken: "tok", resultSizeEstimate: rows.length }),
  );
}

const PROFILE = {
  name: "bench",
  keep_fields: [
    "nextPageToken",
    "messages.id",
    "messages.threadId",
    "messages.snippet",
    "messages.labelIds",
  ],
  truncate_strings: { default_chars: 500, fields: { snippet: 60 } },
};

for (const megabytes of [1, 2, 5, 10, 20, 50]) {
  const body = mailList(megabytes * 1_000_000);
  const request = { body, opId: "gmail.users.messages.list", variantId: "v" };
  Deno.bench(`${megabytes} MB list to TOON, no profile`, { group: "toon" }, () => {
    shapeBody(request);
  });
  Deno.bench(`${megabytes} MB list to TOON, fields kept and strings cut`, { group: "toon" }, () => {
    shapeBody({ ...request, profile: PROFILE });
  });
  Deno.bench(`${megabytes} MB list to JSON`, { group: "json" }, () => {
    shapeBody({ ...request, userFormat: "json" });
  });
}

const withBigIntegers = new TextEncoder().encode(
  new TextDecoder().decode(mailList(1_000_000)).replaceAll(
    '"sizeEstimate":',
    '"sizeEstimate":90000000000000',
  ),
);
Deno.bench("1 MB list to TOON, an integer beyond 2^53 in every row", { group: "big" }, () => {
  shapeBody({ body: withBigIntegers, opId: "gmail.users.messages.list", variantId: "v" });
});
