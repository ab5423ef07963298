/** Comparing release versions (spec 07 §3.21). */

const VERSION = /^v?([0-9]+)\.([0-9]+)\.([0-9]+)(?:[-+][!-~]*)?$/;

/** True for `X.Y.Z`, with an optional `v` and suffix. */
export function isReleaseVersion(text: string): boolean {
  return VERSION.test(text);
}

/** True when `left` is a later release than `right`; a text that is no version is neither. */
export function isNewer(left: string, right: string): boolean {
  const [newer, older] = [numbers(left), numbers(right)];
  if (newer === undefined || older === undefined) return false;
  for (const [index, part] of newer.entries()) {
    const difference = part - (older[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function numbers(text: string): number[] | undefined {
  return VERSION.exec(text)?.slice(1, 4).map(Number);
}
