/** A handful of operations with every shape the command line treats differently. */

import type { Op, RequestField, RiskClass, Variant } from "../../lib/catalog/types.ts";

function variant(
  id: string,
  risk: RiskClass,
  more: Partial<Variant> & { method?: "GET" | "POST" | "DELETE"; path?: string } = {},
): Variant {
  const { method = "GET", path = "https://example.googleapis.com/v1/x", ...rest } = more;
  return {
    variant_id: id,
    variant_schema_version: 1,
    stability: "stable",
    interface_kind: "rest",
    backend_kind: "discovery-rest",
    risk_class: risk,
    auth_strategy: "byo_oauth",
    scopes: [],
    capabilities: [],
    binding: {
      binding_schema_version: 1,
      adapter_key: "rest",
      operation_key: id,
      http: { method, path },
    },
    ...rest,
  };
}

function op(id: string, variants: Variant[], more: Partial<Op> = {}): Op {
  return {
    op_id: id,
    op_schema_version: 1,
    title: id,
    summary: id,
    service: id.split(".")[0] ?? "",
    service_family: id.split(".")[0] ?? "",
    default_variant_id: variants[0]?.variant_id ?? "",
    variants,
    ...more,
  };
}

const userId: RequestField = {
  name: "userId",
  location: "path",
  type: "string",
  required: true,
  host_default: "me",
  description: "Mailbox owner",
};

/** The operations, sorted by id. */
export const FIXTURE_OPS: readonly Op[] = [
  op("drive.files.delete", [
    variant("drive.v3.rest.files.delete", "destructive", {
      method: "DELETE",
      path: "https://www.googleapis.com/drive/v3/files/{fileId}",
    }),
  ], {
    summary: "Delete a file for good",
    request_fields: [
      { name: "fileId", location: "path", type: "string", required: true, description: "File id" },
    ],
  }),
  op("gmail.users.messages.list", [
    variant("gmail.v1.rest.users.messages.list", "read", {
      default_fields: "messages(id,threadId),nextPageToken,resultSizeEstimate",
      path: "https://gmail.googleapis.com/gmail/v1/users/{userId}/messages",
    }),
    variant("gmail.v1.rest.users.messages.list.old", "read", { quarantined: true }),
  ], {
    summary: "List mail messages in a mailbox",
    request_fields: [
      userId,
      { name: "q", location: "query", type: "string", description: "Search words" },
      { name: "maxResults", location: "query", type: "integer" },
      { name: "pageToken", location: "query", type: "string" },
      { name: "labelIds", location: "query", type: "array", item_type: "string" },
      { name: "includeSpamTrash", location: "query", type: "boolean", default: "false" },
      {
        name: "format",
        location: "query",
        type: "string",
        enum: ["full", "metadata", "minimal"],
      },
    ],
  }),
  op("gmail.users.messages.send", [
    variant("gmail.v1.rest.users.messages.send", "write", {
      method: "POST",
      confirmation_policy: "high_stakes_write",
    }),
  ], {
    summary: "Send an email message",
    request_fields: [
      userId,
      { name: "raw", location: "body", type: "string", required: true },
      { name: "labelIds", location: "body", type: "array", item_type: "string" },
    ],
  }),
  op("tasks.tasks.insert", [
    variant("tasks.v1.rest.tasks.insert", "write", {
      method: "POST",
      risk_override: true,
      risk_override_reason: "creates a row",
    }),
  ], {
    summary: "Create a task",
    request_fields: [
      { name: "tasklist", location: "path", type: "string", required: true },
      { name: "title", location: "body", type: "string", required: true },
      { name: "URLPath", location: "query", type: "string" },
      { name: "risk", location: "query", type: "string" },
      { name: "links", location: "body", type: "array", item_type: "object" },
      { name: "due", location: "body", type: "string", format: "date-time" },
    ],
  }),
];
