import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LinkedPolicy } from '../ast/policy-set.js';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import { suggestName } from '../../packages/cel/check/did-you-mean.js';
import { formatList } from '../diagnostics/format.js';
import { Source } from '../diagnostics/source.js';
import { parse } from '../parse/index.js';
import { link } from './index.js';

/** Links documents given by path, without their `apiVersion`. */
function linked(documents: Readonly<Record<string, string>>) {
  const report = new Diagnostics();
  const sources = Object.entries(documents).map(
    ([path, text]) => new Source(path, `apiVersion: api.authz.dev/v1\n${text}`),
  );
  const files = sources.flatMap((source) => parse(source, report) ?? []);
  const { policies } = link(files, report);
  const list = report.sorted();
  return { policies, list, text: formatList(list).trimEnd().split('\n') };
}

/** The codes of all problems, each with its message. */
const problems = (documents: Readonly<Record<string, string>>) =>
  linked(documents).list.map(({ code, message }) => `${code}: ${message}`);
const codes = (documents: Readonly<Record<string, string>>) => linked(documents).list.map(({ code }) => code);

const resource = (fields = '', rules = '') =>
  `resourcePolicy: {resource: doc, version: default${fields}, rules: [${rules || '{actions: [view], effect: EFFECT_ALLOW, roles: [user]}'}]}`;
const when = (expr: string, rest = '') =>
  `{actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '${expr}'}}${rest}}`;
const scoped = (name: string, scope: string, permissions = '') =>
  `resourcePolicy: {resource: ${name}, version: default, scope: "${scope}"${permissions && `, scopePermissions: SCOPE_PERMISSIONS_${permissions}`}}`;
const OVERRIDE = 'OVERRIDE_PARENT';
const CONSENT = 'REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS';
const role = (name: string, rest = '', version = 'default') =>
  `rolePolicy: {role: ${name}, version: ${version}${rest}, rules: [{resource: doc, allowActions: [view]}]}`;
const roles = (name: string, definitions: string, rest = '') =>
  `derivedRoles: {name: ${name}, definitions: [${definitions}]${rest}}`;
const owner = '{name: owner, parentRoles: [user]}';

test('a misspelt import suggests a name of the same kind', () => {
  const { list } = linked({
    'roles.yaml': roles('staff', owner),
    'variables.yaml': 'exportVariables: {name: dates, definitions: {v: "1"}}',
    'constants.yaml': 'exportConstants: {name: limits, definitions: {c: 1}}',
    'doc.yaml': resource(', importDerivedRoles: [staf], variables: {import: [date]}, constants: {import: [limit]}'),
  });
  const missing = list.filter(({ code }) => code === 'import/missing');
  assert.equal(
    missing.map(({ notes }) => notes.map((note) => /`?(staff|dates|limits)`?/.exec(JSON.stringify(note))?.[1])),
    [['staff'], ['dates'], ['limits']],
  );
});

function only(policies: readonly LinkedPolicy[]) {
  const [policy] = policies;
  if (policy?.kind !== 'resource') throw new Error('no resource policy');
  return policy;
}

test('two documents with one identity are duplicates; names are compared sanitised (3.13)', () => {
  assert.equal(
    linked({ 'b.yaml': roles('d_1', owner), 'a.yaml': roles('d-1', owner), 'a/z.yaml': roles('d-1', owner) }).text,
    [
      'a.yaml:2:22: error[policy/duplicate]: duplicate definition of derived_roles.d_1 (see a/z.yaml:2:22)',
      'b.yaml:2:22: error[policy/duplicate]: duplicate definition of derived_roles.d_1 (see a/z.yaml:2:22)',
    ],
  );
  assert.equal(codes({ a: role('x-y'), b: 'rolePolicy: {role: x_y}' }), ['policy/duplicate', 'role-policy/no-version']);
  assert.equal(codes({ a: resource(), b: 'principalPolicy: {principal: doc, version: default}' }), []);
});

