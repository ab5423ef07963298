/** How a program of the model ends without a value: it fails, or it is left out. */

/** An error of the model: a kind and a message. */
export class ModelError extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The program does too much, or something whose outcome is not settled: it is left out. */
export class Unpredictable extends Error {}

/** Nodes that one program may evaluate and show. */
const MOST_WORK = 20_000;
let work = 0;

/** Begins the count for the next program. */
export function startCounting(): void {
  work = 0;
}

/** Counts one node. @throws Unpredictable beyond what one program may do */
export function spend(): void {
  if (++work > MOST_WORK) throw new Unpredictable("too much work");
}
