import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

/*
 * Every command about policies whose names have characters that a terminal obeys, that hide or turn the text after them,
 * or that end a line: none of them is printed, and no command fails because of them.
 */
const test = suite('what commands print of names');

const NAME = 'n\u202e\u0007\u001bM\u2028\u0085\ufeff`\'"';
const HARMFUL = /(?!\n)\p{Cc}|[\u202a-\u202e\u2028\u2029\ufeff]/u;

const condition = (expr: string): object => ({ condition: { match: { expr } } });
const cel = JSON.stringify(NAME);
const [kind, action, role, owner] = ['kind', 'action', 'role', 'owner'].map((name) => `${name} ${NAME}`) as [
  string,
  string,
  string,
  string,
];
const POLICIES: { readonly [path: string]: object } = {
  'roles.yaml': {
    derivedRoles: {
      name: 'set',
      definitions: [{ name: 'owner', parentRoles: [role], ...condition(`R.attr[${cel}] == P.attr[${cel}]`) }],
    },
  },
  'constants.yaml': { exportConstants: { name: 'names', definitions: { one: NAME, many: { [NAME]: [NAME] } } } },
  'kind.yaml': {
    description: NAME,
    metadata: { annotations: { [NAME]: NAME }, sourceAttributes: { attributes: { [NAME]: NAME } } },
    resourcePolicy: {
      resource: kind,
      version: 'default',
      importDerivedRoles: ['set'],
      constants: { import: ['names'], local: { own: NAME, unused: NAME } },
      schemas: { resourceSchema: { ref: 'authz:///kind.json', ignoreWhen: { actions: [`other ${NAME}`] } } },
      rules: [
        { name: 'owners', actions: [action], effect: 'EFFECT_ALLOW', derivedRoles: ['owner'] },
        {
          actions: [`${action}*`, `${action}2`],
          effect: 'EFFECT_DENY',
          roles: [role, `${role}*`],
          ...condition(`R.attr[${cel}] == C.one || R.attr.x in C.many`),
        },
        {
          actions: [action],
          effect: 'EFFECT_ALLOW',
          roles: [role],
          ...condition(`P.attr[${cel}] == ${cel} && R.attr.x != C.own`),
          output: { when: { ruleActivated: `{${cel}: R.attr[${cel}]}`, conditionNotMet: cel } },
        },
        { actions: [action], effect: 'EFFECT_ALLOW', roles: [owner], ...condition(`R.attr.x == ${cel}`) },
      ],
    },
  },
  'principal.yaml': {
    principalPolicy: {
      principal: `ann ${NAME}`,
      version: 'default',
      rules: [
        {
          resource: kind,
          actions: [{ action: `${action}2`, effect: 'EFFECT_ALLOW', ...condition(`R.attr[${cel}].${'`a-b`'} == 1`) }],
        },
      ],
    },
  },
  'role.yaml': {
    rolePolicy: {
      role: `role of ${NAME}`,
      version: 'default',
      parentRoles: [role],
      rules: [{ resource: kind, allowActions: [action] }],
    },
  },
  'invariants.yaml': {
    invariants: {
      name: 'statements',
      statements: [
        { name: `refuted ${NAME}`, never: { resource: kind, actions: [action], principal: { notRoles: [owner] } } },
        {
          name: `proved ${NAME}`,
          never: { resource: kind, actions: [action], principal: { notRoles: [role, owner, `role of ${NAME}`] } },
        },
      ],
    },
  },
};
const SCHEMA = {
  type: 'object',
  title: NAME,
  properties: { [NAME]: { enum: [NAME, `2${NAME}`] }, x: { type: 'string' }, [`unread ${NAME}`]: {} },
};
const principals = { [NAME]: { id: `ann ${NAME}`, roles: [role], attr: { [NAME]: NAME, x: [NAME] } } };
const resources = { [NAME]: { kind, id: `id ${NAME}`, attr: { [NAME]: NAME, x: NAME } } };
const SUITE = {
  name: NAME,
  principals,
  resources,
  tests: [
    {
      name: `failing ${NAME}`,
      input: { principals: [NAME], resources: [NAME], actions: [action, `${action}2`] },
      expected: [
        {
          principal: NAME,
          resource: NAME,
          actions: { [action]: 'EFFECT_DENY' },
          outputs: [{ action, expected: [{ src: NAME, val: NAME }] }],
        },
      ],
    },
  ],
};
const TABLES = {
  tables: {
    [kind]: {
      name: 'public.kinds',
      id: { column: 'id', type: 'text' },
      columns: { [NAME]: { column: 'named', type: 'text' }, x: { column: 'x', type: 'text' } },
      rls: { select: `${action}3`, to: ['app'] },
    },
  },
  rls: { attributes: { x: 'text' } },
};
const text = (value: unknown): string => JSON.stringify(value, undefined, 1);
const inFolder = (name: string, edited = (policy: string): string => policy): { readonly [path: string]: string } =>
  Object.fromEntries(
    Object.entries(POLICIES).map(([path, policy]) => [
      `${name}/${path}`,
      edited(text({ apiVersion: 'api.authz.dev/v1', ...policy })),
    ]),
  );