test('a disabled duplicate is allowed (2.4)', () => {
  assert.equal(codes({ a: resource(), b: `disabled: true\n${resource()}` }), []);
});

test('an import resolves by sanitised name to a document of its type (3.13)', () => {
  assert.equal(codes({ a: resource(', importDerivedRoles: [d_1]'), b: roles('d-1', owner) }), []);
  assert.equal(
    problems({ a: resource(', importDerivedRoles: [d-1.x], variables: {import: [d-1]}'), b: roles('d-1', owner) }),
    [
      "import/missing: cannot find derived roles 'd_1.x' imported by policy resource.doc.vdefault",
      "import/missing: cannot find variables 'd_1' imported by policy resource.doc.vdefault",
    ],
  );
});

test('a missing import suggests the nearest name', () => {
  const { list } = linked({ a: resource(', importDerivedRoles: [comon]'), b: roles('common', owner) });
  assert.equal(list[0]?.notes, [suggestName('comon', 'common')]);
});

test('imports of an unused derived-roles document are resolved, too (2.4)', () => {
  assert.equal(codes({ a: roles('d', owner, ', constants: {import: [nowhere]}') }), ['import/missing']);
});

test('every missing ancestor is reported once, with the policies that need it (3.13)', () => {
  const { list } = linked({ a: scoped('doc', 'a.b.c'), b: scoped('doc', 'a.b') });
  assert.equal(
    list.map(({ facts }) => facts),
    [
      { policy: 'resource.doc.vdefault', descendants: ['resource.doc.vdefault/a.b', 'resource.doc.vdefault/a.b.c'] },
      { policy: 'resource.doc.vdefault/a', descendants: ['resource.doc.vdefault/a.b', 'resource.doc.vdefault/a.b.c'] },
    ],
  );
});

test('ancestors are those of the same type, name and version; role policies need none (3.13)', () => {
  assert.equal(codes({ a: scoped('doc', 'a'), b: 'principalPolicy: {principal: doc, version: default}' }), [
    'scope/missing',
  ]);
  assert.equal(codes({ a: scoped('doc', 'a'), b: 'resourcePolicy: {resource: doc, version: v2}' }), ['scope/missing']);
  assert.equal(codes({ a: role('r', ', scope: a.b') }), []);
});

test('a role policy with a rule about the kind fills a gap, and the policies below it stay (8.10-D6)', () => {
  const child = scoped('doc', 'a.b');
  const root = resource();
  const { list, policies } = linked({ child, root, role: role('r', ', scope: a') });
  assert.equal(list, []);
  assert.equal(
    policies.map(({ key }) => key),
    ['resource.doc.vdefault', 'resource.doc.vdefault/a.b', 'role.r.vdefault/a'],
  );
  assert.equal(codes({ child, root, role: role('r', ', scope: a', 'v2') }), ['scope/missing']);
  assert.equal(
    codes({
      child,
      root,
      role: 'rolePolicy: {role: r, version: default, scope: a, rules: [{resource: "d*", allowActions: [x]}]}',
    }),
    [],
  );
  assert.equal(
    codes({
      child,
      root,
      role: 'rolePolicy: {role: r, version: default, scope: a, rules: [{resource: "e*", allowActions: [x]}]}',
    }),
    ['scope/missing'],
  );
});

test('policies of a scope that disagree on scopePermissions are a conflict, whatever their order (8.10-D7)', () => {
  const permissions = [CONSENT, CONSENT, ''];
  for (const [a, b, c] of [
    [0, 1, 2],
    [2, 0, 1],
    [0, 2, 1],
  ] as const) {
    const set = {
      x: scoped('x', '', permissions[a]),
      y: scoped('y', '', permissions[b]),
      z: scoped('z', '', permissions[c]),
    };
    assert.equal(codes(set), ['scope/permissions-conflict']);
  }
});

