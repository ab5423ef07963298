/**
 * Emulated Google Tasks: lists and tasks with hierarchy, completion, hiding and moves
 * (spec 00 §7, §10).
 *
 * @module
 */

import type { JsonObject } from "../../json/mod.ts";
import { notFound } from "../drive/mod.ts";
import type { EmulatedCall, EmulatedService, ServiceSeed } from "../service.ts";
import { taskListRoutes } from "./list_routes.ts";
import { taskRoutes } from "./task_routes.ts";
import { seedTaskLists, type StoredTaskList } from "./world.ts";
import { listAnswer, taskAnswer, type TaskStore } from "./store.ts";

/** Hosts that serve the Tasks API. */
const HOSTS = ["tasks.googleapis.com", "www.googleapis.com"] as const;

/** Makes the service over a freshly seeded world. */
export function createTasks(seed: ServiceSeed): EmulatedService {
  const lists: StoredTaskList[] = seedTaskLists(seed);
  const store: TaskStore = {
    lists,
    ids: seed.random.fork("new tasks"),
    list(call: EmulatedCall): StoredTaskList {
      const id = call.params.tasklist ?? "";
      const list = id === "@default" ? lists[0] : lists.find((item) => item.id === id);
      if (list === undefined) throw notFound("Task list not found.");
      return list;
    },
  };
  return {
    name: "tasks",
    routes: HOSTS.flatMap((host) => [
      ...taskListRoutes(store, { host }),
      ...taskRoutes(store, { host }),
    ]),
    inspect(): JsonObject {
      return {
        lists: lists.map((list) => ({
          ...listAnswer(list),
          tasks: list.tasks.map((task) => taskAnswer(list, task)),
        })),
      };
    },
  };
}
