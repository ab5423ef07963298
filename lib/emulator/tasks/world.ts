/** The task lists that an emulated account starts with. */

import { encodeBase64Url, opaqueId, proseOf } from "../drive/mod.ts";
import type { ServiceSeed } from "../service.ts";

/** A task as stored. Order among siblings is the order in the list's array. */
export interface StoredTask {
  id: string;
  title: string;
  notes?: string;
  status: "needsAction" | "completed";
  /** Midnight UTC of the due day. */
  due?: number;
  completed?: number;
  updated: number;
  parent?: string;
  hidden: boolean;
  deleted: boolean;
  /** Mail that the task was made from. */
  link?: { description: string; url: string };
}

/** A task list as stored. */
export interface StoredTaskList {
  id: string;
  title: string;
  updated: number;
  tasks: StoredTask[];
}

const DAY = 86_400_000;
const LISTS: readonly { title: string; tasks: number }[] = [
  { title: "My Tasks", tasks: 74 },
  { title: "Würzburg move 🏠", tasks: 23 },
  { title: 'Reading, "maybe"', tasks: 9 },
  { title: "買い物", tasks: 4 },
  { title: "Empty on purpose", tasks: 0 },
];

/** Builds the seeded lists; the first one is the account's default list. */
export function seedTaskLists(seed: ServiceSeed): StoredTaskList[] {
  const random = seed.random.fork("task lists");
  const prose = proseOf(random.fork("prose"));
  return LISTS.map(({ title, tasks: count }, listIndex) => {
    const tasks: StoredTask[] = [];
    for (let index = 0; index < count; index++) {
      const earlier = tasks.filter((task) => task.parent === undefined);
      const parent = earlier.length > 3 && random.next() < 0.22 ? random.pick(earlier) : undefined;
      const updated = seed.now - random.int(1, 120) * DAY - random.int(0, DAY);
      const done = random.next() < 0.36;
      const task: StoredTask = {
        id: opaqueId(random, 22),
        title: prose.subject(),
        status: done ? "completed" : "needsAction",
        updated,
        hidden: done && random.next() < 0.5,
        deleted: random.next() < 0.04,
      };
      if (parent !== undefined) task.parent = parent.id;
      const detail = random.next();
      if (detail < 0.45) task.notes = prose.paragraph(1 + Math.floor(detail * 6));
      if (detail > 0.97) task.notes = '=SUM(A1:A3)\n\t"quoted", 0042, true\n' + prose.sentence();
      if (random.next() < 0.5) {
        task.due = Math.floor((seed.now + random.int(-40, 60) * DAY) / DAY) * DAY;
      }
      if (done) task.completed = updated;
      if (random.next() < 0.08) {
        task.link = {
          description: prose.subject(),
          url: `https://mail.google.com/mail/#all/${random.hex(16)}`,
        };
      }
      tasks.push(task);
    }
    return {
      id: encodeBase64Url(
        `${random.int(10_000_000, 99_999_999)}${
          random.int(10_000_000, 99_999_999)
        }1234:${listIndex}:0`,
      ),
      title,
      updated: Math.max(seed.now - 30 * DAY, ...tasks.map((task) => task.updated)),
      tasks,
    };
  });
}
