/** Test only: what the official conformance suite expects a server to offer, laid over GUM's own. */

import { createRequestStateCodec, inputRequired, type Server } from "@modelcontextprotocol/server";
import type { JsonObject } from "../../lib/json/mod.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/** Signs what travels through the client between two rounds. */
const stateCodec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

// The SDK's own context; the fixtures use a handful of its members.
// deno-lint-ignore no-explicit-any -- its type is generic over every method of the protocol
type Context = any;
type Handler = (params: JsonObject, context: Context) => unknown;
type Tool = { handler: Handler; inputSchema?: JsonObject };

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const embedded = (uri: string, mimeType = "text/plain") => ({
  type: "resource",
  resource: { uri, mimeType, text: "This is an embedded resource content." },
});
const form = (message: string, properties: JsonObject) => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties, required: Object.keys(properties) },
  },
});
const sampling = (prompt: string, maxTokens = 100) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens },
});
const name = { name: { type: "string" } };
const roots = { method: "roots/list", params: {} };

const ask = (inputRequests: unknown, requestState?: string) =>
  inputRequired({ inputRequests, requestState } as never);
const mint = (payload: unknown) => stateCodec.mint(payload as never);
/** The state of the round before; a changed one is refused. */
async function stateOf(context: Context): Promise<unknown> {
  const state = context.mcpReq.requestState();
  if (state === undefined) return undefined;
  try {
    return await stateCodec.verify(state, context);
  } catch {
    throw Object.assign(new Error("Invalid requestState"), { code: -32602 });
  }
}
const responses = (context: Context): Record<string, Context> => context.mcpReq.inputResponses ?? {};
const accepted = (context: Context, key: string) =>
  responses(context)[key]?.action === "accept" ? responses(context)[key].content : undefined;

/** A question and what follows its answer. */
const asking = (key: string, request: unknown, answer: (reply: Context) => string): Handler =>
(_params, context) => {
  const reply = responses(context)[key];
  const usable = reply && (reply.content !== undefined || reply.roots !== undefined);
  return usable ? text(answer(reply)) : ask({ [key]: request });
};

const passThrough = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
const request = (context: Context, message: unknown) =>
  context.mcpReq.send(message, passThrough, { timeout: 10_000 });
const argument = (params: JsonObject, key: string) =>
  String((params.arguments as JsonObject | undefined)?.[key] ?? "");
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const elicited = async (context: Context, properties: JsonObject, message = "Please answer") => {
  const reply = await request(context, form(message, properties));
  return text(`Elicitation completed: action=${reply.action}, content=${JSON.stringify(reply.content)}`);
};

const titled = (...values: string[]) => values.map((value, at) => ({ const: value, title: `Option ${at}` }));

const TOOLS: Record<string, Tool> = {
  test_simple_text: { handler: () => text("This is a simple text response for testing.") },
  test_image_content: { handler: () => ({ content: [image] }) },
  test_audio_content: {
    handler: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: { handler: () => ({ content: [embedded("test://embedded-resource")] }) },
  test_multiple_content_types: {
    handler: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        embedded("test://mixed-content-resource", "application/json"),
      ],
    }),
  },
  test_error_handling: {
    handler: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_tool_with_progress: {
    async handler(_params, context) {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await context.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
        }
        await pause(20);
      }
      return text("done");
    },
  },
  test_sampling: {
    async handler(params, context) {
      const reply = await request(context, sampling(argument(params, "prompt")));
      return text(`LLM response: ${reply.content?.text ?? ""}`);
    },
  },
  test_elicitation: {
    async handler(params, context) {
      const reply = await request(
        context,
        form(argument(params, "message"), {
          username: { type: "string", description: "User's response" },
          email: { type: "string", description: "User's email address" },
        }),
      );
      return text(`User response: action: ${reply.action}, content: ${JSON.stringify(reply.content)}`);
    },
  },
  test_elicitation_sep1034_defaults: {
    handler: (_params, context) =>
      elicited(context, {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    handler: (_params, context) =>
      elicited(context, {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: titled("value1", "value2", "value3") },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: titled("value1", "value2", "value3") } },
      }),
  },
  json_schema_2020_12_tool: {
    handler: () => text("ok"),
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
  },
  test_logging_tool: { handler: () => text("nothing was logged") },
  test_streaming_elicitation: { handler: asking("user_name", form("What is your name?", name), String) },
  test_missing_capability: {
    handler: () => ask({ any: sampling("This needs a capability") }),
  },
  test_input_required_result_elicitation: {
    handler: (_params, context) => {
      const given = accepted(context, "user_name");
      return given?.name === undefined
        ? ask({ user_name: form("What is your name?", name) })
        : text(`Hello, ${given.name}!`);
    },
  },
  test_input_required_result_sampling: {
    handler: asking(
      "capital_question",
      sampling("What is the capital of France?"),
      (reply) => String(reply.content?.text ?? reply.content?.[0]?.text),
    ),
  },
  test_input_required_result_list_roots: {
    handler: asking("client_roots", roots, (reply) => JSON.stringify(reply.roots)),
  },
  test_input_required_result_request_state: {
    handler: async (_params, context) => {
      if (accepted(context, "confirm") && await stateOf(context) !== undefined) return text("state-ok");
      return ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) }, await mint({ round: 1 }));
    },
  },
  test_input_required_result_multiple_inputs: {
    handler: async (_params, context) => {
      const given = responses(context);
      if (given.user_name && given.greeting && given.client_roots) return text("all inputs received");
      return ask({
        user_name: form("What is your name?", name),
        greeting: sampling("Generate a greeting", 50),
        client_roots: roots,
      }, await mint({ round: 1 }));
    },
  },
  test_input_required_result_multi_round: {
    handler: async (_params, context) => {
      if (accepted(context, "step2")) return text("both answered");
      if (accepted(context, "step1")) {
        return ask(
          { step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) },
          await mint({ round: 2 }),
        );
      }
      return ask({ step1: form("Step 1: What is your name?", name) }, await mint({ round: 1 }));
    },
  },
  test_input_required_result_tampered_state: {
    handler: async (_params, context) =>
      await stateOf(context) !== undefined && accepted(context, "confirm")
        ? text("state-ok")
        : ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) }, await mint({ round: 1 })),
  },
  test_input_required_result_capabilities: {
    handler: (_params, context) => {
      const declared = context.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
      const requests: Record<string, unknown> = {};
      if (declared.sampling) requests.question = sampling("Anything");
      if (declared.elicitation) requests.user_name = form("What is your name?", name);
      return Object.keys(requests).length === 0 ? text("nothing to ask") : ask(requests);
    },
  },
};

