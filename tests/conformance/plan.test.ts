import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';
import { replaySuite } from './replay-suite.js';

/** The number of cases in each recorded folder. */
const TOTALS: { readonly [folder: string]: number } = {
  build_expr: 112,
  cel_errors: 8,
  defaults: 15,
  fuzz_build_expr: 90,
  fuzz_lenient: 60,
  fuzz_main: 60,
  fuzz_strict: 120,
  lenient: 110,
  normalise: 36,
  requests: 19,
  schema_cases_none: 3,
  schema_cases_reject: 3,
  schema_cases_warn: 3,
  server: 18,
  strict: 109,
  strict_evaluation: 9,
};

const test = suite('recorded plans');

if (hasCorpus(import.meta.url)) {
  const known = readKnownFailures(join(import.meta.dirname, 'plan-known-failures.txt'));
  test('the recorded folders are the expected ones', () => {
    assert.equal(readdirSync(join(CORPUS, 'plan')).sort(), Object.keys(TOTALS));
  });
  for (const [folder, total] of Object.entries(TOTALS)) {
    test(`plan/${folder} is answered as recorded, in reference shapes`, async () => {
      settle(`plan/${folder}`, await replaySuite(`plan/${folder}`, { referenceShapes: true }), known, total);
    });
  }
}

test.run();
