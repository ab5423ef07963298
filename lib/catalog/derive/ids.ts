/** Operation and variant ids from Discovery method ids (spec 04 §3.6). */

/** Maturity that a version string announces. */
export function stabilityOfVersion(version: string): "stable" | "beta" | "alpha" {
  if (version.includes("alpha") || version === "preview") return "alpha";
  return version.includes("beta") ? "beta" : "stable";
}

/** Prefixes by which a document's method ids become a service's operation ids. */
export interface IdPrefixes {
  service: string;
  api: string;
  methodPrefix?: string;
  opPrefix?: string;
}

/** Method id that an operation id comes from when the operation names none itself. */
export function methodIdOf(opId: string, prefixes: IdPrefixes): string | undefined {
  const opPrefix = prefixes.opPrefix ?? `${prefixes.service}.`;
  if (!opId.startsWith(opPrefix)) return undefined;
  return `${prefixes.methodPrefix ?? `${prefixes.api}.`}${opId.slice(opPrefix.length)}`;
}

/** Conventional variant id: `<service>.<version>.rest.<operation id without its service>`. */
export function variantId(
  opId: string,
  options: { service: string; version: string; opPrefix?: string },
): string {
  const prefix = options.opPrefix !== undefined && opId.startsWith(options.opPrefix)
    ? options.opPrefix
    : `${options.service}.`;
  return `${options.service}.${options.version}.rest.${opId.slice(prefix.length)}`;
}
