/** Closing several things that do not depend on one another's success. */

/**
 * Runs every step in order, whatever becomes of the others: a plugin that does not stop must not
 * cost the audit log its last rows.
 *
 * @throws what the first failing step threw, when all have run.
 */
export async function closeAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
