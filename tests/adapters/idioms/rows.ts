import { createEngine, type Engine } from '../../../runtime/engine/index.js';
import type { Filter, JsonValue } from '../../../runtime/residual/filters.js';
import { compileTexts, loaded } from '../../support/compiled.js';
import { PLACES } from '../../support/mutants/conditions.js';
import type { Random } from '../../support/oracle/random.js';
import { EFFORT, SEED } from '../../support/effort.js';
import { IDIOMS, PRINCIPAL } from './idioms.js';

/** A row as check receives it; its id is that of an integer key. */
export interface Row {
  readonly id: string;
  readonly attr: { readonly [name: string]: JsonValue };
}

/** The time of each request. */
export const NOW = '2024-06-15T12:00:00.000Z';

/** Rows whose values have the types that a database declares: some missing, some null, some repeated. */
export function typedRows(random: Random, count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => ({ id: String(index), attr: typedAttributes(random) }));
}

const PEOPLE = ['anna', 'bob', 'cleo', 'Anna', 'anna ', '', 'dora', '4'];
const TEXTS = ['dr', 'draft', 'd', '', 'a draft', 'Dr', 'ünï', 'x', 'mm', 'dr%_', '\\draft', 'a\nb', '\u{1F600}dr'];
const TAGS = ['public', 'red', 'team-a', 'team-b', 'secret', 'Public', 'PUBL\u0130C', 'publ\u0131c', 'anna', 'x', ''];
const TIMES = [
  '2023-12-31T23:59:59.999Z',
  '2024-01-01T00:00:00.000Z',
  '2024-06-14T12:00:00.000Z',
  '2024-06-14T12:00:00.001Z',
  '2024-06-15T11:59:59.999Z',
  '2024-06-15T12:00:00.000Z',
  '2024-06-15T13:00:00.000Z',
  '2024-06-15T13:00:00.001Z',
  '2024-05-16T12:00:00.000Z',
  '2025-01-01T00:00:00.000Z',
  '1700-01-01T00:00:00.000Z',
  '9999-12-31T23:30:00.000Z',
  '0001-01-01T00:00:00.000Z',
];

const ADDRESSES = [
  ...[
    '10.1.2.3',
    '10.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '192.168.0.1',
    '192.169.0.0',
    '010.1.2.3',
    '10.1.2',
    '10.1.2.256',
  ],
  ...[
    'x',
    '',
    '10.1.2.3 ',
    '10.1.2.3/8',
    '::',
    '::1',
    '::ffff:10.1.2.3',
    '::FFFF:a01:203',
    '0:0:0:0:0:ffff:c0a8:1',
    '::ffff:c0a8:0',
  ],
  ...[
    '2001:db8::',
    '2001:DB8:ffff::1',
    '2001:db9::',
    '2001:db8::1%eth0',
    '1::2::3',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7::',
    ':::',
    '12345::',
  ],
  ...[
    '1:2:3:4:5:6:1.2.3.4',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1:2:3:4:5:6:1.2.3.4',
    '1:2:3:4:5:6:7:8:9',
    '10.1.2.3\n',
    '1::',
    ':1',
    '1:',
  ],
];

function typedAttributes(random: Random): Row['attr'] {
  const maybe = <T extends JsonValue>(value: T): T | undefined => (random.chance(0.2) ? undefined : value);
  return present({
    owner: maybe(random.pick(PEOPLE)),
    assignee: random.chance(0.5) ? maybe(random.pick(PEOPLE)) : undefined,
    status: random.pick(['draft', 'review', 'published', 'archived', 'deleted']),
    title: maybe(random.pick(TEXTS)),
    email: maybe(
      random.pick([
        'anna@example.com',
        'Anna@Example.com',
        'b@example.com',
        'b@example.org',
        'é@EXAMPLE.COM',
        'anna@example.c\u00d6m',
        'x@EXAMPLE_COM',
        'kim@x.org',
        'KIM@x.org',
        '\u212aim@x.org',
        'k\u0130m@x.org',
        '\u212a@example.com',
        '',
      ]),
    ),
    amount: maybe(random.pick([0, 1, 2, 3, 7, 8, 10, 12, 20, 100, 101, 999, 1000, -5])),
    price: random.pick<number | null>([null, 0, 1.5, 99.99, 100, 12, 1e6]),
    shared: maybe(random.chance(0.5)),
    createdAt: random.pick(TIMES),
    expiresAt: maybe(random.pick(TIMES)),
    path: maybe(
      random.pick([
        'acme',
        'acme.',
        'acme.sales',
        'acme.sales.emea',
        'acme.salesx',
        'acme.sales.emea.ch',
        'other.sales',
        '',
        'Acme.sales',
      ]),
    ),
    ip: maybe(random.pick(ADDRESSES)),
    home: random.chance(0.2) ? undefined : present({ city: maybe(random.pick(['Bern', 'bern', 'Basel'])) }),
    tags: random.times(0, 3, () => random.pick(TAGS)),
    shares: random.times(0, 3, () =>
      present({
        user: random.pick(PEOPLE),
        team: random.chance(0.1) ? undefined : random.pick(['red', 'blue', 'team-a', 'Red']),
        role: random.chance(0.1) ? undefined : random.pick(['editor', 'viewer', 'owner', 'blocked']),
        until: random.chance(0.1) ? undefined : random.pick(TIMES),
      }),
    ),
    project: random.chance(0.3)
      ? undefined
      : present({ lead: maybe(random.pick(PEOPLE)), org: random.pick(['acme', 'other']), public: random.chance(0.5) }),
  });
}

