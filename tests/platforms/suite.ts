import type { Engine, EngineOptions } from '../../runtime/engine/index.js';
import type { Explainer } from '../../runtime/engine/parts.js';

/** The same time on every platform. */
export const OPTIONS: EngineOptions = {
  clock: () => ({ seconds: 1_760_000_000, nanos: 5_000_000, offset: 0 }),
  globals: { region: 'eu' },
};

/** What to include. */
export type Wants = 'checks' | 'checks and plans' | 'explanations';

/** The answers to all questions of the suite as one text. Uses no platform APIs. */
export function answersOf(engine: Engine, wants: Wants): string {
  const lines: string[] = [];
  for (const { kind, actions, attributes } of KINDS) {
    for (const principal of PRINCIPALS) {
      for (const [index, attr] of attributes.entries()) {
        const resource = { kind, id: `${kind}-${index}`, attr };
        lines.push(JSON.stringify(engine.check({ principal, resources: [{ resource, actions }], includeMeta: true })));
        lines.push(JSON.stringify(actions.map((action) => engine.isAllowed({ principal, resource, action }))));
      }
      if (wants === 'checks') continue;
      for (const action of actions) {
        const { filter, filterDebug } = engine.plan({ principal, resource: { kind }, actions: [action] });
        lines.push(JSON.stringify({ filter, filterDebug }));
      }
    }
  }
  return lines.join('\n');
}

/** The explanations of all decisions of the suite, as one text. */
export function explanationsOf(engine: Explainer): string {
  const lines: string[] = [];
  for (const { kind, actions, attributes } of KINDS) {
    for (const principal of PRINCIPALS) {
      for (const [index, attr] of attributes.entries()) {
        const resource = { kind, id: `${kind}-${index}`, attr };
        for (const action of actions)
          lines.push(JSON.stringify(engine.explain({ principal, resource, action }, { near: 1, tries: 100 })));
      }
    }
  }
  return lines.join('\n');
}

const PRINCIPALS = [
  { id: 'alice', roles: ['user'], attr: { tags: ['x', 'y'], department: 'hr', region: 'eu', clearance: 3 } },
  { id: 'bob', roles: ['admin', 'manager', 'curator'], attr: { tags: [], department: 'it', team: 'a' } },
  { id: 'zoë\u2028', roles: ['guest:1', '__proto__', 'constructor'] },
];

const OWNED = [
  { owner: 'alice', visibility: 'public', status: 'PENDING', friends: ['bob'] },
  { owner: 'bob', visibility: 'friends', friends: ['alice'], locked: true },
  {},
];

const AT = '2024-12-31T23:30:00.123456789Z';

const KINDS = [
  { kind: 'contact', actions: ['list', 'read', 'create', 'update', 'delete', 'other'], attributes: OWNED },
  { kind: 'album', actions: ['view', 'edit', 'delete', 'comment:add', '__proto__'], attributes: OWNED },
  {
    kind: 'leave_request',
    actions: ['create', 'view', 'edit', 'approve', 'delete'],
    attributes: [
      ...OWNED,
      {
        owner: 'alice',
        department: 'hr',
        status: 'PENDING',
        days: 3,
        startDate: '2030-01-01T00:00:00Z',
        geography: 'GB',
      },
    ],
  },
  {
    kind: 'everything',
    actions: [
      'patterns',
      'hostile-patterns',
      'instants',
      'years',
      'addresses',
      'texts',
      'lists',
      'numbers',
      'maps',
      'bytes',
    ],
    attributes: [
      { text: 'Ärger 123', at: AT, address: '10.1.2.3', tags: ['y', 'x'], amount: 4, map: { key: 'value' } },
      {
        text: `${'a'.repeat(3_000)}!`,
        at: '2030-06-01T06:00:00+02:00',
        address: '2001:db8::1',
        tags: ['\ufffd', '\u{1f600}', '\uffff'],
        amount: 0.1,
        map: { __proto__: null },
      },
      { text: '\ud800', at: 'no time', address: '::ffff:10.0.0.1', tags: [], amount: -0, map: {} },
      {},
    ],
  },
];
