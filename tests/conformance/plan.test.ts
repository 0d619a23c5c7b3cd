import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import { readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus, replaySuite } from './served-suite.js';

const test = suite('recorded plans');

if (hasCorpus(import.meta.url)) {
  const known = readKnownFailures(join(import.meta.dirname, 'plan-known-failures.txt'));
  for (const folder of readdirSync(join(CORPUS, 'plan')).sort()) {
    test(`plan/${folder} is answered as recorded, in reference shapes`, async () => {
      settle(`plan/${folder}`, await replaySuite(`plan/${folder}`, { referenceShapes: true }), known);
    });
  }
}

test.run();