/** Rows in which any attribute may have any type, or be missing. */
export function hostileRows(random: Random, count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => {
    const attr: { [name: string]: JsonValue } = { ...typedAttributes(random) };
    for (const name of random.some([...Object.keys(attr), 'assignee', 'project', 'expiresAt'], 1, 4))
      if (random.chance(0.2)) delete attr[name];
      else attr[name] = random.pick(STRANGE);
    return { id: String(index), attr };
  });
}

const STRANGE: readonly JsonValue[] = [
  null,
  0,
  1.5,
  -1e300,
  true,
  false,
  '',
  'anna',
  'draft',
  '10',
  '2024-06-15T12:00:00.000Z',
  [],
  ['anna'],
  ['draft', 'public', 'red'],
  ['acme', 'sales', 'emea'],
  [1, null, true],
  [['anna']],
  [{ user: 'anna', role: 'editor', team: 'red', until: '2030-01-01T00:00:00.000Z' }],
  [{ user: 'anna' }, { role: 'editor' }, 'anna', null],
  [{ user: 1, role: null, team: [], until: 'x' }],
  [{ user: null, role: 'editor', team: 'red' }],
  {},
  { city: 'Bern', lead: 'anna', org: 'acme', public: true },
  { city: 1, lead: null, public: 'true' },
  { anna: 'x', public: 1 },
];

function present(fields: { readonly [name: string]: JsonValue | undefined }): { readonly [name: string]: JsonValue } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Row['attr'];
}

/** A plan of an idiom, alone or as a part of another condition. */
export interface IdiomPlan {
  readonly idiom: string;
  readonly name: string;
  readonly filter: Filter;
  /** Whether the plan has all rules. */
  readonly isWhole: boolean;
  isAllowed(row: Row): boolean;
}

/** How a condition stands in another one: alone, negated, beside others. */
const WITHIN: { readonly [name: string]: (expr: string) => string } = {
  alone: (expr) => expr,
  not: (expr) => `!(${expr})`,
  and: (expr) => `(${expr}) && R.attr.status != "deleted"`,
  or: (expr) => `R.attr.title == "x" || (${expr})`,
  'not or': (expr) => `!(R.attr.title == "x" || (${expr}))`,
  if: (expr) => `(${expr}) ? R.attr.status != "deleted" : R.attr.owner == "bob"`,
};

const ALL_IDIOMS: readonly string[] = Object.values(IDIOMS).flat();

/** Those that a run is about: all, or those that contain `FILTER`. */
const TESTED = ALL_IDIOMS.filter((idiom) => idiom.includes(process.env['FILTER'] ?? ''));

/** At the effort `quick`, each idiom has one of this many ways to be composed. */
const ROTATION = EFFORT === 'quick' ? 4 : 1;

/**
 * The plans of each idiom: alone as the condition of an ALLOW; and, if asked, in each place and composed, of which some
 * are left out at the effort `quick`.
 */
export async function idiomPlans(extent: 'alone' | 'composed'): Promise<readonly IdiomPlan[]> {
  const within = extent === 'alone' ? { alone: WITHIN.alone as (expr: string) => string } : WITHIN;
  const places = extent === 'alone' ? ['allow'] : Object.keys(PLACES);
  const cases = (extent === 'alone' ? ALL_IDIOMS : TESTED).flatMap((idiom, number) => {
    const all = Object.entries(within).flatMap(([name, compose]) =>
      (name === 'alone' ? places : ['allow', 'deny'].filter((one) => places.includes(one))).map((place) => ({
        idiom,
        name: `${place}, ${name}: ${idiom}`,
        rules: (action: string) => (PLACES[place] as (typeof PLACES)[string])(compose(idiom), action),
      })),
    );
    return all.filter((_, index) => index === 0 || extent === 'alone' || (index + number + SEED) % ROTATION === 0);
  });
  const rules = cases.flatMap((one, index) => one.rules(`a${index}`));
  const { policies } = await loaded(compileTexts({ 'p.yaml': policyOf(rules) }));
  const engine = createEngine(policies, { clock: () => clock() });
  return cases.map(({ idiom, name }, index) => {
    const action = `a${index}`;
    const { filter, unplanned } = engine.plan({
      principal: PRINCIPAL,
      resource: { kind: 'document' },
      actions: [action],
    });
    return {
      idiom,
      name,
      filter: JSON.parse(JSON.stringify(filter)) as Filter,
      isWhole: unplanned.length === 0,
      isAllowed: ({ id, attr }) => isAllowed(engine, id, attr, action),
    };
  });
}

function isAllowed(engine: Engine, id: string, attr: Row['attr'], action: string): boolean {
  return engine.isAllowed({ principal: PRINCIPAL, resource: { kind: 'document', id, attr }, action });
}

function clock(): { readonly seconds: number; readonly nanos: number; readonly offset: number } {
  return { seconds: Date.parse(NOW) / 1000, nanos: 0, offset: 0 };
}

function policyOf(rules: readonly object[]): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'document', version: 'default', rules },
  });
}
