import type { JsonObject } from "../../lib/json/mod.ts";

/** Counters and savings. */
export const LEDGER_DEFS: JsonObject = {
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