test('an unset value is distinct, the first document by path is ignored, and role policies and exports do not count (3.13)', () => {
  const conflict = ['scope/permissions-conflict'];
  const inOrder = (...permissions: readonly string[]) =>
    codes(
      Object.fromEntries(permissions.map((permission, index) => [`p${index}`, scoped(`r${index}`, '', permission)])),
    );
  assert.equal(inOrder(OVERRIDE, '', OVERRIDE), conflict);
  assert.equal(inOrder(OVERRIDE, OVERRIDE, OVERRIDE, ''), conflict);
  assert.equal(inOrder('', OVERRIDE, OVERRIDE, '', OVERRIDE), conflict);
  assert.equal(inOrder('', OVERRIDE, OVERRIDE, OVERRIDE), []);
  assert.equal(inOrder(OVERRIDE, '', ''), []);
  assert.equal(inOrder(OVERRIDE, ''), []);
  assert.equal(codes({ x: scoped('x', '', CONSENT), y: scoped('y', '', CONSENT), z: role('r') }), []);
  assert.equal(codes({ x: role('r'), y: scoped('y', '', CONSENT), z: scoped('z', '', CONSENT) }), []);
  assert.equal(
    codes({ x: scoped('x', '', OVERRIDE), y: scoped('y', '', OVERRIDE), z: 'exportVariables: {name: e}' }),
    [],
  );
  assert.equal(codes({ a: role('r'), x: scoped('x', '', OVERRIDE), y: scoped('y', '') }), conflict);
  assert.equal(
    codes({
      r: scoped('x', ''),
      s: scoped('y', ''),
      x: scoped('x', 'a', OVERRIDE),
      y: scoped('y', 'a', OVERRIDE),
      z: 'exportVariables: {name: e}',
    }),
    [],
  );
});

test('two policies alone in a scope may differ, with a warning (3.13)', () => {
  const { list, policies } = linked({ x: scoped('x', '', CONSENT), y: scoped('y', '') });
  assert.equal(
    list.map(({ code, severity }) => [code, severity]),
    [['scope/permissions-differ', 'warning']],
  );
  assert.is(policies.length, 2);
});

test('versions of a role policy with different parent roles are a warning (8.10-D4)', () => {
  const one = role('r', ', parentRoles: [a, b]');
  assert.equal(codes({ one, two: role('r', ', parentRoles: [b]', 'v2') }), ['role-policy/parent-roles-differ']);
  assert.equal(codes({ one, two: role('r', ', parentRoles: [b, a]', 'v2') }), []);
  assert.equal(codes({ one, two: role('r', ', scope: s', 'v2') }), []);
});

test('a version without a role policy for a role that has parents in another is a warning', () => {
  const parent = role('r', ', parentRoles: [a]');
  const next = resource().replace('version: default', 'version: next');
  const missing = ['role-policy/parent-roles-in-one-version'];
  assert.equal(codes({ parent, next }), missing);
  assert.equal(codes({ parent: role('r', ', parentRoles: [a], scope: s'), next }), missing);
  assert.equal(codes({ parent, next, other: role('r', ', parentRoles: [a]', 'next') }), []);
  assert.equal(codes({ parent, next, other: role('r', '', 'next') }), ['role-policy/parent-roles-differ']);
  assert.equal(codes({ parent: role('r'), next }), []);
  assert.equal(codes({ parent, same: resource() }), []);
});

test('errors of single policies are reported only when the files and the set are valid (2.4)', () => {
  const broken = resource('', when('V.nothing'));
  assert.equal(codes({ a: broken, b: role('r', ', constants: {import: [nowhere]}') }), ['import/missing']);
  assert.not.ok(codes({ a: broken, b: 'unknown: 1' }).includes('variable/undefined'));
  assert.equal(codes({ a: broken }), ['variable/undefined']);
});

test('the set is checked even when some files failed (2.4)', () => {
  assert.ok(codes({ a: scoped('doc', 'a'), b: 'unknown: 1' }).includes('scope/missing'));
});

