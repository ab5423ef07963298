/** The read-only server (spec 11 §7). */

/** Tools that change something: left out of the listing of a read-only server (spec 11 §7). */
export function isChangingTool(
  annotations: { readOnlyHint: boolean },
  options: { readOnly?: boolean },
): boolean {
  return options.readOnly === true && !annotations.readOnlyHint;
}
