/**
 * `gum plugin setup`: secrets into the credential store, then the proof (spec 06 §3.12).
 *
 * @module
 */
export {
  activate,
  type SetupDialogue,
  type SetupOutcome,
  type SetupParts,
  setupPlugin,
} from "./setup.ts";