const message = (...content: unknown[]) => ({
  messages: content.map((part) => ({ role: "user", content: part })),
});

const PROMPTS: Record<string, { handler: Handler; arguments?: JsonObject[] }> = {
  test_simple_prompt: {
    handler: () => message({ type: "text", text: "This is a simple prompt for testing." }),
  },
  test_prompt_with_arguments: {
    arguments: [{ name: "arg1", required: true }, { name: "arg2", required: true }],
    handler: (params) =>
      message({
        type: "text",
        text: `Prompt with arguments: arg1='${argument(params, "arg1")}', arg2='${argument(params, "arg2")}'`,
      }),
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: "resourceUri", required: true }],
    handler: (params) =>
      message(embedded(argument(params, "resourceUri")), {
        type: "text",
        text: "Please process the embedded resource above.",
      }),
  },
  test_prompt_with_image: {
    handler: () => message(image, { type: "text", text: "Please analyze the image above." }),
  },
  test_input_required_result_prompt: {
    handler: (_params, context) => {
      const given = accepted(context, "user_context");
      return given === undefined
        ? ask({ user_context: form("What context should the prompt use?", { context: { type: "string" } }) })
        : message({ type: "text", text: `Context: ${given.context}` });
    },
  },
};

const RESOURCES: Record<string, JsonObject> = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PIXEL },
};

/** Lays the fixtures over a server of GUM's factory; everything else stays GUM's. */
export function withFixtures(server: Server): Server {
  const inner = server as unknown as {
    _requestHandlers: Map<string, (request: JsonObject, context: Context) => unknown>;
    setRequestHandler(method: string, schemas: unknown, handler: Handler): void;
  };
  const overlay = (method: string, handler: (own: () => unknown, params: JsonObject, context: Context) => unknown) => {
    const own = inner._requestHandlers.get(method);
    if (own === undefined) throw new Error(`${method} is not handled`);
    inner.setRequestHandler(method, { params: passThrough }, (params, context) =>
      handler(() => own({ jsonrpc: "2.0", id: context.mcpReq.id, method, params } as never, context), params, context));
  };
  const listed = (key: string, more: JsonObject[]) => async (own: () => unknown) => {
    const result = await own() as JsonObject;
    return { ...result, [key]: [...result[key] as JsonObject[], ...more] };
  };
  overlay("tools/list", listed("tools", Object.entries(TOOLS).map(([tool, { inputSchema }]) => ({
    name: tool,
    description: "A fixture.",
    inputSchema: inputSchema ?? { type: "object", properties: {} },
  }))));
  overlay("tools/call", (own, params, context) => {
    const tool = TOOLS[String(params.name)];
    return tool === undefined ? own() : tool.handler(params, context);
  });
  overlay("prompts/list", listed("prompts", Object.entries(PROMPTS).map(([prompt, fixture]) => ({
    name: prompt,
    description: "A fixture.",
    ...(fixture.arguments === undefined ? {} : { arguments: fixture.arguments }),
  }))));
  overlay("prompts/get", (own, params, context) => {
    const prompt = PROMPTS[String(params.name)];
    return prompt === undefined ? own() : prompt.handler(params, context);
  });
  overlay("resources/list", listed("resources", Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
    uri,
    name: uri,
    mimeType: mimeType ?? "",
  }))));
  overlay("resources/templates/list", listed("resourceTemplates", [{
    uriTemplate: "test://template/{id}/data",
    name: "template",
    mimeType: "application/json",
  }]));
  overlay("resources/read", (own, params) => {
    const uri = String(params.uri);
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
    }
    const resource = RESOURCES[uri];
    return resource === undefined ? own() : { contents: [{ uri, ...resource }] };
  });
  overlay("completion/complete", (own, params) => {
    const reference = params.ref as JsonObject | undefined;
    const fixture = String(reference?.name ?? reference?.uri ?? "");
    return fixture.startsWith("test") ? { completion: { values: [], total: 0, hasMore: false } } : own();
  });
  return server;
}