test('disabled documents count as absent and are listed only with errors of files and of the set (12.1)', () => {
  const disabled = `disabled: true\n${roles('d', owner)}`;
  assert.equal(codes({ a: resource(', importDerivedRoles: [d]'), disabled }), ['import/missing', 'policy/disabled']);
  assert.equal(codes({ a: resource(), disabled }), []);
  assert.equal(codes({ a: resource('', when('V.nothing')), disabled }), ['variable/undefined']);
});

test('an undefined derived role is reported once, at its last use (12.6)', () => {
  const rule = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [ownr]}';
  const { list } = linked({ a: resource(', importDerivedRoles: [d]', `${rule}, ${rule}`), b: roles('d', owner) });
  assert.equal(
    list.map(({ message, place, notes }) => [message, place?.path, notes[0]?.message]),
    [
      [
        'Derived role "ownr" is not defined in any imports',
        '$.resourcePolicy.rules[1].derivedRoles[0]',
        'did you mean `owner`?',
      ],
    ],
  );
});

test('a derived role of two imports is an error only if a rule uses it (7.1)', () => {
  const sets = { 'd1.yaml': roles('d1', owner), 'd2.yaml': roles('d2', owner) };
  const imports = ', importDerivedRoles: [d2, d1]';
  assert.equal(codes({ a: resource(imports), ...sets }), []);
  assert.equal(
    problems({
      'a.yaml': resource(imports, '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}'),
      ...sets,
    }),
    [
      'derived-role/ambiguous: Derived role "owner" is defined in more than one import: d2.yaml (imported as "d2" at 2:72), d1.yaml (imported as "d1" at 2:76)',
    ],
  );
});

test('an undefined variable or constant has a note: the set that defines it, the other namespace, a similar name, or where to define it', () => {
  const sets = {
    'v.yaml': 'exportVariables: {name: common, definitions: {is_owner: R.attr.owner == P.id}}',
    'w.yaml': 'exportVariables: {name: dates, definitions: {is_owner: R.attr.by == P.id}}',
    'c.yaml': 'exportConstants: {name: sizes, definitions: {largest: 100}}',
  };
  const own = ', variables: {local: {is_public: R.attr.public == true}}, constants: {local: {limit: 10}}';
  for (const [expression, note] of [
    ['V.is_owner', '`is_owner` is defined in `common` (also in `dates`): add `common` to `variables.import`'],
    ['R.attr.size < C.largest', '`largest` is defined in `sizes`: add `sizes` to `constants.import`'],
    ['R.attr.size < V.limit', '`limit` is a constant: write `C.limit`'],
    ['C.is_public', '`is_public` is a variable: write `V.is_public`'],
    ['V.is_publik', 'did you mean `is_public`?'],
    ['V.unheard_of', 'define `unheard_of` under `variables.local`'],
    ['R.attr.size < C.unheard_of', 'define `unheard_of` under `constants.local`'],
  ] as const) {
    const { list } = linked({ 'a.yaml': resource(own, when(expression)), ...sets });
    assert.equal(
      list.map(({ notes }) => notes.map(({ message }) => message)),
      [[note]],
      expression,
    );
  }
});

test('every definition of an imported set is compiled, used or not; those of an unused set are not (1, 7.1)', () => {
  const set = roles('d', `${owner}, {name: x, parentRoles: [user], condition: {match: {expr: V.nothing}}}`);
  assert.equal(
    linked({
      'a.yaml': resource(', importDerivedRoles: [d]'),
      'b.yaml': resource(', importDerivedRoles: [d], scope: s'),
      'd.yaml': set,
    }).text,
    ["d.yaml:2:132: error[variable/undefined]: Undefined variable 'nothing'"],
  );
  assert.equal(codes({ a: resource(), set }), []);
});

