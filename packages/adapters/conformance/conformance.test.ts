import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { selects } from '../../../runtime/residual/index.js';
import { type Combined, columnConformance, type ConformanceCase, conformance, HIDDEN, ROWS } from './index.js';

const IDS = ROWS.map(({ id }) => id);
const selected = new Map<string, readonly string[]>();
const select = ({ filter }: ConformanceCase): readonly string[] => {
  const key = JSON.stringify(filter);
  const ids = selected.get(key) ?? ROWS.filter((row) => selects(filter, row)).map(({ id }) => id);
  selected.set(key, ids);
  return ids;
};

/** @param nots what the store makes of a negation. */
function combine(
  combined: Combined,
  nots: (found: readonly string[]) => readonly string[] = (found) => IDS.filter((id) => !found.includes(id)),
): readonly string[] {
  if ('plan' in combined) return select(combined.plan);
  if ('ids' in combined) return combined.ids;
  if ('not' in combined) return nots(combine(combined.not, nots));
  const isAnd = 'and' in combined;
  const parts = (isAnd ? combined.and : combined.or).map((part) => combine(part, nots));
  return IDS.filter((id) =>
    isAnd ? parts.every((part) => part.includes(id)) : parts.some((part) => part.includes(id)),
  );
}

const test = suite('the conformance kit');

test('a store that is right has no findings', async () => {
  const report = await conformance({
    rows: 'all',
    select,
    ways: { count: (plan) => select(plan).length, update: select },
    combine: (combined) => combine(combined),
    attributesOf: (id) => ROWS.find((row) => row.id === id)?.attr ?? {},
  });
  assert.equal([...report.overGrants, ...report.underGrants, ...report.failures, ...report.refusals], []);
  assert.is(report.asked.ways, 2 * Math.ceil(report.exact / 4));
  assert.ok(report.asked.combinations > 200);
  assert.is(report.asked.attributes, ROWS.length);
});

test('what a store does wrong in a combination, another way or attributes is reported', async () => {
  const report = await conformance({
    rows: 'typed',
    select: (plan) => select(plan).filter((id) => ROWS.find((row) => row.id === id)?.isTyped),
    ways: {
      count: (plan) => select(plan).length,
      update: () => ROWS.filter(({ isTyped }) => isTyped).map(({ id }) => id),
      nested: () => [],
    },
    combine: (combined) =>
      combine(combined, (found) => found).filter((id) => ROWS.find((row) => row.id === id)?.isTyped),
    attributesOf: (id) => ({ ...ROWS.find((row) => row.id === id)?.attr, owner: 'anna' }),
  });
  const placesOf = (findings: readonly { readonly place: string }[]): string =>
    [...new Set(findings.map(({ place }) => place))].sort().join();
  assert.is(placesOf(report.overGrants), 'combined,count,update');
  assert.is(placesOf(report.underGrants), 'combined,nested');
  assert.is(placesOf(report.failures), 'attributes');
});

test('a store whose conditions cannot be negated is not asked to', async () => {
  const isNegated = (combined: Combined): boolean =>
    'not' in combined || ('and' in combined ? combined.and : 'or' in combined ? combined.or : []).some(isNegated);
  await conformance({
    rows: 'all',
    negates: false,
    select,
    combine(combined) {
      assert.not(isNegated(combined));
      return combine(combined);
    },
  });
  assert.ok(HIDDEN.shares.length > 0);
});

test('a column that the database compares otherwise than check is reported', async () => {
  const values = new Map([
    ['1', 'anna'],
    ['2', 'ANNA'],
    ['3', ''],
    ['4', undefined],
  ]);
  const stored = (lower: boolean) => ({
    name: lower ? 'citext as text' : 'text as text',
    ids: [...values.keys()],
    attributesOf: (id: string) => (values.get(id) === undefined ? {} : { x: values.get(id) }),
    select: ({ filter }: { readonly filter: ConformanceCase['filter'] }) =>
      [...values.keys()].filter((id) => {
        const x = values.get(id);
        return selects(filter, { attr: x === undefined ? {} : { x: lower ? x.toLowerCase() : x } });
      }),
  });
  const right = await columnConformance([stored(false)]);
  assert.equal([right.overGrants, right.underGrants, right.refusals, right.failures], [[], [], [], []]);
  assert.ok(right.answered > 60);
  const wrong = await columnConformance([stored(true)]);
  const found = wrong.overGrants.find(({ condition }) => condition === 'R.attr.x == "anna"');
  assert.equal(found, { condition: 'R.attr.x == "anna"', place: 'citext as text, allow', detail: '2', ids: ['2'] });
  assert.ok(wrong.underGrants.some(({ place }) => place === 'citext as text, deny'));
});

test('a row that cannot be read is not compared, and refusals are counted', async () => {
  const report = await columnConformance([
    {
      name: 'numeric as number',
      ids: ['1', '2'],
      attributesOf(id) {
        if (id === '2') throw new TypeError('not a number');
        return { x: 10 };
      },
      select({ condition, filter }) {
        if (condition.includes('timestamp'))
          throw Object.assign(new Error('not a time'), { name: 'UnsupportedPlanError' });
        return [...(selects(filter, { attr: { x: 10 } }) ? ['1'] : []), '2'];
      },
    },
  ]);
  assert.equal([report.overGrants, report.underGrants, report.failures], [[], [], []]);
  assert.is(report.refusals.length, 12);
});

test.run();
