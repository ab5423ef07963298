/**
 * The `gum profile` commands as functions that return JSON roots; the command line renders them
 * (spec 03 §3.18). Import this module lazily: it brings the TOML parser.
 *
 * @module
 */

export {
  listProfiles,
  type ProfileFinding,
  type ProfileListing,
  type ProfileValidation,
  showProfile,
  type ValidatedFile,
  validateProfileText,
  type ValidationContext,
} from "./validate_command.ts";
export {
  fixtureFailure,
  type FixtureReport,
  type ProfileTestReport,
  type ProfileTestRequest,
  shapeInput,
  testProfile,
  type TestTools,
} from "./test_command.ts";
export { embeddedLayer, parsedLayer } from "./layers.ts";
export { resolveProfile } from "./resolve.ts";
