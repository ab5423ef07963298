/** `tasks.tasks.*` of the emulated Tasks service. */

import type { JsonObject } from "../../json/mod.ts";
import {
  bodyObject,
  booleanMember,
  entityTag,
  flag,
  instant,
  integer,
  invalid,
  notFound,
  opaqueId,
  pageOf,
  parseInstant,
  selection,
  textMember,
} from "../drive/mod.ts";
import { routesOf } from "../routes.ts";
import type { EmulatedAnswer, EmulatedCall, EmulatedRoute } from "../service.ts";
import { taskAnswer, type TaskStore } from "./store.ts";
import type { StoredTask, StoredTaskList } from "./world.ts";

const DAY = 86_400_000;

/** Routes of the tasks inside a list, on one host. */
export function taskRoutes(store: TaskStore, { host }: { host: string }): EmulatedRoute[] {
  const collection = "/tasks/v1/lists/{tasklist}/tasks";
  const item = `${collection}/{task}`;
  const route = routesOf({ host, ids: "tasks.tasks" });
  return [
    route(
      { id: "list", method: "GET", pattern: collection },
      (call) => listTasks(store.list(call), call),
    ),
    route({ id: "insert", method: "POST", pattern: collection }, (call) => {
      const list = store.list(call);
      const task: StoredTask = {
        id: opaqueId(store.ids, 22),
        title: "",
        status: "needsAction",
        updated: call.now - 1,
        hidden: false,
        deleted: false,
      };
      applyMembers(task, { body: bodyObject(call), now: call.now });
      place(task, { list, call });
      list.updated = call.now;
      return { body: taskAnswer(list, task) };
    }),
    route({ id: "clear", method: "POST", pattern: "/tasks/v1/lists/{tasklist}/clear" }, (call) => {
      const list = store.list(call);
      for (const task of list.tasks) {
        if (task.status !== "completed" || task.hidden || task.deleted) continue;
        task.hidden = true;
        task.updated = Math.max(call.now, task.updated + 1);
      }
      return { status: 204 };
    }),
    route({ id: "move", method: "POST", pattern: `${item}/move` }, (call) => {
      const list = store.list(call);
      const task = taskOf(list, call);
      const destinationId = call.query.get("destinationTasklist");
      const target = destinationId === null
        ? list
        : store.list({ ...call, params: { tasklist: destinationId } });
      const family = [task, ...descendantsOf(list, task)];
      const parent = call.query.get("parent");
      if (parent !== null && family.some((member) => member.id === parent)) {
        throw invalid("Invalid Value");
      }
      if (target !== list && family.length > 1) {
        throw invalid("A task with subtasks can not change its list.");
      }
      list.tasks.splice(list.tasks.indexOf(task), 1);
      try {
        place(task, { list: target, call });
      } catch (refusal) {
        list.tasks.push(task);
        throw refusal;
      }
      task.updated = Math.max(call.now, task.updated + 1);
      return { body: taskAnswer(target, task) };
    }),
    route({ id: "get", method: "GET", pattern: item }, (call) => {
      const list = store.list(call);
      return { body: taskAnswer(list, taskOf(list, call)) };
    }),
    route({ id: "update", method: "PUT", pattern: item }, (call) => {
      const list = store.list(call);
      const task = taskOf(list, call);
      delete task.notes;
      delete task.due;
      applyMembers(task, {
        body: { title: "", status: "needsAction", ...bodyObject(call) },
        now: call.now,
      });
      return { body: taskAnswer(list, task) };
    }),
    route({ id: "patch", method: "PATCH", pattern: item }, (call) => {
      const list = store.list(call);
      const task = taskOf(list, call);
      applyMembers(task, { body: bodyObject(call), now: call.now });
      return { body: taskAnswer(list, task) };
    }),
    route({ id: "delete", method: "DELETE", pattern: item }, (call) => {
      const list = store.list(call);
      const task = taskOf(list, call);
      for (const member of [task, ...descendantsOf(list, task)]) {
        member.deleted = true;
        member.updated = Math.max(call.now, member.updated + 1);
      }
      return { status: 204 };
    }),
  ];
}

function taskOf(list: StoredTaskList, call: EmulatedCall): StoredTask {
  const task = list.tasks.find((item) => item.id === call.params.task);
  if (task === undefined) throw notFound("Task not found.");
  return task;
}

