import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { DANGEROUS_NAMES, DANGEROUS_TEXTS, hostilePolicies } from './hostile-policies.js';

const test = suite('decisions of hostile policies');

const { policies, traced } = await loaded(compileTexts(hostilePolicies()));
const engines: readonly (readonly [name: string, engine: Engine])[] = [
  ['by default', createEngine(policies, { globals: { region: 'eu' } })],
  [
    'in strict evaluation',
    createEngine(policies, { globals: { region: 'eu' }, strictEvaluation: true, traced: await traced() }),
  ],
];

interface Asked {
  readonly kind: string;
  readonly attr?: object;
  readonly roles?: readonly string[];
  readonly principal?: string;
  readonly scope?: string;
  readonly version?: string;
  readonly auxData?: object;
}

/** The allowed actions among those in question. */
function allowed(
  engine: Engine,
  { kind, attr = {}, roles = ['user'], principal = 'u', scope = '', version = '', auxData }: Asked,
  actions: readonly string[],
): readonly string[] {
  const [result] = engine.check({
    principal: { id: principal, roles, attr: {} },
    resources: [{ resource: { kind, id: 'r', attr: attr as never, scope, policyVersion: version }, actions }],
    ...(auxData !== undefined && { auxData: auxData as never }),
  });
  return result?.actions.filter(({ effect }) => effect === 1).map(({ action }) => action) ?? [];
}

/** Tests that both engines allow exactly the expected actions. */
function decides(sentence: string, asked: Asked, expected: readonly string[], others: readonly string[] = []): void {
  for (const [name, engine] of engines) {
    test(`${sentence}, ${name}`, () => assert.equal(allowed(engine, asked, [...expected, ...others]), expected));
  }
}

for (const name of ['constructor', 'then', '__proto__', 'class', 'item', 'P', 'eval']) {
  if (!DANGEROUS_NAMES.includes(name)) continue;
  decides(
    `a rule, an action and a role named ${name} work like others`,
    { kind: 'names', attr: { name }, roles: [name] },
    [name],
    ['toString', 'other'],
  );
  decides(`another role does not match ${name}`, { kind: 'names', attr: { name }, roles: ['nobody'] }, [], [name]);
}
decides('rules whose names become equal identifiers are distinct', { kind: 'names' }, [
  'edit-own',
  'editOwn',
  'EDIT',
  'A',
  'empty',
]);

for (const [index, text] of DANGEROUS_TEXTS.entries()) {
  const shown = JSON.stringify(text).slice(0, 30);
  decides(
    `a string ${shown} keeps its value as role, action, attribute and literal`,
    { kind: 'texts', attr: { text }, roles: [text] },
    [text, `text${index}:x`, `use${index}`],
    ['other', `use${index + 1}`],
  );
  decides(
    `an attribute named ${shown} is read`,
    { kind: 'texts', attr: JSON.parse(`{${JSON.stringify(text)}: true, "text": "no"}`), roles: [text] },
    [text],
    [`use${index}`],
  );
}

for (const count of [31, 65]) {
  const kind = count === 31 ? 'thirty_one' : 'sixty_five';
  decides(
    `role ${count - 1} of ${count} has only its own rule`,
    { kind, roles: [`role${count - 1}`] },
    [`a${count - 1}`],
    [...new Set(['a0', `a${count - 31}`, 'a5'])],
  );
  decides(
    `role 0 of ${count} does not get the rule that shares its bit`,
    { kind, roles: ['role0'] },
    ['a0'],
    ['a30', 'shared'],
  );
  decides(
    `a glob among ${count} roles matches roles that policies name and others`,
    { kind, roles: ['role34'] },
    ['shared'],
    ['a0', 'a3'],
  );
  decides(
    `denying a role of ${count} does not deny another one that shares its bit`,
    { kind, roles: ['role1', 'role30'] },
    ['a1', 'a30', 'shared'],
  );
  decides(
    `the denial of a glob among ${count} roles applies to a named role`,
    { kind, roles: ['role30'] },
    ['a30'],
    ['shared'],
  );
}
decides(
  'forty roles that no rule distinguishes share one bit',
  { kind: 'shared_roles', roles: ['staff39'] },
  ['view'],
  ['edit'],
);
decides('another role keeps its bit', { kind: 'shared_roles', roles: ['boss'] }, ['view', 'edit']);
decides('one of a hundred rules', { kind: 'many_rules', attr: { n: 73 } }, ['action3'], ['action0', 'action7']);

