/**
 * Mail in plain fields (spec 11 §3): recipients, subject, text and attachments become one RFC 5322
 * message, whatever surface the call came from. The layer sits around the kernel, so a confirmation
 * binds the bytes that will be sent and shows them readably.
 *
 * ```ts ignore
 * const kernel = withMailComposition(createKernel(deps), { catalog });
 * await kernel.dispatch({
 *   opId: "gmail.users.messages.send",
 *   args: { to: "ann@example.com", subject: "Lunch?", text: "At noon." },
 *   allowWrite: true,
 * });
 * ```
 *
 * @module
 */
export { isMailOperation, MAIL_FIELDS, type MailField } from "./operations.ts";
export { type MailCompositionOptions, withMailComposition } from "./composition.ts";
