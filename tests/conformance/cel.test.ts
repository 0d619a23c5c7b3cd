import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';
import { replaySuite } from './replay-suite.js';

/** The number of cases in each recorded folder. */
const TOTALS: { readonly [folder: string]: number } = {
  eval: 157,
  fuzz: 120,
  lib: 225,
  recorded: 387,
};

const test = suite('recorded expressions over HTTP');

if (hasCorpus(import.meta.url)) {
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  test('the recorded folders are the expected ones', () => {
    assert.equal(readdirSync(join(CORPUS, 'cel')).sort(), Object.keys(TOTALS));
  });
  for (const [folder, total] of Object.entries(TOTALS)) {
    test(`cel/${folder} is answered as recorded`, async () => {
      settle(`cel/${folder}`, await replaySuite(`cel/${folder}`), known, total);
    });
  }
}

test.run();
