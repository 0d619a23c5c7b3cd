import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import { readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus, replaySuite } from './served-suite.js';

const test = suite('recorded expressions over HTTP');

if (hasCorpus(import.meta.url)) {
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  for (const folder of readdirSync(join(CORPUS, 'cel')).sort()) {
    test(`cel/${folder} is answered as recorded`, async () => settle(`cel/${folder}`, await replaySuite(`cel/${folder}`), known));
  }
}

test.run();