for (const key of [
  'constructor',
  'length',
  'toString',
  '__proto__',
  'valueOf',
  'hasOwnProperty',
  'at',
  'size',
  'keys',
]) {
  const own = JSON.parse(`{"${key}": "x", "o": {"${key}": "x"}, "l": [{"${key}": "x"}]}`);
  const other = JSON.parse(`{"${key}": "y", "o": {"${key}": null}, "l": [{}, [], "text", {"${key}": 1}]}`);
  const all = ['equals', 'differs', 'has', 'nested', 'nested has', 'element'].map((name) => `${name} ${key}`);
  decides(
    `an own attribute ${key} is read`,
    { kind: 'attributes', attr: own },
    all.filter((name) => !name.startsWith('differs')),
    [`differs ${key}`],
  );
  decides(
    `another value of ${key} is different`,
    { kind: 'attributes', attr: other },
    [`differs ${key}`, `has ${key}`, `nested has ${key}`],
    [`equals ${key}`, `nested ${key}`, `element ${key}`],
  );
  decides(
    `${key} of a prototype is not an attribute`,
    { kind: 'attributes', attr: { o: {}, l: [{}, [], 'x', 1] } },
    [],
    all,
  );
  decides(
    `${key} of a string, a list and a number is not an attribute`,
    { kind: 'attributes', attr: { o: 'x', l: ['x'] } },
    [],
    all,
  );
}
for (const key of ['0', 'a-b', '', 'ü', '1e3', '__proto__', "a'b"]) {
  const all = [`index ${key}`, `nested index ${key}`, `in ${key}`];
  decides(
    `an attribute is indexed by ${JSON.stringify(key)}`,
    { kind: 'attributes', attr: JSON.parse(`{${JSON.stringify(key)}: "x", "o": {${JSON.stringify(key)}: "x"}}`) },
    all,
  );
  decides(`a list is not indexed by ${JSON.stringify(key)}`, { kind: 'attributes', attr: { o: ['x'] } }, [], all);
}
const deep = Array.from({ length: 60 }).reduceRight<unknown>(
  (inner, _, index) => ({ [`a${index}`]: inner }),
  1,
) as object;
decides('sixty chained selections are read', { kind: 'attributes', attr: deep }, ['deep']);

decides('kinds that differ in case are different', { kind: 'Album', attr: { ok: true } }, ['view']);
decides('a kind of 300 letters', { kind: 'x'.repeat(300), attr: { ok: true } }, ['view']);
decides('its neighbour', { kind: `${'x'.repeat(300)}y`, attr: { ok: false } }, [], ['view']);
decides('a kind that is an emoji', { kind: '👩‍👩‍👧', attr: { ok: true } }, ['view']);
decides('kind album.vx is not version x of album', { kind: 'album.vx', attr: { ok: true } }, ['view']);
decides('version x of album is not kind album.vx', { kind: 'album', version: 'x', attr: { ok: false } }, ['view']);
decides('a scope', { kind: 'album', scope: 'acme', attr: { ok: false } }, ['view']);
decides('a scope that differs by case', { kind: 'Album', scope: 'ACME', attr: { ok: false } }, ['view']);

const macros = {
  n: 1,
  names: ['a'],
  p: 2,
  o: { k: 'x' },
  l: [
    { v: 1, m: [{ v: 2 }] },
    { v: 2, m: [] },
  ],
};
decides('every macro, whatever its variables are called', { kind: 'macros', attr: macros }, [
  'nested',
  'shadowed',
  'shadows P',
  'rooted',
  'two over a list',
  'two over a map',
  'called pattern',
  'called list',
  'keywords',
  'cel',
  'bind',
  'bind in bind',
  'exists one',
  'map',
  'literal maps',
  'literal lists',
  'transform',
  'sorted',
  'optional',
  'attributes themselves',
]);
decides(
  'variables named like JavaScript keywords and like each other',
  { kind: 'bindings', attr: { ok: true, n: 1 } },
  ['ok', 'has not failed', 'failed or true', 'list', 'unwrapped', 'output'],
  ['failed', 'not failed', 'has failed'],
);
decides(
  'the request, bindings and claims as whole values',
  {
    kind: 'wholes',
    roles: ['admin'],
    attr: { a: 1 },
    auxData: { jwt: { sub: 's' }, jwts: { b: { claims: { x: 1, y: { z: 'deep' } } }, c: { claims: {} } } },
  },
  [
    'variables',
    'constants',
    'globals',
    'global',
    'optional variable',
    'request',
    'principal',
    'roles',
    'claims',
    'has claims',
    'nested claims',
  ],
  ['no global'],
);

