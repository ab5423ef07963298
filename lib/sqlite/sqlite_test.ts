import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { rollBack, sqliteFault } from "./mod.ts";

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}

Deno.test("sqlite: faults are told apart, whether the error carries a code or only a text", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/rows.db`;
  const holder = new DatabaseSync(path);
  const other = new DatabaseSync(path);
  const foreign = new DatabaseSync(`${folder}/foreign.db`);
  try {
    holder.exec("CREATE TABLE row (n INTEGER); BEGIN IMMEDIATE");
    other.exec("PRAGMA busy_timeout = 0");
    assert.equal(sqliteFault(thrownBy(() => other.exec("BEGIN IMMEDIATE"))), "busy");
    const insert = other.prepare("INSERT INTO row VALUES (1)");
    assert.equal(sqliteFault(thrownBy(() => insert.run())), "busy");
    await Deno.writeTextFile(`${folder}/foreign.db`, "no database, ".repeat(100));
    assert.equal(sqliteFault(thrownBy(() => foreign.exec("SELECT * FROM row"))), "corrupt");
    rollBack(holder);
    holder.exec("PRAGMA max_page_count = 2");
    const fill = "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 9999) " +
      "INSERT INTO row SELECT v FROM n";
    assert.equal(sqliteFault(thrownBy(() => holder.exec(fill))), "full");
    assert.equal(sqliteFault(thrownBy(() => holder.exec("no statement"))), "other");
    assert.equal(sqliteFault("text"), "other");
  } finally {
    holder.close();
    other.close();
    foreign.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("sqlite: a transaction is rolled back once, and its absence is no failure", () => {
  const database = new DatabaseSync(":memory:");
  try {
    database.exec("CREATE TABLE row (n INTEGER); BEGIN; INSERT INTO row VALUES (1)");
    rollBack(database);
    rollBack(database);
    assert.deepEqual(database.prepare("SELECT n FROM row").all(), []);
  } finally {
    database.close();
  }
});
