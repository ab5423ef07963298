/** What every part of the surface works on: the session, its seams and the resolved options. */

import type { CatalogSnapshot } from "../lib/catalog/types.ts";
import type { ToolSnapshot } from "./registry.ts";
import { nameForm } from "./tool_names.ts";
import { resolveTuning, type Tuning } from "./tuning.ts";
import type { ServedSession, SurfaceOptions, ToolNameForm } from "./types.ts";

/** The assembled surface. */
export interface Surface {
  readonly session: ServedSession;
  readonly options: SurfaceOptions;
  readonly tuning: Tuning;
  readonly catalog: CatalogSnapshot;
  /** The form in which a client of this name is shown tool names. */
  form(clientName: string): ToolNameForm;
}

/** One connection's view: the surface and the tools that existed when it began. */
export interface ConnectedSurface extends Surface {
  readonly tools: ToolSnapshot;
}

/** Assembles a surface. Configuration values out of range are clamped with one warning each. */
export function createSurface(session: ServedSession, options: SurfaceOptions): Surface {
  const tuning = resolveTuning(
    session.tuning ?? {},
    (message, fields) => session.log.log("warn", message, fields),
  );
  return {
    session,
    options,
    tuning,
    catalog: session.catalog,
    form: (clientName) => nameForm(options.toolNames ?? "auto", clientName),
  };
}
