import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import { readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus, replaySuite } from './served-suite.js';

const test = suite('recorded checks');

if (hasCorpus(import.meta.url)) {
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  for (const folder of readdirSync(join(CORPUS, 'check')).sort()) {
    test(`check/${folder} is answered as recorded`, async () => settle(`check/${folder}`, await replaySuite(`check/${folder}`), known));
  }
}

test.run();
