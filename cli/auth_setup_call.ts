/** The call that a set-up ends with, and whether the APIs behind a sign-in are enabled (spec 11 §10). */

import type { CatalogSnapshot, Op, Variant } from "../lib/catalog/types.ts";
import { findGumError, type GumError } from "../lib/errors/mod.ts";
import { visibleText } from "../lib/format/text/mod.ts";
import type { JsonObject } from "../lib/json/mod.ts";
import type { Session } from "../lib/session/types.ts";
import { confirmed } from "./auth_setup_walk.ts";
import { sessionOptions } from "./session.ts";
import type { CommandContext } from "./types.ts";

/** Arguments that anybody can give. */
const USUAL: Readonly<Record<string, string>> = {
  userId: "me",
  calendarId: "primary",
  customer: "my_customer",
  tasklist: "@default",
};

/** Reads of the core services that need nothing but the account. */
const LOOKS: readonly string[] = [
  "gmail.users.labels.list",
  "calendar.calendarList.list",
  "drive.about.get",
  "tasks.tasklists.list",
  "searchconsole.sites.list",
];

/** Most times that a person enables an API and has the call repeated. */
const MOST_TRIES = 5;

interface ReadyCall {
  opId: string;
  args: JsonObject;
}

/** Makes the call; true when it worked. What is in the way is said, with its link. */
export async function closingCall(
  context: CommandContext,
  given: { op: Op; variant: Variant; catalog: CatalogSnapshot; general: boolean },
): Promise<boolean> {
  const call = harmlessCall(given);
  if (call === undefined) return true;
  const options = sessionOptions(context);
  // Without the cache on disk: what worked yesterday proves nothing about now.
  const directories = { ...options.directories, cache: undefined };
  const session = await context.host.factories.openSession({ ...options, directories });
  try {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const refusal = await attempt(session, call, context);
      if (refusal === undefined) {
        const account = await session.address?.();
        say(context, `${call.opId} works${account === undefined ? "" : ` as ${account}`}.`);
        if (given.general) await lookAtOthers(session, { except: call.opId, context });
        return true;
      }
      tell(context, { opId: call.opId, refusal });
      if (!isDisabled(refusal)) return false;
      if (!await confirmed(context, "Enabled it? Try again?")) return false;
    }
    return false;
  } finally {
    await session.close();
  }
}

/** The operation itself if it only reads and asks for nothing, else such a read of its service. */
function harmlessCall(
  { op, variant, catalog }: { op: Op; variant: Variant; catalog: CatalogSnapshot },
): ReadyCall | undefined {
  const own = readyCall(op, variant);
  if (own !== undefined) return own;
  const covered = new Set(variant.scopes ?? []);
  for (const opId of LOOKS) {
    const other = catalog.findOp(opId);
    const chosen = other?.variants.find((one) => one.variant_id === other.default_variant_id);
    if (other === undefined || chosen === undefined || other.service !== op.service) continue;
    if ((chosen.scopes ?? []).every((scope) => covered.has(scope))) return readyCall(other, chosen);
  }
  return undefined;
}

function readyCall(op: Op, variant: Variant): ReadyCall | undefined {
  if (variant.risk_class !== "read") return undefined;
  const args: JsonObject = {};
  const required = [
    ...(op.params_required ?? []).map(([name]) => name),
    ...(op.request_fields ?? []).filter((field) => field.required).map(({ name }) => name),
  ];
  for (const name of required) {
    const value = USUAL[name];
    if (value === undefined) return undefined;
    args[name] = value;
  }
  return { opId: op.op_id, args };
}

async function attempt(
  session: Session,
  call: ReadyCall,
  { signal }: CommandContext,
): Promise<GumError | undefined> {
  try {
    await session.kernel.dispatch({ ...call, caller: "cli" }, signal);
    return undefined;
  } catch (error) {
    const known = findGumError(error);
    if (known === undefined) throw error;
    return known;
  }
}

/** One look at each core service that the sign-in covers. */
async function lookAtOthers(
  session: Session,
  { except, context }: { except: string; context: CommandContext },
): Promise<void> {
  for (const opId of LOOKS) {
    const op = session.catalog.findOp(opId);
    const variant = op?.variants.find((one) => one.variant_id === op.default_variant_id);
    if (opId === except || op === undefined || variant === undefined) continue;
    const call = readyCall(op, variant);
    if (call === undefined) continue;
    const refusal = await attempt(session, call, context);
    if (refusal === undefined) say(context, `${op.service}: enabled.`);
    // A service that nobody signed in for is none of this set-up's business.
    else if (isDisabled(refusal)) tell(context, { opId, refusal });
  }
}

function isDisabled({ details }: GumError): boolean {
  return Array.isArray(details.missing_components) &&
    details.missing_components.includes("api_enabled_project");
}

function tell(
  context: CommandContext,
  { opId, refusal }: { opId: string; refusal: GumError },
): void {
  const { help_url: link, project, service } = refusal.details;
  const place = [
    typeof service === "string" ? service : undefined,
    typeof project === "string" ? `project ${project}` : undefined,
  ].filter((part) => part !== undefined).join(", ");
  say(
    context,
    `${opId} does not work yet: ${refusal.userMessage}${place === "" ? "" : ` (${place})`}`,
  );
  if (typeof link === "string") say(context, `  ${link}`);
}

function say({ host }: CommandContext, text: string): void {
  host.stderr.write(visibleText(text) + "\n");
}
