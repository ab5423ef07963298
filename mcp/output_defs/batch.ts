import type { JsonObject } from "../../lib/json/mod.ts";

/** Batches printed by scripts. */
export const BATCH_DEFS: JsonObject = {
  "ParallelResultItem": {
    "type": "object",
    "required": [
      "_idx",
      "_expression",
    ],
    "properties": {
      "_idx": {
        "type": "integer",
        "minimum": 0,
      },
      "_expression": {
        "$ref": "#/$defs/ExpressionMetaDelta",
      },
      "_code_output_truncated": {
        "type": "boolean",
      },
      "format": {
        "enum": [
          "toon",
          "json",
          "csv",
          "markdown",
        ],
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
      "data": {},
      "error": {
        "type": "object",
        "required": [
          "error_code",
          "op_id",
          "retryable",
        ],
        "properties": {
          "error_code": {
            "type": "string",
          },
          "op_id": {
            "type": "string",
          },
          "retryable": {
            "type": "boolean",
          },
          "message": {
            "type": "string",
          },
          "cancelled": {
            "const": true,
          },
          "retry_after_ms": {
            "type": "integer",
            "minimum": 0,
          },
        },
        "additionalProperties": true,
      },
    },
    "oneOf": [
      {
        "properties": {
          "format": {
            "const": "toon",
          },
          "data": false,
          "error": false,
        },
        "required": [
          "format",
          "toon",
        ],
      },
      {
        "properties": {
          "format": {
            "enum": [
              "json",
              "csv",
              "markdown",
            ],
          },
          "toon": false,
          "error": false,
        },
        "required": [
          "format",
          "data",
        ],
      },
      {
        "properties": {
          "format": false,
          "toon": false,
          "data": false,
        },
        "required": [
          "error",
        ],
      },
    ],
    "additionalProperties": false,
  },
  "ParallelResults": {
    "type": "object",
    "required": [
      "format",
      "batch_id",
      "results",
      "_expression",
    ],
    "properties": {
      "format": {
        "const": "parallel_results",
      },
      "batch_id": {
        "type": "string",
        "pattern": "^[0-9a-f]{8}$",
      },
      "results": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/ParallelResultItem",
        },
      },
      "shared_expression_fields": {
        "allOf": [
          {
            "$ref": "#/$defs/ExpressionMetaDelta",
          },
        ],
        "minProperties": 1,
      },
      "_code_output_truncated": {
        "const": true,
      },
      "_expression": {
        "allOf": [
          {
            "$ref": "#/$defs/ExpressionMeta",
          },
        ],
        "properties": {
          "op_id": {
            "const": "gum_parallel",
          },
          "variant_id": {
            "type": "null",
          },
        },
      },
    },
    "additionalProperties": false,
  },
};
