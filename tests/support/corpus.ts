import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED } from './compiled.js';
import { skip } from './skip.js';

/** The recorded suites and their runner. The runner's rules of comparison apply. */
export const CORPUS = join(SHARED, 'conformance');

/** Whether the recorded suites are available. If not, the test file at this URL is reported as skipped. */
export function hasCorpus(url: string): boolean {
  const present = existsSync(join(CORPUS, 'run.mjs'));
  if (!present) skip(url, 'the recorded suites are not here (../shared/conformance)');
  return present;
}
