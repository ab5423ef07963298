/** Refusals that the adapters without a REST binding share. Pure. */

import { GumError } from "../errors/mod.ts";

/** An argument that cannot be sent. */
export function invalidArgument(field: string, problem: string): GumError {
  return new GumError("INVALID_ARGS", {
    message: `${field} ${problem}`,
    details: { field, missing: [], unknown: [], type_errors: [`${field}: ${problem}`] },
    userMessage: `${field} ${problem}`,
  });
}

/** Arguments without which there is no request. */
export function missingArguments(names: readonly string[], message?: string): GumError {
  const text = message ?? `missing: ${names.join(", ")}`;
  return new GumError("INVALID_ARGS", {
    message: text,
    details: {
      missing: [...names].sort(),
      unknown: [],
      type_errors: [],
      ...(names.length === 1 && names[0] !== undefined ? { field: names[0] } : {}),
    },
    userMessage: text,
  });
}

/** A catalog entry that its adapter cannot run; refused before any request. */
export function bindingInvalid(
  binding: { adapterKey: string; opId: string; why: string },
): GumError {
  return new GumError("SERVICE_DOWN", {
    message: binding.why,
    details: { adapter_key: binding.adapterKey, op_id: binding.opId, reason: "binding_invalid" },
    userMessage: "The catalog entry of this operation does not fit its adapter.",
    suggestion: "Run `gum doctor`.",
  });
}

/** A credential part that the service cannot do without. */
export function credentialMissing(
  opId: string,
  part: { component: string; message: string; nextCommand?: string },
): GumError {
  const setup = `gum auth setup ${opId}`;
  return new GumError("AUTH_REQUIRED", {
    message: part.message,
    details: {
      op_id: opId,
      missing_components: [part.component],
      setup_command: setup,
      ...(part.nextCommand === undefined ? {} : { next_command: part.nextCommand }),
    },
    userMessage: part.message,
    suggestion: `Run \`${part.nextCommand ?? setup}\`.`,
  });
}
