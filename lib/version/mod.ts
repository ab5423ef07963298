/** The build's version; `dev` until a release build stamps it (spec 08 §4.12). */
export const VERSION: string = "dev";