const folder = folderOf({
  ...inFolder('policies'),
  ...inFolder('edited', (policy) => policy.replace('R.attr.x != C.own', 'R.attr.x != P.id')),
  'edited/_schemas/kind.json': text(SCHEMA),
  'policies/_schemas/kind.json': text(SCHEMA),
  'tests/kind_test.yaml': text(SUITE),
  'principal.json': text(principals[NAME]),
  'resource.json': text(resources[NAME]),
  'principals.json': text({ principals: Object.values(principals) }),
  'resources.json': text({ resources: Object.values(resources) }),
  'tables.json': text(TABLES),
  'client.json': text({ client: { kinds: { [kind]: { actions: [action, `${action}2`], attributes: [NAME] } } } }),
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const ASKED = ['--principal', 'principal.json', '--resource', 'resource.json', '--action', action];
const ABOUT = ['--kind', kind, '--action', action];
const REVIEW = ['--review', 'review.json', '--data', 'principals.json', '--resources', 'resources.json'];
const FAST = ['--no-solver', '--effort', '1'];
/** The command lines, each with its exit code, and its formats with `-o`. */
const COMMANDS: readonly (readonly [words: readonly string[], code: number, formats?: readonly string[]])[] = [
  [['compile', '--explain', '--facts', '--table', 'tables.json'], 0],
  [['compile', '--no-emit'], 0, ['pretty', 'list', 'json']],
  [['compile', '--out', 'other', '--bundle', 'other.js', '--client', 'client.json'], 0],
  [['lint'], 0, ['pretty', 'list', 'json']],
  [['test', '--tests', 'tests'], 4, ['tree', 'list', 'json']],
  [['test', '--tests', 'tests', '--verbose'], 4],
  [['test', '--tests', 'tests', '--coverage'], 4],
  [['test', '--tests', 'tests', '--suggest', '--no-solver'], 4],
  [['check', ...ASKED], 0, ['text', 'json']],
  [['check', ...ASKED, '--explain'], 0, ['text', 'json']],
  [['explain', ...ASKED], 0, ['pretty', 'json']],
  [['plan', '--principal', 'principal.json', ...ABOUT], 0, ['tree', 'text', 'json']],
  [
    ['plan', '--principal', 'principal.json', '--kind', kind, '--action', `${action}3`, '--table', 'tables.json'],
    0,
    ['sql'],
  ],
  [['plan', '--principal', 'principal.json', ...ABOUT, '--table', 'tables.json'], 1, ['sql']],
  [['rls', '--table', 'tables.json'], 0, ['sql', 'json']],
  [['matrix'], 0, ['pretty', 'markdown', 'html', 'json']],
  [['who-can', ...ABOUT], 0, ['pretty', 'json']],
  [['who-can', '--resource', 'resource.json', '--action', action, '--data', 'principals.json'], 0, ['pretty', 'json']],
  [['facts'], 0, ['text', 'json', 'types', 'mask']],
  [['facts', '--lines', '--level', 'response'], 0],
  [['facts', '--table', 'tables.json'], 0, ['columns']],
  [['verify', ...FAST], 1, ['pretty', 'list', 'json', 'markdown']],
  [['inspect'], 0, ['text', 'json', 'yaml']],
  [['diff', 'policies', 'edited', ...FAST], 1, ['pretty', 'list', 'json', 'markdown']],
  [['ci'], 3],
  [['bundle', '--out', 'policies.authzbundle'], 0],
  [['review', 'start', ...REVIEW], 0],
  [['review', 'export', ...REVIEW, '--out', 'export.csv'], 0],
  [['fmt', 'edited'], 0],
];

for (const [words, code, formats = ['']] of COMMANDS) {
  test(words.slice(0, 2).join(' '), async () => {
    for (const format of formats) {
      const ended = await callAuthzc([...words, ...(format === '' ? [] : ['-o', format])], folder);
      const all = `${ended.stdout}${ended.stderr}`;
      assert.is(ended.code, code, `${format}: ${all}`);
      assert.not.match(all, HARMFUL, format);
    }
  });
}

test.run();
