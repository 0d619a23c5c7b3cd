import { type Work, WorkCounter } from '../support/work.js';

/** A shape, compiled in two sizes. */
export interface Measured {
  readonly name: string;
  readonly small: Work;
  readonly large: Work;
  /** What the compiler said of the larger one. */
  readonly outcome: string;
}

/**
 * Prints, for each shape of a table, or for those that are named, a line of JSON. A program by itself: the counter must
 * be there before the compiler is loaded.
 */
async function main(table: string, names: readonly string[]): Promise<void> {
  const counter = await WorkCounter.start();
  const { compileInput, MISTAKES, SHAPES } = await import('./shapes.js');
  for (const [name, { n, of }] of Object.entries(table === 'mistakes' ? MISTAKES : SHAPES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    // What is worked out once, as tables of the language are, belongs to neither.
    compileInput(of(3));
    const [few, many] = [of(n), of(4 * n)];
    let outcome = '';
    const small = await counter.workOf(() => void compileInput(few));
    const large = await counter.workOf(() => {
      outcome = compileInput(many);
    });
    console.log(JSON.stringify({ name, small, large, outcome } satisfies Measured));
  }
}

await main(process.argv[2] ?? 'shapes', process.argv.slice(3));
