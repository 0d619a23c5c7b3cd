import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { overBudget } from './budgets.js';
import { includes, PATTERNS, suiteOf, waits } from './tiers.js';

const tiers = suite('tiers');
const budgets = suite('budgets');

const FILES = execFileSync('git', ['ls-files', '*.test.ts', ':!templates'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');

tiers('each pattern matches a test file, so that a suite that moves is not forgotten', () => {
  for (const pattern of PATTERNS)
    assert.ok(
      FILES.some((file) => pattern.test(file)),
      String(pattern),
    );
  assert.ok(FILES.some((file) => waits(suiteOf(file))));
});

tiers('quick has the unit tests, full has quick, campaign has everything', () => {
  for (const file of FILES) {
    if (includes('unit', file)) assert.ok(includes('quick', file), file);
    if (includes('quick', file)) assert.ok(includes('full', file), file);
    assert.ok(includes('campaign', file), file);
  }
});

tiers('other versions of Node run the runtime and the programs', () => {
  assert.ok(includes('runtime', 'runtime/engine/decide/check.test.ts'));
  assert.ok(includes('runtime', 'tests/smoke/programs.test.ts'));
  assert.not.ok(includes('runtime', 'tests/docs/docs.test.ts'));
});

budgets('a suite may use twice its budget', () => {
  const allowed = { quick: { cheap: 1, usual: 20 } };
  assert.equal(overBudget('quick', new Map(Object.entries({ cheap: 9, usual: 40 })), allowed), []);
  const [excess = '', unknown = ''] = overBudget('quick', new Map(Object.entries({ usual: 41, added: 11 })), allowed);
  assert.match(excess, /^usual used 41 CPU seconds, more than twice its budget of 20/);
  assert.match(unknown, /^added used 11 CPU seconds, more than twice its budget of 0/);
});

tiers.run();
budgets.run();
