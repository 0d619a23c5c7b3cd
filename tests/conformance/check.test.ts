import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';
import { replaySuite } from './replay-suite.js';

/** The number of cases in each recorded folder. */
const TOTALS: { readonly [folder: string]: number } = {
  auxdata: 39,
  auxdata_none: 4,
  auxdata_unverified: 7,
  cel_errors: 13,
  defaults: 106,
  fuzz_lenient: 60,
  fuzz_main: 120,
  fuzz_plan_policies: 60,
  fuzz_server: 60,
  lenient: 79,
  main: 81,
  names: 29,
  requests: 43,
  schema_cases_none: 5,
  schema_cases_reject: 5,
  schema_cases_warn: 5,
  schema_reject: 3,
  schema_warn: 3,
  server: 30,
  server_warn: 16,
  strict_evaluation: 10,
};

const test = suite('recorded checks');

if (hasCorpus(import.meta.url)) {
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  test('the recorded folders are the expected ones', () => {
    assert.equal(readdirSync(join(CORPUS, 'check')).sort(), Object.keys(TOTALS));
  });
  for (const [folder, total] of Object.entries(TOTALS)) {
    test(`check/${folder} is answered as recorded`, async () => {
      settle(`check/${folder}`, await replaySuite(`check/${folder}`), known, total);
    });
  }
}

test.run();
