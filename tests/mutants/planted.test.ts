import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MUTANTS } from './mutants.js';
import { misfit } from './plant.js';

/** Whether mutants still fit the code, before the night in which they run. */
const test = suite('places of mutants');

test('each mutant can be planted: its text occurs exactly once in its file', () => {
  const misfits = MUTANTS.map(misfit).filter((problem) => problem !== undefined);
  assert.is(misfits.length, 0, misfits.join('\n'));
});

test.run();
