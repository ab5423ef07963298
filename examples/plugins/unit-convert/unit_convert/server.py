"""The plugin's one tool."""

from .convert import NotConvertible, convert
from .stdio_server import Tool, ToolFailure, serve

INPUT_SCHEMA = {
    "type": "object",
    "required": ["value", "from", "to"],
    "properties": {
        "value": {"type": "number"},
        "from": {"type": "string"},
        "to": {"type": "string"},
    },
}


def run(arguments):
    """Converts, or says why not."""
    try:
        value = convert(arguments["value"], arguments["from"], arguments["to"])
        return {"value": value, "unit": arguments["to"]}
    except (NotConvertible, KeyError) as error:
        raise ToolFailure("INVALID_INPUT", str(error)) from error


TOOLS = [Tool("convert", "Convert a value between units", INPUT_SCHEMA, run)]


def main():
    """Serves until the input ends."""
    serve({"name": "unit-convert", "version": "1.0.0"}, TOOLS)
