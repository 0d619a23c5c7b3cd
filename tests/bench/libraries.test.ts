import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../../bench/harness/paths.js';
import { printOverview, readOverview } from '../../bench/overview.js';
import { VERSIONS } from '../../bench/peers/libraries/install.js';
import { LIBRARIES } from '../../bench/peers/libraries/libraries.js';
import { runWorkload } from '../../bench/peers/libraries/run-workload.js';
import { hospital } from '../../bench/peers/libraries/workloads/hospital.js';
import { WORKLOADS } from '../../bench/peers/libraries/workloads.js';
import { drawPicture } from '../../bench/picture.js';
import { skip } from '../support/skip.js';

const test = suite('the comparison with other libraries');

const LARGE = /^hospital-(?!1$)/;

test('all libraries that are installed decide all workloads alike', async () => {
  const missing = new Map<string, string>();
  for (const workload of WORKLOADS.filter(({ name }) => !LARGE.test(name))) {
    // Rejects if one decides otherwise.
    const report = await runWorkload(workload, 256, 0);
    assert.ok(report.compared.length >= 4, `${workload.name}: ${report.compared.join(', ')}`);
    assert.ok(report.allowed >= 32 && report.allowed <= 224, `${workload.name}: ${report.allowed} of 256 allowed`);
    for (const { name, reason } of report.missing) missing.set(name, reason);
  }
  for (const [name, reason] of missing)
    skip(
      import.meta.url,
      `${name} is not compared: ${reason} (\`npm run bench -- libraries\` installs what it compares)`,
    );
});

test('CI installs the packages of all libraries', () => {
  assert.equal(LIBRARIES.map((library) => library.package).toSorted(), Object.keys(VERSIONS));
  assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /cp bench\/peers\/libraries\/package\.json "\$folder"\n/);
});

test('a library that decides otherwise is found', async () => {
  const workload = hospital(1);
  const strict = Object.entries(workload.policies).map(([path, text]) => [
    path,
    text.replaceAll('[doctor, nurse]', '[doctor]'),
  ]);
  const run = runWorkload({ ...workload, policies: Object.fromEntries(strict) }, 256, 0);
  const message = await run.then(String, (error: Error) => error.message);
  assert.match(message, 'authz decides otherwise than by hand: {"principal":{"id":"staff-');
});

test('the picture shows the table that results.md begins with', () => {
  const results = readFileSync(join(ROOT, 'bench/results.md'), 'utf8');
  const rows = readOverview(results);
  assert.ok(rows.length >= 10, `${rows.length} rows`);
  assert.ok(results.includes(printOverview(rows)));
  assert.is(readFileSync(join(ROOT, 'bench/results.svg'), 'utf8'), drawPicture(rows));
});

test('a figure of the table changes the picture', () => {
  const rows = readOverview(readFileSync(join(ROOT, 'bench/results.md'), 'utf8'));
  const changed = rows.map((row) => (row.name === 'CASL' ? { ...row, attributes: 1_000 } : row));
  assert.is.not(drawPicture(changed), drawPicture(rows));
  assert.match(drawPicture(changed), '1 µs');
});

test('rows are sorted by what a decision costs, and round figures come back as they are printed', () => {
  const rows = [
    { name: 'slow', roles: 1_234_567, attributes: undefined, bytes: undefined, start: undefined },
    { name: 'authz', roles: 30, attributes: 40, bytes: 9_900, start: 12.5 },
  ];
  const text = printOverview(rows);
  assert.equal(readOverview(`# Title\n\n${text}\n\nafter`), [rows[1], rows[0]]);
  assert.is(printOverview(readOverview(text)), text);
});

test.run();
