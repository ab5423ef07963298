/** The consent page: an account chooser and the asked scopes, as plain links. */

import type { EmulatedAccount } from "./credentials.ts";

/** HTML of the page; every link repeats the request with a decision. */
export function consentPage(
  input: {
    query: URLSearchParams;
    scopes: readonly string[];
    accounts: readonly EmulatedAccount[];
  },
): string {
  const { query, scopes, accounts } = input;
  const link = (changes: Record<string, string>) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) next.set(name, value);
    return `?${next}`.replaceAll("&", "&amp;");
  };
  const rows = accounts.map(({ person }) =>
    `<li><a href="${link({ gum_decision: "allow", gum_account: person.email })}">Continue as ${
      escape(person.displayName)
    } (${escape(person.email)})</a></li>`
  );
  const asked = scopes.map((scope) => `<li><code>${escape(scope)}</code></li>`);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Emulated sign-in</title></head>
<body><h1>Emulated sign-in</h1>
<p>${escape(query.get("client_id") ?? "")} asks for:</p>
<ul>${asked.join("")}</ul>
<p>Choose an account. Nothing here is real.</p>
<ul>${rows.join("")}</ul>
<p><a href="${link({ gum_decision: "deny" })}">Cancel</a></p>
</body></html>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
