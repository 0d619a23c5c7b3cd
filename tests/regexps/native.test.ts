import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../support/oracle/random.js';
import { closeBrowser, hasBrowser, inBrowser } from '../support/platforms/browser.js';
import { hasWorker, inWorker } from '../support/platforms/worker.js';
import { automatonOf } from '../support/safe-matchers.js';
import { skip } from '../support/skip.js';
import { type Question, randomCorpus } from './corpus.js';
import { disagreementsOf } from './disagreements.js';
import { disagreementProgram } from './program.js';
import { IS_REPEATED, SEED, rounds } from '../support/effort.js';

// Random patterns in automata and in the native regular expressions of each host, compared with RE2.
// PATTERNS=100000 SEED=7 runs more of them.

const PATTERNS = rounds(3000);
const TEXTS = 16;
/** Small enough for a slow machine to answer within the time limit of a worker. */
const BATCH = 1000;

const test = suite('regular expressions compared with RE2');

/** One corpus at a time, created again for each host, so that large runs fit in memory. */
async function inBatches(
  answers: (corpus: readonly Question[]) => Promise<string>,
  matcherOf?: typeof automatonOf,
): Promise<void> {
  const random = new Random(SEED);
  const tally = { texts: 0, matches: 0 };
  for (let left = PATTERNS; left > 0; left -= BATCH) {
    const corpus = randomCorpus(random, Math.min(left, BATCH), TEXTS, matcherOf);
    tally.texts += corpus.flatMap(({ texts }) => texts).length;
    tally.matches += corpus.flatMap(({ matches }) => matches).filter(Boolean).length;
    assert.is(await answers(corpus), '', `seed ${SEED}`);
  }
  console.log(`seed ${SEED}: ${PATTERNS} patterns, ${tally.texts} strings, ${tally.matches} matches`);
  assert.ok(tally.matches > tally.texts / 5 && tally.matches < (tally.texts * 4) / 5, 'both answers are asked for');
}

test(`in Node ${process.versions.node}`, () =>
  inBatches(async (corpus) => disagreementsOf(corpus, 'native').join('\n')));

test('in an automaton', () =>
  inBatches(async (corpus) => disagreementsOf(corpus, 'automaton').join('\n'), automatonOf));

// Other hosts have their own regular expressions, whatever Node starts them.
if (!IS_REPEATED) {
  test.after(closeBrowser);

  test('in a browser', async () => {
    if (!hasBrowser) return skip(import.meta.url, 'no browser is installed');
    await inBatches(async (corpus) => (await inBrowser(await disagreementProgram(corpus, 'native'))).text);
  });

  test('in a worker', async () => {
    if (!hasWorker) return skip(import.meta.url, 'no worker runtime is installed');
    await inBatches(async (corpus) => inWorker(await disagreementProgram(corpus, 'native')));
  });
}

test.run();
