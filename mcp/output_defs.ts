/**
 * The result definitions (spec 01 §2.4, JSON Schema 2020-12). Tests hold every real result against
 * them; the compact registered forms of {@link file://./output_schemas.ts} derive from them.
 *
 * @module
 */

import type { JsonObject } from "../lib/json/mod.ts";

/** Shaped results and their envelope. */
const RESULT_DEFS: JsonObject = {
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

/** The contract of one operation. */
const CATALOG_DEFS: JsonObject = {
  "Variant": {
    "type": "object",
    "required": [
      "variant_id",
      "stability",
    ],
    "properties": {
      "variant_id": {
        "type": "string",
      },
      "stability": {
        "enum": [
          "stable",
          "beta",
          "alpha",
        ],
      },
      "interface_kind": {
        "type": "string",
      },
      "risk_class": {
        "enum": [
          "read",
          "write",
          "destructive",
        ],
      },
      "scopes": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "deprecated": {
        "type": "boolean",
      },
      "execution_support": {
        "enum": [
          "full",
          "partial",
          "typed_executor_required",
          "schema_only",
        ],
      },
      "unsupported_capabilities": {
        "type": "array",
        "items": {
          "type": "string",
        },
        "minItems": 1,
      },
    },
    "additionalProperties": false,
  },
  "OpParam": {
    "type": "object",
    "required": [
      "name",
      "type",
    ],
    "properties": {
      "name": {
        "type": "string",
      },
      "type": {
        "type": "string",
      },
      "required": {
        "const": true,
      },
      "in": {
        "enum": [
          "path",
          "query",
          "body",
          "arg",
          "header",
        ],
      },
      "enum": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "description": {
        "type": "string",
      },
    },
    "additionalProperties": false,
  },
  "DescribeOpResult": {
    "type": "object",
    "required": [
      "op_id",
      "title",
      "summary",
      "default_variant_id",
      "variants",
      "variants_total",
      "variants_omitted_count",
      "risk_class",
      "scopes",
      "execution_support",
      "schema_refs",
    ],
    "properties": {
      "op_id": {
        "type": "string",
      },
      "title": {
        "type": "string",
      },
      "summary": {
        "type": "string",
      },
      "default_variant_id": {
        "type": "string",
      },
      "variants": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Variant",
        },
      },
      "variants_total": {
        "type": "integer",
        "minimum": 0,
      },
      "variants_omitted_count": {
        "type": "integer",
        "minimum": 0,
      },
      "risk_class": {
        "enum": [
          "read",
          "write",
          "destructive",
        ],
      },
      "confirmation_policy": {
        "type": "string",
      },
      "scopes": {
        "type": "array",
        "items": {
          "type": "string",
        },
      },
      "output_profile": {
        "type": "string",
      },
      "execution_support": {
        "enum": [
          "full",
          "partial",
          "typed_executor_required",
          "schema_only",
        ],
      },
      "unsupported_capabilities": {
        "type": "array",
        "items": {
          "type": "string",
        },
        "minItems": 1,
      },
      "capability_class_warnings": {
        "type": "array",
        "items": {
          "type": "string",
        },
        "minItems": 1,
      },
      "schema_refs": {
        "type": "object",
        "properties": {
          "input": {
            "type": "string",
          },
          "output": {
            "type": "string",
          },
        },
        "additionalProperties": false,
      },
      "params": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/OpParam",
        },
      },
      "params_omitted_count": {
        "type": "integer",
        "minimum": 1,
      },
      "risk_override": {
        "const": true,
      },
      "risk_override_reason": {
        "type": "string",
      },
    },
    "oneOf": [
      {
        "properties": {
          "execution_support": {
            "const": "full",
          },
          "unsupported_capabilities": {
            "not": {},
          },
        },
      },
      {
        "properties": {
          "execution_support": {
            "enum": [
              "partial",
              "typed_executor_required",
              "schema_only",
            ],
          },
        },
        "required": [
          "unsupported_capabilities",
        ],
      },
    ],
    "additionalProperties": false,
  },
};

