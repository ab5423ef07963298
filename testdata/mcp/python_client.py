"""Test only: the Python SDK's client lists GUM's tools and calls each of them on the emulator.

Usage: python_client.py MODE COMMAND...   Prints one JSON object: what was listed and called.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

MAIL = {"to": "ann@example.com", "subject": "Gr\u00fc\u00dfe", "text": "Hello"}


def when(hour):
    return {"dateTime": f"2026-12-01T{hour}:00:00Z"}


async def run(mode, command):
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(server, mode=mode, read_timeout_seconds=20) as client:
        listed = await client.list_tools()
        outcomes = {}

        async def call(name, args, confirm=True):
            result = await client.call_tool(name, args)
            if result.is_error and confirm:
                envelope = json.loads(result.content[0].text)
                token = envelope.get("confirmation_token")
                if token is not None:
                    return await call(
                        name, {**args, "confirmed": True, "confirmation_token": token}, False
                    )
            code = json.loads(result.content[0].text)["error_code"] if result.is_error else "ok"
            outcomes[name] = code
            return result

        async def data(name, args):
            result = await call(name, {**args, "format": "json"})
            return result.structured_content["data"]

        def of_type(files, part):
            return next(file["id"] for file in files if part in file["mimeType"])

        mail = await data("gmail_search", {"userId": "me", "maxResults": 3})
        files = (await data("drive_find", {"pageSize": 100}))["files"]
        lists = await data("gum.read", {"op_id": "tasks.tasklists.list"})
        tasklist = lists["items"][0]["id"]
        document, sheet = of_type(files, "document"), of_type(files, "spreadsheet")
        event = await call("calendar_create_event", {
            "calendarId": "primary",
            "event": {"summary": "Lunch", "start": when(10), "end": when(11)},
        })
        calls = [
            ("gum.search_apis", {"query": "send mail"}),
            ("gum.describe_op", {"op_id": "gmail.users.messages.send"}),
            ("gum.write", {"op_id": "gmail.users.labels.create",
                           "args": {"body": {"name": "Python"}}}),
            ("gum.code", {"language": "risor", "source": "1 + 1"}),
            ("gum.poll", {"operation_name": "operations/none"}),
            ("gum.cache_stats", {}),
            ("gum.gain", {}),
            ("gmail_get_message", {"userId": "me", "id": mail["messages"][0]["id"]}),
            ("gmail_send", {"userId": "me", "message": MAIL}),
            ("gmail_create_draft", {"userId": "me", "message": MAIL}),
            ("drive_get_file", {"fileId": files[1]["id"]}),
            ("drive_share", {"fileId": document, "permission": {
                "role": "reader", "type": "user", "emailAddress": "b@example.com"}}),
            ("calendar_upcoming", {"calendarId": "primary", "maxResults": 3}),
            ("calendar_update_event", {
                "calendarId": "primary", "eventId": event.structured_content["data"]["id"],
                "event": {"summary": "Late lunch", "start": when(12), "end": when(13)}}),
            ("docs_get", {"documentId": document}),
            ("sheets_read", {"spreadsheetId": sheet, "range": "A1:B2"}),
            ("sheets_write", {"spreadsheetId": sheet, "range": "A1:B1", "values": [["a", 1]],
                              "valueInputOption": "RAW"}),
            ("slides_get", {"presentationId": of_type(files, "presentation")}),
            ("tasks_list", {"tasklist": tasklist}),
            ("tasks_create", {"tasklist": tasklist, "task": {"title": "Write"}}),
            ("flights_search", {"origin": "BER", "destination": "LIS",
                                "departure_date": "2026-12-24"}),
        ]
        for name, args in calls:
            await call(name, args)
        created = await call("docs_create", {"document": {"title": "Plan"}})
        await call("gum.destructive", {
            "op_id": "drive.files.delete",
            "args": {"fileId": created.structured_content["data"]["documentId"]}})
        skills = json.loads((await call("skills_list", {})).content[0].text)
        await call("skills_get", {"name": skills["skills"][0]["name"]})
        print(json.dumps({
            "protocol": client.protocol_version,
            "listed": [tool.name for tool in listed.tools],
            "outcomes": outcomes,
        }))


asyncio.run(run(sys.argv[1], sys.argv[2:]))
