/** The compiled validator of manifest outlines, with its type. */

// @ts-types="./outline_validator.generated.d.ts"
import { validate } from "./outline_validator.generated.js";

export { validate };
