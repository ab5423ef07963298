/** Operation records for tests: complete, small, and overridable key by key. */

import type { Op, Variant } from "../types.ts";

/** A read variant over HTTP, with the given keys replaced. */
export function testVariant(variantId: string, changes: Partial<Variant> = {}): Variant {
  return {
    variant_id: variantId,
    variant_schema_version: 1,
    stability: "stable",
    interface_kind: "discovery-rest",
    backend_kind: "typed-rest-sdk",
    risk_class: "read",
    auth_strategy: "byo_oauth",
    capabilities: ["json_response"],
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest.typed-rest-sdk",
      operation_key: variantId,
      http: { method: "GET", path: "https://example.googleapis.com/v1/things" },
    },
    ...changes,
  };
}

/** An operation with one read variant `<op id>` + `.v1`, with the given keys replaced. */
export function testOp(opId: string, changes: Partial<Op> = {}): Op {
  const [service = "test"] = opId.split(".");
  const variantId = `${service}.v1.rest.${opId.split(".").slice(1).join(".")}`;
  return {
    op_id: opId,
    op_schema_version: 1,
    title: opId.split(".").slice(-2).reverse().join(" "),
    summary: `Reaches ${opId}.`,
    service,
    service_family: "workspace",
    default_variant_id: variantId,
    variants: [testVariant(variantId)],
    ...changes,
  };
}

/** Gmail send, list, trash; calendar insert; Drive create. */
export const FIVE_OPS: readonly Op[] = [
  testOp("calendar.events.insert", { title: "Insert event", summary: "Creates an event." }),
  testOp("drive.files.create", { title: "Create file", summary: "Creates a file." }),
  testOp("gmail.users.messages.list", {
    title: "List messages (Gmail)",
    summary: "Lists the messages in the user's mailbox.",
  }),
  testOp("gmail.users.messages.send", {
    title: "Send message (Gmail)",
    summary: "Sends the specified message to the recipients in its headers.",
  }),
  testOp("gmail.users.messages.trash", {
    title: "Trash message (Gmail)",
    summary: "Moves the specified message to the trash.",
  }),
];

/** Titles whose words end like plurals and participles but are neither. */
export const TWO_OPS: readonly Op[] = [
  testOp("alpha.things.get", { title: "Process one setting or all settings", summary: "Alpha." }),
  testOp("beta.things.get", { title: "Access by address", summary: "Beta." }),
];