const expressions = {
  n: 1,
  ok: true,
  no: true,
  l: [{ v: 1 }],
  names: ['a'],
  since: '2020-05-05T00:00:00Z',
  ip: '10.1.2.3',
};
decides(
  'every form of expression',
  { kind: 'expressions', attr: expressions },
  [
    'deep ternary',
    'nested ternary',
    'ternary in a macro in a ternary',
    'many ands',
    'mixed',
    'ints',
    'uints',
    'bytes',
    'types',
    'numbers',
    'empty lists',
    'not in',
    'times',
    'patterns',
    'format',
    'network',
    'messages',
    'optionals',
    'constant',
  ],
  ['never'],
);
decides(
  'constants named like members of Object.prototype',
  { kind: 'constants', attr: { names: ['a'], n: 1 } },
  ['scalars', 'list', 'paths', 'has', 'empty', 'names', 'element'],
  ['missing'],
);

const [byDefault, inStrictEvaluation] = engines.map(([, engine]) => engine) as [Engine, Engine];
test('a failed variable of a derived role does not satisfy a rule, and reads as null in the list of roles', () => {
  assert.equal(allowed(byDefault, { kind: 'runtime', attr: { owner: 'nobody' } }, ['own', 'reads', 'whole']), [
    'own',
    'whole',
  ]);
  assert.equal(allowed(byDefault, { kind: 'runtime', attr: { owner: 'u' } }, ['own', 'reads', 'whole']), [
    'own',
    'reads',
    'whole',
  ]);
  const [result] = byDefault.check({
    principal: { id: 'u', roles: ['user'] },
    resources: [{ resource: { kind: 'runtime', id: 'r', attr: { owner: 'u' } }, actions: ['own'] }],
    includeMeta: true,
  });
  assert.equal(result?.effectiveDerivedRoles, ['owner', 'then']);
});
test('in strict evaluation a failed derived role fails conditions that read the list', () => {
  assert.equal(allowed(inStrictEvaluation, { kind: 'runtime', attr: { owner: 'u' } }, ['own', 'reads', 'whole']), []);
});
decides(
  'derived roles of two sets whose names become equal identifiers',
  { kind: 'two_sets', attr: { ok: true, second: true, owner: 'x' } },
  ['view', 'owner'],
);

decides(
  'a condition that several rules share',
  { kind: 'two_sets', attr: { ok: false, second: false, owner: 'x', x: 2 } },
  ['owner', 'several'],
  ['view'],
);
decides(
  'a shared condition that is false',
  { kind: 'two_sets', attr: { ok: false, second: false, owner: 'x', x: 1 } },
  [],
  ['several'],
);
decides('a policy, a rule and a derived role with the same name', { kind: 'owner', attr: { owner: 'u' } }, ['view']);

decides(
  'consent that the child gives and the root confirms',
  { kind: 'consent', scope: 'strict', attr: { open: true, public: true, locked: false } },
  ['view', 'edit'],
);
decides(
  'consent that the child denies',
  { kind: 'consent', scope: 'strict', attr: { open: false, public: true, locked: false } },
  [],
  ['view', 'edit'],
);
decides(
  'consent that the root does not confirm',
  { kind: 'consent', scope: 'strict', attr: { open: true, locked: false } },
  ['edit'],
  ['view'],
);

const obrien = "o'brien\\ @example.com";
decides(
  'a principal policy denies by kind',
  { kind: 'album', principal: obrien, attr: { ok: true, edit: true, any: false } },
  ['edit all'],
  ['view'],
);
decides(
  'a rule of the same name for another kind has its own condition',
  { kind: 'Album', principal: obrien, attr: { ok: true, any: false } },
  ['view'],
);
decides(
  'and does not apply when its own condition is false',
  { kind: 'Album', principal: obrien, attr: { ok: false, any: false } },
  [],
  ['view'],
);

test.run();
