/**
 * The build's version (spec 08 §4.12): `dev` from source; a release build replaces the text after
 * the colon in the bundle, never in the sources.
 */
const STAMP = "gum-version-stamp:dev";

/** `dev`, or the release tag. */
export const VERSION: string = STAMP.slice(STAMP.indexOf(":") + 1);
