import type { JsonObject } from "../../lib/json/mod.ts";

/** Shaped results and their envelope. */
export const RESULT_DEFS: JsonObject = {
  "ExpressionMeta": {
    "type": "object",
    "required": [
      "profile",
      "op_id",
      "variant_id",
      "lossy",
      "result_count",
    ],
    "properties": {
      "profile": {
        "type": "string",
      },
      "op_id": {
        "type": "string",
      },
      "variant_id": {
        "type": [
          "string",
          "null",
        ],
      },
      "lossy": {
        "type": "boolean",
      },
      "result_count": {
        "type": "integer",
        "minimum": 0,
      },
      "omitted_count": {
        "type": "integer",
        "minimum": 0,
      },
      "on_empty_message": {
        "type": [
          "string",
          "null",
        ],
      },
      "intentional_zero_max_items": {
        "type": [
          "boolean",
          "null",
        ],
      },
      "full_result_path": {
        "type": "string",
      },
      "full_result_resource": {
        "type": "string",
        "pattern": "^gum://results/[0-9a-f]+$",
      },
      "full_result_size": {
        "type": "integer",
        "minimum": 0,
      },
      "artifact_expires_at": {
        "type": [
          "string",
          "null",
        ],
      },
      "project_root_uri": {
        "type": [
          "string",
          "null",
        ],
      },
      "_profile_resolution_warning": {
        "type": [
          "string",
          "null",
        ],
      },
      "_unsupported_capabilities": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "_validation_warnings": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "_code_output_truncated": false,
    },
    "if": {
      "properties": {
        "intentional_zero_max_items": {
          "const": true,
        },
      },
      "required": [
        "intentional_zero_max_items",
      ],
    },
    "then": {
      "properties": {
        "on_empty_message": {
          "type": "string",
        },
      },
      "required": [
        "on_empty_message",
      ],
    },
    "additionalProperties": true,
  },
  "ExpressionMetaDelta": {
    "$comment": "same property constraints as ExpressionMeta, nothing required",
    "type": "object",
    "properties": {
      "profile": {
        "type": "string",
      },
      "op_id": {
        "type": "string",
      },
      "variant_id": {
        "type": [
          "string",
          "null",
        ],
      },
      "lossy": {
        "type": "boolean",
      },
      "result_count": {
        "type": "integer",
        "minimum": 0,
      },
      "omitted_count": {
        "type": "integer",
        "minimum": 0,
      },
      "on_empty_message": {
        "type": [
          "string",
          "null",
        ],
      },
      "intentional_zero_max_items": {
        "type": [
          "boolean",
          "null",
        ],
      },
      "full_result_path": {
        "type": "string",
      },
      "full_result_resource": {
        "type": "string",
      },
      "full_result_size": {
        "type": "integer",
        "minimum": 0,
      },
      "artifact_expires_at": {
        "type": [
          "string",
          "null",
        ],
      },
      "project_root_uri": {
        "type": [
          "string",
          "null",
        ],
      },
      "_profile_resolution_warning": {
        "type": [
          "string",
          "null",
        ],
      },
      "_unsupported_capabilities": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "_validation_warnings": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "_code_output_truncated": false,
    },
    "additionalProperties": true,
  },
  "ToonResult": {
    "type": "object",
    "required": [
      "format",
      "toon",
      "_expression",
    ],
    "properties": {
      "format": {
        "const": "toon",
      },
      "toon": {
        "type": "string",
      },
      "op": {
        "type": "string",
      },
      "variant": {
        "type": "string",
      },
      "next_page_token": {
        "type": "string",
      },
      "_expression": {
        "$ref": "#/$defs/ExpressionMeta",
      },
    },
    "additionalProperties": false,
  },
  "SingleObjectResult": {
    "type": "object",
    "required": [
      "format",
      "data",
      "_expression",
    ],
    "properties": {
      "format": {
        "enum": [
          "json",
          "csv",
          "markdown",
        ],
      },
      "data": {},
      "_expression": {
        "$ref": "#/$defs/ExpressionMeta",
      },
    },
    "if": {
      "properties": {
        "format": {
          "enum": [
            "csv",
            "markdown",
          ],
        },
      },
    },
    "then": {
      "properties": {
        "data": {
          "type": "string",
        },
      },
    },
    "additionalProperties": false,
  },
  "RawJsonResult": {
    "type": "object",
    "required": [
      "format",
      "data",
      "_expression",
    ],
    "properties": {
      "format": {
        "const": "json",
      },
      "data": {},
      "_code_output_truncated": {
        "const": true,
      },
      "_expression": {
        "$ref": "#/$defs/ExpressionMeta",
      },
    },
    "additionalProperties": false,
  },
  "UnchangedResult": {
    "type": "object",
    "required": [
      "unchanged",
      "etag",
    ],
    "properties": {
      "unchanged": {
        "const": true,
      },
      "etag": {
        "type": "string",
      },
    },
    "additionalProperties": false,
  },
};
