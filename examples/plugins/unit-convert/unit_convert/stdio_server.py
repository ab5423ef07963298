"""A small MCP server over standard input and output: one JSON-RPC message a line, tools only.

Copy it into a plugin as it is; the standard library is all it needs.
"""

import json
import sys


class ToolFailure(Exception):
    """A failure that the caller is meant to understand; every other one is reported as a fault."""

    def __init__(self, code, message, retryable=False, retry_after_ms=None):
        super().__init__(message)
        self.body = {
            "success": False,
            "error_code": code,
            "error": message,
            "retryable": retryable,
        }
        if retry_after_ms is not None:
            self.body["retry_after_ms"] = retry_after_ms


class Tool:
    """A tool and what it does. What `run` returns for the arguments becomes the answer."""

    def __init__(self, name, description, input_schema, run):
        self.name = name
        self.description = description
        self.input_schema = input_schema
        self.run = run


def serve(info, tools):
    """Serves until the input ends."""
    for line in sys.stdin:
        message = json.loads(line) if line.strip() else {}
        if "id" in message:
            response = {"jsonrpc": "2.0", "id": message["id"], **answer(message, info, tools)}
            print(json.dumps(response), flush=True)


def answer(message, info, tools):
    """The response to a request, without its frame."""
    method = message["method"]
    params = message.get("params", {})
    if method == "initialize":
        return {
            "result": {
                "protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": info,
            }
        }
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        return {"result": {"tools": [listed(tool) for tool in tools]}}
    if method == "tools/call":
        for tool in tools:
            if tool.name == params.get("name"):
                return {"result": called(tool, params.get("arguments", {}))}
    return {"error": {"code": -32601, "message": f"unknown: {method}"}}


def listed(tool):
    """A tool as `tools/list` tells of it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }


def called(tool, arguments):
    """The result of a call; a fault of the tool is a failed result, never a dead server."""
    try:
        return text_result(tool.run(arguments))
    except ToolFailure as failure:
        return {**text_result(failure.body), "isError": True}
    except Exception as fault:
        body = {"success": False, "error_code": "SERVICE_DOWN", "error": str(fault)}
        return {**text_result(body), "isError": True}


def text_result(value):
    """A value as one block of JSON text."""
    return {"content": [{"type": "text", "text": json.dumps(value)}]}
