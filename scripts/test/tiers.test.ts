import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { includes, PATTERNS, suiteOf, type Tier, waits } from './tiers.js';

const tiers = suite('tiers');

const FILES = execFileSync('git', ['ls-files', '*.test.ts', ':!examples/templates'], { encoding: 'utf8' })
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
  for (const file of FILES.filter((each) => includes('runtime', each))) assert.ok(includes('runtime-nightly', file));
  assert.ok(includes('runtime-nightly', 'tests/server/stalled-connections.test.ts'));
  assert.not.ok(includes('runtime', 'tests/server/stalled-connections.test.ts'));
});

/*
 * The table of tests/README.md#each-suite. RECORD=1 writes it. The column about the time before tiers is kept as it is.
 */
tiers('the table of suites says where each runs', () => {
  const page = new URL('../../tests/README.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  const [written = ''] = /^\| suite \|[\s\S]*?\n(?=\n)/m.exec(text) ?? [];
  const before = new Map(
    written.split('\n').map((line) => {
      const [, suiteCell = '', beforeCell = ''] = line.split('|').map((cell) => cell.trim());
      return [suiteCell, beforeCell];
    }),
  );
  const rows = [...new Set(FILES.map(suiteOf))].sort().map((name) => {
    const files = FILES.filter((file) => suiteOf(file) === name);
    const where = (['quick', 'full', 'campaign', 'runtime', 'runtime-nightly'] as const).map((tier) =>
      partOf(files, tier),
    );
    return `| \`${name}\` | ${[before.get(`\`${name}\``) ?? 'new', ...where].join(' | ')} |\n`;
  });
  const table = `${HEAD}${rows.join('')}`;
  if (process.env['RECORD'] === '1')
    writeFileSync(
      page,
      text.replace(written, () => table),
    );
  else assert.is(written, table, 'run RECORD=1 node --import tsx scripts/test/tiers.test.ts');
});

const HEAD = `| suite | before: other Nodes | \`npm test\` | \`npm run test:full\` | \`npm run test:campaign\` | other Nodes |
|---|---|---|---|---|---|
`;

/** Which of the files a tier has. */
function partOf(files: readonly string[], tier: Tier): 'all' | 'some' | '' {
  const count = files.filter((file) => includes(tier, file)).length;
  if (count === 0) return '';
  return count === files.length ? 'all' : 'some';
}

tiers.run();