function descendantsOf(list: StoredTaskList, task: StoredTask): StoredTask[] {
  const children = list.tasks.filter((item) => item.parent === task.id);
  return children.flatMap((child) => [child, ...descendantsOf(list, child)]);
}

/** Puts a task after `previous`, or first, under `parent`; the array order carries the position. */
function place(
  task: StoredTask,
  { list, call }: { list: StoredTaskList; call: EmulatedCall },
): void {
  const parent = call.query.get("parent");
  const previous = call.query.get("previous");
  const living = (id: string) => list.tasks.find((item) => item.id === id && !item.deleted);
  if (parent !== null && parent !== "" && living(parent) === undefined) {
    throw invalid("Invalid parent task.");
  }
  const before = previous === null || previous === "" ? undefined : living(previous);
  if (previous !== null && previous !== "" && before === undefined) {
    throw invalid("Invalid previous task.");
  }
  if (parent === null || parent === "") delete task.parent;
  else task.parent = parent;
  if (before !== undefined && before.parent !== task.parent) {
    throw invalid("Invalid previous task.");
  }
  list.tasks.splice(before === undefined ? 0 : list.tasks.indexOf(before) + 1, 0, task);
}

function applyMembers(task: StoredTask, { body, now }: { body: JsonObject; now: number }): void {
  const title = textMember(body, "title");
  const notes = textMember(body, "notes");
  const status = textMember(body, "status");
  const due = textMember(body, "due");
  if (title !== undefined && title.length > 1024) throw invalid("Task title is too long.");
  if (notes !== undefined && notes.length > 8192) throw invalid("Task notes are too long.");
  if (status !== undefined && status !== "needsAction" && status !== "completed") {
    throw invalid("Invalid task status.");
  }
  // The time of day of a due date is discarded, as the API documents.
  const dueDay = due === undefined ? undefined : Math.floor(parseInstant(due, "due") / DAY) * DAY;
  if (title !== undefined) task.title = title;
  if (notes !== undefined) task.notes = notes;
  if (body.notes === null) delete task.notes;
  if (dueDay !== undefined) task.due = dueDay;
  if (body.due === null) delete task.due;
  if (status === "completed" && task.status !== "completed") task.completed = now;
  if (status === "needsAction") {
    delete task.completed;
    task.hidden = false;
  }
  if (status !== undefined) task.status = status;
  const deleted = booleanMember(body, "deleted");
  if (deleted !== undefined) task.deleted = deleted;
  task.updated = Math.max(now, task.updated + 1);
}

function listTasks(list: StoredTaskList, call: EmulatedCall): EmulatedAnswer {
  const { query } = call;
  const size = integer(query, "maxResults", { fallback: 20, min: 1, max: 100, above: "clamp" });
  const shows = {
    completed: flag(query, "showCompleted", { fallback: true }),
    hidden: flag(query, "showHidden"),
    deleted: flag(query, "showDeleted"),
  };
  const within = (value: number | undefined, min?: number, max?: number) =>
    (min === undefined && max === undefined) ||
    (value !== undefined && (min === undefined || value >= min) &&
      (max === undefined || value < max));
  const due = [instant(query, "dueMin"), instant(query, "dueMax")] as const;
  const completed = [instant(query, "completedMin"), instant(query, "completedMax")] as const;
  const updatedMin = instant(query, "updatedMin");
  const wanted = inOutlineOrder(list).filter((task) =>
    (shows.deleted || !task.deleted) && (shows.hidden || !task.hidden) &&
    (shows.completed || task.status !== "completed") && within(task.due, ...due) &&
    within(task.completed, ...completed) && (updatedMin === undefined || task.updated >= updatedMin)
  );
  const page = pageOf(wanted, {
    size,
    token: query.get("pageToken"),
    scope: `${list.id} ${selection(query)}`,
  });
  const items = page.items.map((task) => taskAnswer(list, task));
  const body: JsonObject = {
    kind: "tasks#tasks",
    etag: entityTag(list.id, ...items.map((task) => String(task.etag))),
  };
  if (page.nextPageToken !== undefined) body.nextPageToken = page.nextPageToken;
  body.items = items;
  return { body };
}

/** Parents in their order, each followed by its subtasks. */
function inOutlineOrder(list: StoredTaskList): StoredTask[] {
  const known = new Set(list.tasks.map((task) => task.id));
  const roots = list.tasks.filter((task) => task.parent === undefined || !known.has(task.parent));
  return roots.flatMap((task) => [task, ...descendantsOf(list, task)]);
}
