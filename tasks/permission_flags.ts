/** Turns a permission set of `deno.json` into command-line flags: one table, two spellings. */

/** What a permission kind of a set may be. */
export type PermissionGrant =
  | boolean
  | string[]
  | { allow?: string[] | boolean; deny?: string[] | boolean; ignore?: string[] | boolean };

/** Flags for `deno run` and `deno compile` that grant exactly what the set does. */
export function permissionFlags(set: Record<string, PermissionGrant>): string[] {
  return Object.entries(set).flatMap(([kind, grant]) => {
    if (typeof grant === "boolean" || Array.isArray(grant)) return flag(`allow-${kind}`, grant);
    return [
      ...flag(`allow-${kind}`, grant.allow),
      ...flag(`deny-${kind}`, grant.deny),
      ...flag(`ignore-${kind}`, grant.ignore),
    ];
  });
}

function flag(name: string, value: boolean | string[] | undefined): string[] {
  if (value === undefined || value === false) return [];
  return [value === true ? `--${name}` : `--${name}=${value.join(",")}`];
}
