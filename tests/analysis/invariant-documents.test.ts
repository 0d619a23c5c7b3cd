import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile, type Compilation } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { inspect } from '../../compiler/inspect/inspect.js';
import { printValue } from '../support/print-program.js';
import { parse } from '../../compiler/parse/index.js';

const test = suite('documents of invariants');

const CONTACT = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: contact
  version: default
  rules:
    - {name: owners, actions: [view, update], effect: EFFECT_ALLOW, roles: [user]}
    - {name: locked, actions: ["update*"], effect: EFFECT_DENY, roles: ["*"]}
`;
const SHARED = `apiVersion: api.authz.dev/v1
exportVariables:
  name: shared
  definitions: {is_own: R.attr.owner == P.id}
`;
const INVARIANTS = `apiVersion: api.authz.dev/v1
invariants:
  name: contacts
  variables:
    import: [shared]
    local: {is_small: R.attr.size <= C.most}
  constants:
    local: {most: 3}
  statements:
    - name: own ones
      never:
        resource: contact
        scope: ""
        actions: [update]
        principal: {id: bob, roles: [user, guest], allRoles: [a], notRoles: [admin]}
        when: {match: {all: {of: [{expr: V.is_small}, {expr: R.attr.size > 1 + 1}]}}}
        unless: {match: {expr: V.is_own}}
    - name: who updates may view
      implies: {resource: "cont*", actions: [update], also: [view]}
    - name: locked is final
      final: {rule: resource.contact.vdefault#locked}
    - name: alive
      reachable: {}
`;

const FOLDER = { 'contact.yaml': CONTACT, 'invariants.yaml': INVARIANTS, 'shared.yaml': SHARED };

function compiled(folder: Readonly<Record<string, string>>, vocabulary = {}): Compilation {
  const sources = Object.entries(folder).map(([path, text]) => new Source(path, text));
  return compile(sources, new Diagnostics(), { vocabulary });
}

/** The diagnostics of the folder with a word of its invariants replaced, as `line code`. */
function problems(from: string, to: string, vocabulary = {}): readonly string[] {
  assert.ok(INVARIANTS.includes(from), from);
  const { diagnostics } = compiled({ ...FOLDER, 'invariants.yaml': INVARIANTS.replace(from, to) }, vocabulary);
  return diagnostics.map(({ code, place, source }) => {
    const at = place === undefined ? '' : `:${place.span.source.lineAndColumn(place.span.start).line}`;
    return `${source?.path}${at} ${code}`;
  });
}

test('statements are lowered with the variables and constants that their conditions read', () => {
  const { invariants, diagnostics } = compiled(FOLDER);
  assert.equal(
    diagnostics.map(({ message }) => message),
    [],
  );
  const [set] = invariants;
  assert.is(set?.key, 'invariants.contacts');
  assert.equal(
    set?.statements.map(({ name, claim, span }) => [name, claim.form, span.source.lineAndColumn(span.start).line]),
    [
      ['own ones', 'never', 10],
      ['who updates may view', 'implies', 18],
      ['locked is final', 'final', 20],
      ['alive', 'reachable', 22],
    ],
  );
  assert.equal(set?.statements[0]?.claim, {
    form: 'never',
    about: {
      resource: 'contact',
      version: undefined,
      scope: '',
      actions: ['update'],
      principal: { id: 'bob', roles: ['user', 'guest'], allRoles: ['a'], notRoles: ['admin'] },
      when: 'when of own ones',
      unless: 'unless of own ones',
    },
  });
  assert.equal(
    set?.conditions.variables.map(({ name, value }) => [name, printValue(value)]),
    [
      ['is_own', 'equals(resource.attr.owner, principal.id)'],
      ['is_small', 'atMost(resource.attr.size, 3.0)'],
    ],
  );
});

test('conditions of statements are optimised as those of rules are', () => {
  const [set] = compiled(FOLDER).invariants;
  const when = set?.conditions.definitions.find(({ name }) => name === 'when of own ones')?.condition;
  const parts = when?.kind === 'all' ? when.of : [];
  assert.equal(
    parts.map((part) => part.kind === 'expr' && printValue(part.value)),
    ['V.is_small', 'greaterThan(resource.attr.size, 2)'],
  );
});

test('nothing is emitted for invariants', () => {
  const { 'invariants.yaml': _, ...without } = FOLDER;
  const texts = ({ files }: Compilation) => files.map(({ path, text }) => [path, text]);
  assert.equal(texts(compiled(FOLDER)), texts(compiled(without)));
});

test('mistakes in statements are reported at their place', () => {
  const at = (line: number, code: string): readonly string[] => [`invariants.yaml:${line} ${code}`];
  assert.equal(problems('notRoles:', 'notRole:'), at(15, 'policy/unknown-field'));
  assert.equal(problems('reachable: {}', 'rechable: {}'), at(23, 'policy/unknown-field'));
  assert.equal(
    problems('      reachable: {}', '      reachable: {}\n      always: {}'),
    at(24, 'policy/alternative-set'),
  );
  assert.equal(problems('      reachable: {}\n', ''), at(22, 'invariant/empty'));
  assert.equal(problems('name: alive', 'name: own ones'), at(22, 'invariant/duplicate-name'));
  assert.equal(problems(', also: [view]', ''), ['invariants.yaml policy/required']);
  assert.equal(problems('resource: contact', 'resource: contcat'), at(12, 'invariant/unknown-kind'));
  assert.equal(problems('also: [view]', 'also: [veiw]'), at(19, 'invariant/unknown-action'));
  assert.equal(problems('#locked', '#unlocked'), at(21, 'invariant/unknown-rule'));
  assert.equal(problems('#locked', '#owners'), at(21, 'invariant/not-a-deny'));
  assert.equal(problems('expr: V.is_own', 'expr: V.is_own2'), at(17, 'variable/undefined'));
  assert.equal(problems('expr: V.is_own', 'expr: R.attr.'), at(17, 'expression/invalid'));
  assert.equal(problems('import: [shared]', 'import: [sharde]'), at(5, 'import/missing'));
  assert.equal(problems('{expr: V.is_small}', '{expr: R.attr.owner != P.id}'), [
    'invariants.yaml:6 variable/unused',
    'invariants.yaml:8 constant/unused',
    'invariants.yaml:16 invariant/when-may-fail',
  ]);
});

test('a statement may name what a glob matches', () => {
  assert.equal(problems('actions: [update]', 'actions: ["updates"]'), []);
  assert.equal(problems('actions: [update]', 'actions: ["up*"]'), []);
  assert.equal(problems('actions: [update]', 'actions: ["dele*"]'), ['invariants.yaml:14 invariant/unknown-action']);
});

test('roles and actions of statements must be in the vocabulary', () => {
  const vocabulary = { roles: ['user', 'guest', 'a'], actions: ['view'] };
  assert.equal(problems('name: alive', 'name: alive', vocabulary), [
    'contact.yaml:6 vocabulary/undeclared-action',
    'contact.yaml:7 vocabulary/undeclared-action',
    'invariants.yaml:14 vocabulary/undeclared-action',
    'invariants.yaml:15 vocabulary/undeclared-role',
  ]);
});

test('a `when` that may fail is fine where the attribute is known to exist', () => {
  const guarded = '{expr: has(R.attr.owner) && R.attr.owner != P.id && V.is_small}';
  assert.equal(problems('{expr: V.is_small}', guarded), []);
  assert.equal(problems('{expr: V.is_small}', '{expr: V.is_small && !has(R.attr.owner)}'), []);
  assert.equal(problems('{expr: V.is_small}', '{expr: \'V.is_small && P.id != "x"\'}'), []);
});

test('inspect lists the attributes and names that statements read', () => {
  const files = Object.entries(FOLDER).flatMap(
    ([path, text]) => parse(new Source(path, text), new Diagnostics()) ?? [],
  );
  const inspected = inspect(files).find(({ policyId }) => policyId === 'invariants.contacts');
  assert.equal(
    inspected?.attributes.map(({ name }) => name),
    ['owner', 'size'],
  );
  assert.equal(
    inspected?.variables.map(({ name, used }) => [name, used]),
    [
      ['is_own', true],
      ['is_small', true],
    ],
  );
});

test.run();