test('an unknown derived role that other sets have names what to import', () => {
  const rules = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner]}';
  const notesWith = (sets: { readonly [path: string]: string }) =>
    linked({
      'a.yaml': resource(', importDerivedRoles: [z]', rules),
      'z.yaml': roles('z', nobody),
      ...sets,
    }).list.flatMap(({ notes }) => notes.map(({ message }) => message));
  const nobody = owner.replace('owner', 'ownr');
  assert.equal(notesWith({ 'd.yaml': roles('d', owner) }), [
    '`owner` is defined in `d`: add `d` to `importDerivedRoles`',
  ]);
  assert.equal(notesWith({ 'd.yaml': roles('d', owner), 'e.yaml': roles('e', owner) }), [
    '`owner` is defined in `d` (also in `e`): add `d` to `importDerivedRoles`',
  ]);
  assert.equal(notesWith({}), ['did you mean `ownr`?']);
});

test('an error in derived roles does not hide others (12.6)', () => {
  const rules = `${when('V.nothing')}, {actions: [view], effect: EFFECT_ALLOW, derivedRoles: [nobody]}`;
  const { list, policies } = linked({ a: resource(', importDerivedRoles: [d]', rules), d: roles('d', owner) });
  assert.equal(
    list.map(({ code }) => code),
    ['variable/undefined', 'derived-role/unknown'],
  );
  assert.is(only(policies).importedRoles.length, 1);
});

test('a name defined twice is an error, used or not (6.1)', () => {
  const set = {
    'a.yaml': `variables: {foo: "1"}\n${resource(', variables: {import: [e], local: {foo: "2"}}')}`,
    'e.yaml': 'exportVariables: {name: e, definitions: {foo: "3"}}',
  };
  assert.equal(problems(set), [
    "variable/redefined: Variable 'foo' has multiple definitions in import 'e' (e.yaml:2:47), policy local variables (a.yaml:3:89), and deprecated top-level policy variables (a.yaml:2:18)",
  ]);
  assert.is(linked(set).list[0]?.place, undefined);
  assert.equal(
    problems({
      'a.yaml': resource(', constants: {import: [e], local: {foo: 2}}'),
      'e.yaml': 'exportConstants: {name: e, definitions: {foo: 3}}',
    }),
    [
      "constant/redefined: Constant 'foo' has multiple definitions in import 'e' (e.yaml:2:47) and policy local constants (a.yaml:2:89)",
    ],
  );
});

test('an exported variable uses definitions of the importing policy (6.1)', () => {
  const e = 'exportVariables: {name: e, definitions: {foo: C.limit}}';
  const provides = resource(', variables: {import: [e]}, constants: {local: {limit: 1}}');
  const lacks = (scope: string) => resource(`, scope: ${scope}, variables: {import: [e]}`);
  assert.equal(codes({ provides, e }), []);
  assert.equal(linked({ provides, 'b.yaml': lacks('b'), 'c.yaml': lacks('c'), 'e.yaml': e }).text, [
    "e.yaml:2:47: error[constant/undefined]: Undefined constant 'limit' referenced in variable 'foo'",
  ]);
});

test('undefined names in conditions, outputs and variables are reported once per expression (12.6)', () => {
  const output = ', output: {when: {ruleActivated: V.nothere, conditionNotMet: C.nothing}, expr: V.older}';
  const rules = `${when('V.nothing && V.nothing', output)}`;
  assert.equal(problems({ a: resource(', variables: {local: {x: V.unused, nothere: "1"}}', rules) }).sort(), [
    "constant/undefined: Undefined constant 'nothing'",
    "variable/undefined: Undefined variable 'nothing'",
    "variable/undefined: Undefined variable 'older'",
    "variable/undefined: Undefined variable 'unused' referenced in variable 'x'",
  ]);
  assert.equal(codes({ a: resource('', when('false && V.nothing')) }), []);
});

