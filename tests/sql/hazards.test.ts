import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { filterText, FLAT, REFERENCE, selects, type Writing } from '../../runtime/residual/index.js';
import { Random } from '../support/oracle/random.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { EFFORT } from '../support/effort.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { HAZARDS } from '../support/sql/hazardous-conditions.js';
import { documentOf, hostileAttributes } from '../support/sql/hostile-rows.js';
import { render } from './renderer.js';
import { ResourceTable } from './resource-table.js';

/** The position of a condition in a policy. Each turns a wrong result of the condition into a different error. */
const PLACES: { readonly [name: string]: (expr: string, action: string) => readonly object[] } = {
  allow: (expr, action) => [{ ...GRANT, actions: [action], condition: { match: { expr } } }],
  none: (expr, action) => [{ ...GRANT, actions: [action], condition: { match: { none: { of: [{ expr }] } } } }],
  deny: (expr, action) => [
    { ...GRANT, actions: [action] },
    { ...GRANT, effect: 'EFFECT_DENY', actions: [action], condition: { match: { expr } } },
  ],
};
const GRANT = { effect: 'EFFECT_ALLOW', roles: ['user'] };
const WRITINGS: { readonly [name: string]: Writing } = {
  exact: { shapes: 'flat', nots: 'exact' },
  guarded: FLAT,
  plain: REFERENCE,
};
const PRINCIPAL = { id: 'u1', roles: ['user'], attr: { teams: ['a', 'b'], n: 1 } };

const test = suite('conditions that are easily planned wrong');

test('a plan selects no row that check denies, and the exact form all that it allows, in process and in SQLite', async () => {
  const rows = hostileRows().map((row, position) => ({ id: position % 2 === 0 ? 'r' : 'x', ...row }));
  const table = await ResourceTable.open();
  table.fill(rows.map(({ id, attr }) => ({ id, attr: documentOf(attr) })));
  const problems = new Map<string, string>();
  const count = { rendered: 0, refused: 0 };
  for (const place of Object.keys(PLACES)) {
    const { policies } = await loaded(compileTexts({ 'p.yaml': policyText(place) }));
    const engines = Object.entries(WRITINGS).map(
      ([writing, plan]) => [writing, createEngine(policies, { plan })] as const,
    );
    const [[, decider]] = engines as [(typeof engines)[number]];
    for (const [index, expr] of HAZARDS.entries()) {
      const action = `a${index}`;
      const read = [...rows.entries()].filter(([, row]) => mayMatter(row, expr));
      const allowed = new Set(
        read.flatMap(([position, { id, attr }]) =>
          decider.isAllowed({ principal: PRINCIPAL, resource: { kind: 'thing', id, attr }, action }) ? [position] : [],
        ),
      );
      for (const [writing, engine] of engines) {
        const { filter, unplanned } = engine.plan({
          principal: PRINCIPAL,
          resource: { kind: 'thing' },
          actions: [action],
        });
        const rendering = render(filter);
        count[rendering.kind === 'sql' ? 'rendered' : 'refused'] += 1;
        const selected = rendering.kind === 'sql' ? table.select(rendering) : undefined;
        for (const [position, { id, attr }] of read) {
          const inProcess = selects(filter, { id, attr });
          const isAllowed = allowed.has(position);
          const detail = (): string => `${place}, ${writing}: ${documentOf(attr)}, ${filterText(filter)}`;
          if ((selected?.has(position) ?? inProcess) !== inProcess)
            assert.unreachable(`SQLite and the evaluator of filters differ: ${expr}, ${detail()}`);
          if (inProcess && !isAllowed) problems.set(expr, `selects what check denies: ${detail()}`);
          else if (writing !== 'plain' && unplanned.length === 0 && isAllowed && !inProcess && !problems.has(expr))
            problems.set(expr, `selects too few: ${detail()}`);
        }
      }
    }
  }
  table.close();
  console.log(
    `  ${HAZARDS.length} conditions in 3 places and 3 writings, ${rows.length} rows: rendered ${count.rendered}, refused ${count.refused}`,
  );
  const outcomes = HAZARDS.map((expr): Outcome => ({ id: `hazards/${expr}`, problem: problems.get(expr) }));
  settle('hazards', outcomes, readKnownFailures(join(import.meta.dirname, 'known-failures.txt')), HAZARDS.length);
});

test.run();

function policyText(place: string): string {
  const rules = HAZARDS.flatMap((expr, index) => PLACES[place]?.(expr, `a${index}`) ?? []);
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'thing', version: 'default', rules },
  });
}

interface Row {
  readonly attr: Attributes;
  /** The attribute that differs from the usual row; undefined for more than one. */
  readonly changed?: string;
}

/** Whether a row may differ for a condition from the usual one. At quick, a row that cannot is left out. */
function mayMatter({ changed }: Row, expr: string): boolean {
  if (EFFORT !== 'quick' || changed === undefined) return true;
  const reads = expr.match(/(?<=\bR\.attr)(?:\.\??\w+|\["\w+|)/g) ?? [];
  return reads.some((read) => ['', changed].includes(read.replace(/^\W+/, '')));
}

/** Every value in every position, every attribute missing, none at all, and some random rows. */
function hostileRows(): readonly Row[] {
  const usual = { x: 'a', y: 'a', n: 1, flag: true, list: ['x'], map: { a: 'x', n: 'x' }, items: [{ a: 'x', n: 1 }] };
  const names = Object.keys(usual);
  const random = new Random(7);
  return [
    ...names.flatMap((name) => VALUES.map((value) => ({ attr: { ...usual, [name]: value }, changed: name }))),
    ...names.map((name) => ({
      attr: Object.fromEntries(Object.entries(usual).filter(([other]) => other !== name)),
      changed: name,
    })),
    { attr: {} },
    ...Array.from({ length: 30 }, () => ({ attr: hostileAttributes(random) })),
  ];
}

const VALUES: readonly unknown[] = [
  'a',
  'b',
  'A',
  'abc',
  'YWJj',
  '',
  '\0',
  'q',
  '1',
  'true',
  '10.1.2.3',
  '127.0.0.1',
  '2021-01-01T00:00:00Z',
  '3600s',
  'a.b',
  '1h',
  1,
  0,
  2,
  -0,
  3,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 63,
  0.5,
  -1,
  1e308,
  true,
  false,
  null,
  [],
  {},
  ['x'],
  ['x', 'x'],
  ['x', 'y'],
  ['YWJj'],
  [1],
  [null],
  [[1], { a: 1 }],
  { a: 1 },
  { a: 'x' },
  { a: 'YWJj' },
  { '1': 'a' },
  [{ a: 'x' }, { a: 1 }, 's'],
  [{ a: 'x', list: ['x'] }],
];
