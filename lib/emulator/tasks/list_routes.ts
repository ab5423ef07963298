/** `tasks.tasklists.*` of the emulated Tasks service. */

import type { JsonObject } from "../../json/mod.ts";
import {
  bodyObject,
  encodeBase64Url,
  entityTag,
  integer,
  invalid,
  pageOf,
  textMember,
} from "../drive/mod.ts";
import { routesOf } from "../routes.ts";
import type { EmulatedAnswer, EmulatedCall, EmulatedRoute } from "../service.ts";
import { listAnswer, type TaskStore } from "./store.ts";
import type { StoredTaskList } from "./world.ts";

/** Routes of the task list collection on one host. */
export function taskListRoutes(store: TaskStore, { host }: { host: string }): EmulatedRoute[] {
  const collection = "/tasks/v1/users/@me/lists";
  const item = `${collection}/{tasklist}`;
  const route = routesOf({ host, ids: "tasks.tasklists" });
  return [
    route({ id: "list", method: "GET", pattern: collection }, (call) => {
      const size = integer(call.query, "maxResults", {
        fallback: 1000,
        min: 1,
        max: 1000,
        above: "clamp",
      });
      const page = pageOf(store.lists, {
        size,
        token: call.query.get("pageToken"),
        scope: "tasklists",
      });
      const items = page.items.map(listAnswer);
      const body: JsonObject = {
        kind: "tasks#taskLists",
        etag: entityTag(...items.map((list) => String(list.etag))),
      };
      if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
      body.items = items;
      return { body };
    }),
    route({ id: "insert", method: "POST", pattern: collection }, (call) => {
      const list: StoredTaskList = {
        id: encodeBase64Url(`${store.ids.int(1e15, 9e15)}4321:${store.lists.length}:0`),
        title: requiredTitle(call),
        updated: call.now,
        tasks: [],
      };
      store.lists.push(list);
      return { body: listAnswer(list) };
    }),
    route(
      { id: "get", method: "GET", pattern: item },
      (call) => ({ body: listAnswer(store.list(call)) }),
    ),
    route(
      { id: "update", method: "PUT", pattern: item },
      (call) => rename(store.list(call), { title: requiredTitle(call), call }),
    ),
    route({ id: "patch", method: "PATCH", pattern: item }, (call) => {
      const list = store.list(call);
      return rename(list, { title: textMember(bodyObject(call), "title") ?? list.title, call });
    }),
    route({ id: "delete", method: "DELETE", pattern: item }, (call) => {
      const list = store.list(call);
      if (list === store.lists[0]) throw invalid("Cannot delete the default task list.");
      store.lists.splice(store.lists.indexOf(list), 1);
      return { status: 204 };
    }),
  ];
}

function requiredTitle(call: EmulatedCall): string {
  const title = textMember(bodyObject(call), "title") ?? "";
  if (title.length === 0) throw invalid("Missing task list title.");
  if (title.length > 1024) throw invalid("Task list title is too long.");
  return title;
}

function rename(
  list: StoredTaskList,
  change: { title: string; call: EmulatedCall },
): EmulatedAnswer {
  list.title = change.title;
  list.updated = change.call.now;
  return { body: listAnswer(list) };
}
