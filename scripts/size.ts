import { sizes } from './sizes.js';

/* `npm run size`: what programs weigh that embed the engine, minified and gzipped. Ends with code 1 above a budget. */

for (const { name, bytes, gzipped, budget } of await sizes()) {
  const isOver = budget !== undefined && gzipped > budget;
  const allowed =
    budget === undefined ? '' : `  of at most ${budget.toLocaleString('en-US')}${isOver ? ': TOO BIG' : ''}`;
  console.log(`${name.padEnd(40)} ${figure(bytes)} bytes ${figure(gzipped)} gzipped${allowed}`);
  if (isOver) process.exitCode = 1;
}

function figure(bytes: number): string {
  return bytes.toLocaleString('en-US').padStart(8);
}
