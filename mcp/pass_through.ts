/** A schema for the SDK that accepts anything: every check and every message is this surface's own. */

/** Hands on what it is given. */
export const passThrough = {
  "~standard": {
    version: 1 as const,
    vendor: "gum",
    validate: (value: unknown) => ({ value }),
  },
};