test('an undefined name is reported with its expression, and the name is underlined', () => {
  const [found] = linked({ a: resource(', variables: {local: {limit: "1"}}', when('1 + V.limt > 2')) }).list;
  const span = found?.place?.span;
  assert.is(span?.source.text.slice(span.start, span.end), 'V.limt');
  assert.is(found?.place?.path, '$.resourcePolicy.rules[0].condition.match.expr');
  assert.equal(found?.notes, [suggestName('limt', 'limit')]);
});

test('cyclic definitions are errors (12.6)', () => {
  const local = '{a: V.a, b: V.c, c: variables.b, d: V.b}';
  assert.equal(problems({ 'f.yaml': resource(`, variables: {local: ${local}}`) }), [
    "variable/cyclic: Variable 'a' references itself",
    "variable/cyclic: Variables 'b' (f.yaml:2:82) and 'c' (f.yaml:2:90) form a cycle",
  ]);
});

test('invalid identifiers are reported at their keys, also in exports (3.9)', () => {
  const { list } = linked({
    a: resource(', variables: {import: [e], local: {a-b: "1"}}'),
    e: 'exportVariables: {name: e, definitions: {in: "1"}}',
  });
  assert.equal(
    list.map(({ code, message, place }) => [
      code,
      message,
      place?.span.source.text.slice(place.anchor, place.anchor + 3),
    ]),
    [
      ['variable/invalid-name', '"a-b" is not a valid identifier', 'a-b'],
      ['variable/invalid-name', '"in" is a reserved keyword and can\'t be used as an identifier', 'in:'],
    ],
  );
});

test('an empty output and a condition that is a script are errors (3.11, 3.12)', () => {
  assert.equal(codes({ a: resource('', when('true', ', output: {when: {ruleActivated: ""}}')) }), ['output/empty']);
  const script =
    'principalPolicy: {principal: p, version: default, rules: [{resource: doc, actions: [{action: view, effect: EFFECT_ALLOW, condition: {script: x}}]}]}';
  assert.equal(problems({ script }), ['condition/script: Unsupported feature']);
});

test('the linked set has every policy by key, with the names that it can use', () => {
  const common = roles(
    'common-roles',
    `{name: b, parentRoles: [user]}, {name: a, parentRoles: [user]}`,
    ', variables: {local: {v: "1"}}',
  );
  const use = '{actions: [view], effect: EFFECT_ALLOW, derivedRoles: [a]}';
  const local =
    ', variables: {local: {x: V.z, y: "1", z: "1"}}, constants: {local: {d: 1, c: 2}}, importDerivedRoles: [common-roles]';
  const { list, policies } = linked({ a: resource(local, use), common, p: scoped('doc', 's') });
  assert.equal(list, []);
  assert.equal(
    policies.map(({ key, kind }) => [key, kind]),
    [
      ['resource.doc.vdefault', 'resource'],
      ['resource.doc.vdefault/s', 'resource'],
    ],
  );
  const policy = only(policies);
  assert.equal([...policy.bindings.variables.keys()], ['y', 'z', 'x']);
  assert.equal(
    [...policy.bindings.constants.values()].map(({ name, value }) => [name, value]),
    [
      ['c', 2],
      ['d', 1],
    ],
  );
  assert.equal(
    policy.importedRoles.map(({ key, set }) => [key, set]),
    [
      ['derived_roles.common_roles#a', 'common-roles'],
      ['derived_roles.common_roles#b', 'common-roles'],
    ],
  );
  assert.equal([...policy.derivedRoles.keys()], ['a']);
  assert.is(policy.derivedRoles.get('a'), policy.importedRoles[0]);
  assert.equal([...(policy.importedRoles[0]?.bindings.variables.keys() ?? [])], ['v']);
});

test('policies that import the same set share its definitions', () => {
  const { policies } = linked({
    a: resource(', importDerivedRoles: [d]'),
    b: resource(', scope: s, importDerivedRoles: [d]'),
    d: roles('d', owner),
  });
  const [first, second] = policies.map((policy) => (policy.kind === 'resource' ? policy.importedRoles[0] : undefined));
  assert.ok(first !== undefined && first === second);
});

test.run();
