"""A small MCP server over standard input and output; the standard library is all it needs."""

import json
import sys

from .convert import NotConvertible, convert

TOOLS = [
    {
        "name": "convert",
        "description": "Convert a value between units",
        "inputSchema": {
            "type": "object",
            "required": ["value", "from", "to"],
            "properties": {
                "value": {"type": "number"},
                "from": {"type": "string"},
                "to": {"type": "string"},
            },
        },
    }
]


def call(arguments):
    """The result of a tools/call."""
    try:
        value = convert(arguments["value"], arguments["from"], arguments["to"])
        return text_result({"value": value, "unit": arguments["to"]})
    except (NotConvertible, KeyError) as error:
        failure = {"success": False, "error_code": "INVALID_INPUT", "error": str(error)}
        return {**text_result(failure), "isError": True}


def text_result(value):
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def answer(message):
    """The response to a request."""
    method = message["method"]
    if method == "initialize":
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "unit-convert", "version": "1.0.0"},
        }
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call" and message["params"]["name"] == "convert":
        result = call(message["params"].get("arguments", {}))
    elif method == "ping":
        result = {}
    else:
        return {"error": {"code": -32601, "message": f"unknown: {method}"}}
    return {"result": result}


def main():
    """Serves until the input ends."""
    for line in sys.stdin:
        message = json.loads(line) if line.strip() else {}
        if "id" in message:
            response = {"jsonrpc": "2.0", "id": message["id"], **answer(message)}
            print(json.dumps(response), flush=True)
