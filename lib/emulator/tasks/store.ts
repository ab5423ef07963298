/** State of the emulated Tasks service and how its resources are printed. */

import type { JsonObject } from "../../json/mod.ts";
import { entityTag, stamp } from "../drive/mod.ts";
import type { EmulatedCall, SeededRandom } from "../service.ts";
import type { StoredTask, StoredTaskList } from "./world.ts";

/** The lists of the account and the source of new ids. */
export interface TaskStore {
  lists: StoredTaskList[];
  ids: SeededRandom;
  /** The list that a call's path names (`@default` is the first); 404 when there is none. */
  list(call: EmulatedCall): StoredTaskList;
}

const API = "https://www.googleapis.com/tasks/v1";

/** A task list as the API prints it. */
export function listAnswer(list: StoredTaskList): JsonObject {
  return {
    kind: "tasks#taskList",
    id: list.id,
    etag: entityTag(list.id, list.title, list.updated),
    title: list.title,
    updated: stamp(list.updated),
    selfLink: `${API}/users/@me/lists/${list.id}`,
  };
}

/** A task as the API prints it; `position` is the rank among its siblings. */
export function taskAnswer(list: StoredTaskList, task: StoredTask): JsonObject {
  const siblings = list.tasks.filter((item) => item.parent === task.parent);
  const position = String(siblings.indexOf(task)).padStart(20, "0");
  const answer: JsonObject = {
    kind: "tasks#task",
    id: task.id,
    etag: entityTag(
      task.id,
      task.updated,
      task.title,
      task.status,
      position,
      task.parent ?? "",
      String(task.hidden),
    ),
    title: task.title,
    updated: stamp(task.updated),
    selfLink: `${API}/lists/${list.id}/tasks/${task.id}`,
  };
  if (task.parent !== undefined) answer.parent = task.parent;
  answer.position = position;
  if (task.notes !== undefined) answer.notes = task.notes;
  answer.status = task.status;
  if (task.due !== undefined) answer.due = stamp(task.due);
  if (task.completed !== undefined) answer.completed = stamp(task.completed);
  if (task.deleted) answer.deleted = true;
  if (task.hidden) answer.hidden = true;
  answer.links = task.link === undefined
    ? []
    : [{ type: "email", description: task.link.description, link: task.link.url }];
  answer.webViewLink = `https://tasks.google.com/task/${task.id}`;
  return answer;
}
