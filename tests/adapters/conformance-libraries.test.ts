import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conformance } from '../../packages/adapters/conformance/index.js';
import { NOTE_LIBRARIES, writeNotes } from './note-libraries.js';

const test = suite('the conformance kit over the adapters for SQL');

const folder = mkdtempSync(join(tmpdir(), 'authz-kit-'));
const path = join(folder, 'notes.db');
test.before(() => writeNotes(path));
test.after(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, open] of Object.entries(NOTE_LIBRARIES))
  test(`${name} selects exactly the rows that check allows, in every combination, with rows that are hidden`, async () => {
    const copy = join(folder, `${name}.db`);
    copyFileSync(path, copy);
    const library = await open(copy);
    const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);
    try {
      const report = await conformance({
        rows: 'typed',
        negates: false,
        select: async (plan) => idsOf(await library.select({ plan })),
        ways: { count: (plan) => library.count({ plan }) },
        combine: async (combined) => idsOf(await library.select(combined)),
        async attributesOf(id) {
          const [row] = await library.select({ ids: [id] });
          const [home, shares] = await Promise.all([library.related('homes', id), library.related('shares', id)]);
          return library.attributesOf({ ...row, home, shares });
        },
      });
      const { overGrants, underGrants, failures, refusals, ...counts } = report;
      console.log(`  ${name}: ${JSON.stringify({ ...counts, refusals: refusals.length })}`);
      assert.equal([...overGrants, ...underGrants, ...failures].slice(0, 5), []);
      assert.ok(counts.exact > 380, 'the adapter refuses too much');
    } finally {
      await library.end();
    }
  });

test.run();