/** Counters and savings. */
const LEDGER_DEFS: JsonObject = {
  "GainResult": {
    "type": "object",
    "required": [
      "mode",
      "window",
      "baseline_tokens",
      "actual_tokens",
      "savings_tokens",
      "savings_pct",
      "end_to_end_savings",
      "batch_envelope_overhead",
      "tokenizer",
    ],
    "properties": {
      "mode": {
        "enum": [
          "summary",
          "session",
          "history",
        ],
      },
      "window": {
        "type": "string",
      },
      "baseline_tokens": {
        "type": "integer",
        "minimum": 0,
      },
      "actual_tokens": {
        "type": "integer",
        "minimum": 0,
      },
      "savings_tokens": {
        "type": "integer",
      },
      "savings_pct": {
        "type": [
          "number",
          "null",
        ],
      },
      "end_to_end_savings": {
        "type": [
          "number",
          "null",
        ],
      },
      "batch_envelope_overhead": {
        "type": "integer",
        "minimum": 0,
      },
      "per_op_shaping_savings": {
        "type": [
          "number",
          "null",
        ],
      },
      "tokenizer": {
        "type": "string",
      },
      "by_tool": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "tool",
            "calls",
            "baseline_tokens",
            "actual_tokens",
          ],
          "properties": {
            "tool": {
              "type": "string",
            },
            "calls": {
              "type": "integer",
              "minimum": 0,
            },
            "baseline_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "actual_tokens": {
              "type": "integer",
              "minimum": 0,
            },
          },
          "additionalProperties": false,
        },
      },
      "sessions": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "session",
            "calls",
            "baseline_tokens",
            "actual_tokens",
            "savings_pct",
            "op_families",
          ],
          "properties": {
            "session": {
              "type": "string",
              "pattern": "^[0-9a-f]{8}$",
            },
            "calls": {
              "type": "integer",
              "minimum": 0,
            },
            "baseline_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "actual_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "savings_pct": {
              "type": [
                "number",
                "null",
              ],
            },
            "op_families": {
              "type": "array",
              "items": {
                "type": "string",
              },
            },
          },
          "additionalProperties": false,
        },
      },
      "operations": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "op_id",
            "op_family",
            "calls",
            "baseline_tokens",
            "actual_tokens",
            "cache_status",
            "field_mask_status",
          ],
          "properties": {
            "op_id": {
              "type": "string",
            },
            "op_family": {
              "type": "string",
            },
            "calls": {
              "type": "integer",
              "minimum": 0,
            },
            "baseline_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "actual_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "cache_status": {
              "type": "string",
            },
            "field_mask_status": {
              "type": "string",
            },
          },
          "additionalProperties": false,
        },
      },
      "history": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "session",
            "op_family",
            "baseline_tokens",
            "actual_tokens",
            "savings_pct",
          ],
          "properties": {
            "session": {
              "type": "string",
              "pattern": "^[0-9a-f]{8}$",
            },
            "op_family": {
              "type": "string",
            },
            "baseline_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "actual_tokens": {
              "type": "integer",
              "minimum": 0,
            },
            "savings_pct": {
              "type": [
                "number",
                "null",
              ],
            },
          },
          "additionalProperties": false,
        },
      },
    },
    "oneOf": [
      {
        "properties": {
          "mode": {
            "const": "summary",
          },
          "window": {
            "pattern": "^(last-30-sessions|since:.+)$",
          },
          "operations": {
            "not": {},
          },
          "history": {
            "not": {},
          },
        },
        "required": [
          "sessions",
        ],
      },
      {
        "properties": {
          "mode": {
            "const": "session",
          },
          "window": {
            "pattern": "^session:[0-9a-f]{8}$",
          },
          "sessions": {
            "not": {},
          },
          "history": {
            "not": {},
          },
        },
        "required": [
          "operations",
        ],
      },
      {
        "properties": {
          "mode": {
            "const": "history",
          },
          "window": {
            "pattern": "^history(:since:.+)?$",
          },
          "sessions": {
            "not": {},
          },
          "operations": {
            "not": {},
          },
        },
        "required": [
          "history",
        ],
      },
    ],
    "additionalProperties": false,
  },
  "CacheStatsResult": {
    "type": "object",
    "required": [
      "semantic",
      "http",
      "prompt",
      "audit_broken",
    ],
    "properties": {
      "semantic": {
        "type": "object",
        "required": [
          "hits",
          "misses",
          "evictions",
          "entries",
          "bytes",
        ],
        "properties": {
          "hits": {
            "type": "integer",
            "minimum": 0,
          },
          "misses": {
            "type": "integer",
            "minimum": 0,
          },
          "evictions": {
            "type": "integer",
            "minimum": 0,
          },
          "entries": {
            "type": "integer",
            "minimum": 0,
          },
          "bytes": {
            "type": "integer",
            "minimum": 0,
          },
        },
        "additionalProperties": false,
      },
      "http": {
        "type": "object",
        "required": [
          "hits",
          "misses",
          "entries",
          "bytes",
        ],
        "properties": {
          "hits": {
            "type": "integer",
            "minimum": 0,
          },
          "misses": {
            "type": "integer",
            "minimum": 0,
          },
          "entries": {
            "type": "integer",
            "minimum": 0,
          },
          "bytes": {
            "type": "integer",
            "minimum": 0,
          },
        },
        "additionalProperties": false,
      },
      "prompt": {
        "type": "object",
        "required": [
          "supported",
          "hits_estimate",
        ],
        "properties": {
          "supported": {
            "type": "boolean",
          },
          "hits_estimate": {
            "type": [
              "integer",
              "null",
            ],
            "minimum": 0,
          },
        },
        "additionalProperties": false,
      },
      "audit_broken": {
        "type": "boolean",
      },
    },
    "additionalProperties": false,
  },
};

/** Batches printed by scripts. */
const BATCH_DEFS: JsonObject = {
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

/** The whole document. */
export const OUTPUT_DEFS: { $schema: string; $id: string; $defs: Record<string, JsonObject> } = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "gum.mcp.output_defs.v1",
  $defs: { ...RESULT_DEFS, ...CATALOG_DEFS, ...LEDGER_DEFS, ...BATCH_DEFS } as Record<
    string,
    JsonObject
  >,
};
