import type { JsonObject } from "../../lib/json/mod.ts";

/** The contract of one operation. */
export const CONTRACT_DEFS: JsonObject = {
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
