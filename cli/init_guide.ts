/** The text of `GUM.md`, which `gum init` leaves for agents (spec 08 §4.8 step 6). */

import { VERSION } from "../lib/version/mod.ts";
import guide from "./init_guide.md" with { type: "text" };

/** The guide, stamped with the version of this build. */
export function guideText(): string {
  return guide.replaceAll("{{version}}", VERSION);
}
