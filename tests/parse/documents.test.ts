import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { parse } from '../../compiler/parse/index.js';

interface Outcome {
  readonly file: PolicyFile | undefined;
  /** `line:column path message`, or `- message` without a location, in the order in which they were found. */
  readonly problems: readonly string[];
}

function outcomeOf(text: string): Outcome {
  const report = new Diagnostics();
  const file = parse(new Source('policy.yaml', text), report);
  const problems = report.sorted().map(({ place, source, message }) => {
    if (place === undefined || source === undefined) return `- ${message}`;
    const { line, column } = source.lineAndColumn(place.anchor);
    return `${line}:${column} ${place.path}${place.path && ' '}${message}`;
  });
  return { file, problems };
}

function rejects(sentence: string, text: string, ...problems: readonly string[]): void {
  test(sentence, () => {
    const outcome = outcomeOf(text);
    assert.equal(outcome.problems, problems);
    assert.is(outcome.file, undefined);
  });
}

function accepts(sentence: string, text: string, see: (file: PolicyFile) => void = () => {}): void {
  test(sentence, () => {
    const outcome = outcomeOf(text);
    assert.equal(outcome.problems, []);
    if (outcome.file === undefined) throw new Error('no policy');
    see(outcome.file);
  });
}

const HEAD = 'apiVersion: api.authz.dev/v1\n';
const resource = (rest: string) => `${HEAD}resourcePolicy:\n  resource: doc\n  version: default\n${rest}`;
const constants = (definitions: string) => `${HEAD}exportConstants:\n  name: c\n  definitions:\n${definitions}`;
const valuesOf = ({ policy }: PolicyFile): unknown => {
  if (policy.kind !== 'export-constants') throw new Error('not a set of constants');
  return JSON.parse(JSON.stringify(policy.definitions.map(({ name, value }) => [name.value, value.value])));
};
const variables = (definitions: string) => `${HEAD}exportVariables:\n  name: v\n  definitions:\n${definitions}`;
const expressionsOf = ({ policy }: PolicyFile): readonly string[] => {
  if (policy.kind !== 'export-variables') throw new Error('not a set of variables');
  return policy.definitions.map(({ expression }) => expression.text);
};

// 2.2 Documents of a file

for (const empty of ['', ' \n', '# a\n# b', '---', '---\n---\n', '# a\n---\n# b\n...\n', '---\n...\n---\n...\n']) {
  test(`a file of ${JSON.stringify(empty)} has no policies`, () =>
    assert.equal(outcomeOf(empty), { file: undefined, problems: [] }));
}
accepts('a document may begin with --- and end with ...', `---\n${resource('')}...\n`);
accepts('comments before the document are ignored', `# a\n# b\n---\n${resource('')}`);
accepts('comments after the document are ignored', `${resource('')}---\n# a\n`);
accepts('an empty document after the policy is ignored', `${resource('')}---\n`);
accepts('an empty document before the policy is ignored', `---\n---\n${resource('')}`);
rejects('two documents are rejected', `${resource('')}---\n${resource('')}`, '- more than one YAML document detected');
rejects(
  'a directive counts as a document',
  `%YAML 1.2\n---\n${resource('')}`,
  '- more than one YAML document detected',
);
for (const text of ['42', '- a', 'free text\nin two lines', '"x"', '[a]', '!!map', 'null']) {
  rejects(
    `${JSON.stringify(text)} is not a policy`,
    text,
    '1:1 $ invalid document: contents are not valid YAML or JSON',
  );
}

// 2.3 Keys

accepts(
  'fields may be written in snake case',
  `api_version: api.authz.dev/v1\nresource_policy:\n  resource: doc\n  version: v\n  import_derived_roles: []\n`,
);
accepts('$schema is ignored', `$schema: x\n${resource('')}`);
accepts('$schema has a snake case spelling, too', `json_schema: x\n${resource('')}`);
rejects('field names are case-sensitive', `ApiVersion: x\n`, '1:1 $.ApiVersion unknown field "ApiVersion"');
rejects(
  'an unknown field is rejected, and the message escapes its name',
  `"a.b\\tc": x\n`,
  '1:1 $.\'a.b\tc\' unknown field "a.b\\tc"',
);
rejects('names of Object.prototype are unknown fields', '__proto__: {}\n', '1:1 $.__proto__ unknown field "__proto__"');
rejects(
  'constructor is an unknown field',
  resource('  constructor: x\n'),
  '5:3 $.resourcePolicy.constructor unknown field "constructor"',
);
rejects('a numeric key is rejected', `${HEAD}1: x\n`, '2:1 $.1 unexpected key type Integer');
rejects('a null key is rejected', `${HEAD}~: x\n`, '2:1 $.~ unexpected key type Null');
rejects('a complex key is rejected', `${HEAD}? a\n: b\n`, '2:3 $.a unexpected key type MappingKey');
rejects(
  'names of variables are strings',
  variables('    true: x\n'),
  '5:5 $.exportVariables.definitions.true expected string got Bool',
);
rejects(
  'keys inside constants are strings',
  constants('    a:\n      1: x\n'),
  '6:7 $.exportConstants.definitions.a.1 unexpected key type Integer',
);
rejects('an alias as key is rejected', `${HEAD}description: &a x\n*a : y\n`, "3:1 $.'*a' unexpected key type Alias");
rejects(
  'a duplicate key is rejected',
  resource('  resource: x\n'),
  '5:3 mapping key "resource" already defined at [3:3]',
);
rejects(
  'a duplicate key inside constants is rejected',
  constants('    a: {b: 1, "b": 2}\n'),
  '5:15 mapping key "b" already defined at [5:9]',
);
rejects(
  'a duplicate key is reported beside other errors',
  `foo: 1\n${HEAD}apiVersion: x\n`,
  '1:1 $.foo unknown field "foo"',
  '3:1 mapping key "apiVersion" already defined at [2:1]',
);
rejects(
  'two spellings of the same field are rejected',
  `${HEAD}api_version: x\n`,
  '2:1 $.api_version duplicate field definition: previous definition at [1:1]',
);
rejects(
  'two policy types are rejected',
  `${HEAD}exportConstants: {name: a}\nderivedRoles: {}\n`,
  '3:1 $.derivedRoles invalid value: oneof field is already set at [2:1]',
);
rejects(
  'all unknown fields are reported',
  `a: 1\nb: 2\n${HEAD}`,
  '1:1 $.a unknown field "a"',
  '2:1 $.b unknown field "b"',
);

// 2.3 Scalars

for (const [source, text] of [
  ['20210210', '20210210'],
  ['007', '7'],
  ['True', 'True'],
  ['1e3', '1e3'],
  ['0x10', '16'],
  ['!!str 08', '08'],
  ['|- # x\n    v', 'v'],
]) {
  test(`version: ${source} is ${text}`, () => {
    const { file, problems } = outcomeOf(`${HEAD}resourcePolicy:\n  resource: doc\n  version: ${source}\n`);
    assert.equal(problems, []);
    assert.is(file?.policy.kind === 'resource' && file.policy.version.value, text);
  });
}
for (const [source, type] of [
  ['1.0', 'Float'],
  ['.nan', 'Nan'],
  ['.inf', 'Infinity'],
  ['!!str 1.5', 'Float'],
  ['[a]', 'Sequence'],
  ['{}', 'Mapping'],
]) {
  rejects(
    `version: ${source} is rejected`,
    `${HEAD}resourcePolicy:\n  resource: doc\n  version: ${source}\n`,
    `4:${source?.startsWith('!!') ? 18 : 12} $.resourcePolicy.version expected string value got ${type}`,
  );
}
accepts('a null string is the empty string', `${resource('')}description: ~\n`, ({ description }) =>
  assert.is(description, ''),
);
for (const [source, type] of [
  ['"true"', 'String'],
  ['yes', 'String'],
  ['', 'Null'],
  ['1', 'Integer'],
]) {
  test(`disabled: ${source} is rejected`, () => {
    const { problems } = outcomeOf(`${resource('')}disabled: ${source}\n`);
    assert.equal(problems.length, 1);
    assert.match(problems[0] as string, new RegExp(`^5:1[01] \\$\\.disabled expected boolean value got ${type}$`));
  });
}
rejects(
  'an effect must be written in full',
  resource('  rules:\n    - actions: [a]\n      roles: [r]\n      effect: ALLOW\n'),
  '8:15 $.resourcePolicy.rules[0].effect invalid enum value "ALLOW"',
);
rejects(
  'an effect cannot be a block scalar',
  resource('  rules:\n    - effect: |-\n        EFFECT_ALLOW\n'),
  '6:15 $.resourcePolicy.rules[0].effect invalid enum value',
);
accepts(
  'an effect may be a number',
  resource('  rules:\n    - actions: [a]\n      roles: [r]\n      effect: 2\n'),
  ({ policy }) => assert.is(policy.kind === 'resource' && policy.rules[0]?.effect, 'deny'),
);
rejects('a scalar is not a list', resource('  rules: x\n'), '5:10 $.resourcePolicy.rules expected sequence got String');
rejects('null is not a list', resource('  rules:\n'), '5:9 $.resourcePolicy.rules expected sequence got Null');
rejects('null is not an object', `${HEAD}resourcePolicy:\n`, '2:16 $.resourcePolicy expected object got Null');
rejects('null is not a map', `${resource('')}variables: ~\n`, '5:12 $.variables expected map got Null');
rejects(
  'the location of a block mapping is its first colon',
  resource('  rules:\n    - actions:\n        a: b\n'),
  '7:10 $.resourcePolicy.rules[0].actions expected sequence got Mapping',
);
rejects(
  'a hash is an unsigned integer',
  `${resource('')}metadata: {hash: x}\n`,
  '5:18 $.metadata.hash invalid integer value "x": not an unsigned 64-bit integer',
);
accepts(
  'metadata keeps the fields that are used',
  `${resource('')}metadata: {hash: 18446744073709551615, annotations: {a: 1, b: ~, __proto__: x}, sourceAttributes: {attributes: {x: [1]}}}\n`,
  ({ annotations }) => {
    assert.equal(Object.entries(annotations), [
      ['a', '1'],
      ['b', ''],
      ['__proto__', 'x'],
    ]);
  },
);

accepts(
  'constants keep their types',
  constants(
    '    a: 1_0\n    b: 0x1F\n    c: 1e3\n    d: "1"\n    e: [1.5, ~, True]\n    f: {g: 2020-01-01}\n    h: 9007199254740993\n',
  ),
  (file) =>
    assert.equal(valuesOf(file), [
      ['a', 10],
      ['b', 31],
      ['c', '1e3'],
      ['d', '1'],
      ['e', [1.5, null, true]],
      ['f', { g: '2020-01-01' }],
      ['h', 9007199254740992],
    ]),
);
accepts('constants may use any key', constants('    __proto__: {__proto__: 1, constructor: 2}\n'), ({ policy }) => {
  const value = policy.kind === 'export-constants' && policy.definitions[0]?.value.value;
  assert.equal(Object.keys(value as object), ['__proto__', 'constructor']);
  assert.is(Object.getPrototypeOf(value), null);
});
rejects(
  'a constant must be finite',
  constants('    a: [.inf]\n'),
  '5:9 $.exportConstants.definitions.a[0] unexpected Infinity',
);
accepts(
  'a condition may be a boolean or a number',
  variables('    a: true\n    b: 1\n    c: "x"\n    d: 0x10\n'),
  (file) => assert.equal(expressionsOf(file), ['true', '1', 'x', '16']),
);

// 2.3 Anchors, aliases, merges

rejects('an alias needs an anchor', constants('    a: *x\n'), '5:8 $.exportConstants.definitions.a unknown anchor "x"');
rejects(
  'an alias cannot precede its anchor',
  constants('    a: *x\n    b: &x 1\n'),
  '5:8 $.exportConstants.definitions.a unknown anchor "x"',
);
rejects(
  'an anchor cannot contain its alias',
  constants('    a: &x [*x]\n'),
  '5:12 $.exportConstants.definitions.a[0] unknown anchor "x"',
);
rejects(
  'a duplicate anchor is rejected',
  constants('    a: &x 1\n    b: &x 2\n'),
  '6:11 $.exportConstants.definitions.b duplicate anchor definition "x"',
);
accepts(
  'explicit keys override merged ones, before and after',
  constants('    a: &x {p: 1, q: [2], r: {s: 3}}\n    b: {q: [4], <<: *x, r: {t: 5}}\n    c: {<<: {p: 6}, u: 7}\n'),
  (file) =>
    assert.equal((valuesOf(file) as unknown[]).slice(1), [
      ['b', { q: [4], p: 1, r: { t: 5 } }],
      ['c', { p: 6, u: 7 }],
    ]),
);
accepts('a quoted << is an ordinary key', constants('    a: {"<<": 1}\n'), (file) =>
  assert.equal(valuesOf(file), [['a', { '<<': 1 }]]),
);
rejects(
  'a list of aliases cannot be merged',
  constants('    a: &x {p: 1}\n    b: {<<: [*x]}\n'),
  '6:13 $.exportConstants.definitions.b.<< not an alias',
);
rejects(
  'an alias of a list cannot be merged',
  constants('    a: &x [1]\n    b: {<<: *x}\n'),
  '6:13 $.exportConstants.definitions.b.<< expected map alias got Sequence',
);

// 2.3 Quoted-string trap, encoding

rejects(
  'all values that begin with a quoted string are reported',
  variables(
    `    a: "x" in R.attr.y\n    b: 'it's'\n    c: "x" == "y" # why\n    d: "fine" # "x" in y\n    e: "x".size()\n    f: "x"[0]\n`,
  ),
  ...['5:8', '6:8', '7:8', '9:8', '10:8'].map(
    (place) => `${place} invalid YAML string: use a literal or folded block for strings containing quotes`,
  ),
);
rejects(
  'a ternary after a quoted string is reported, too',
  variables('    a: "x" == y ? "a": b\n'),
  '5:8 invalid YAML string: use a literal or folded block for strings containing quotes',
);
accepts(
  'blocks and flow collections may contain quoted strings',
  variables(`    a: |-\n      x: "y" in z\n    b: >-\n      "x" in y\n    c: '"x" in y'\n`),
  (file) => assert.equal(expressionsOf(file), ['x: "y" in z', '"x" in y', '"x" in y']),
);
test('JSON may have values that begin with a quoted string', () => {
  assert.equal(
    outcomeOf(`{"a": "b" "c"}`).problems.filter((problem) => problem.includes('invalid YAML string')),
    [],
  );
});
accepts('lines may end with CRLF', resource('  scope: a.b\n').replaceAll('\n', '\r\n'), ({ policy }) =>
  assert.is(policy.kind === 'resource' && policy.scope, 'a.b'),
);
rejects(
  'a byte-order mark is part of the first key',
  `\ufeff${HEAD}`,
  '1:1 $.\ufeffapiVersion unknown field "\\ufeffapiVersion"',
);
test('a control character is rejected', () =>
  assert.match(outcomeOf(`${HEAD}description: "\x1f"\n`).problems.join(), /^2:15 control character U\+001F/));

// 2.3 Limits

rejects(
  'deep nesting is rejected',
  constants(`    a: ${'['.repeat(200_000)}\n`),
  '5:506 document is nested more than 500 levels deep',
);
test('deep nesting of conditions is accepted within the limit', () => {
  const text = `{apiVersion: api.authz.dev/v1, derivedRoles: {name: d, definitions: [{name: r, parentRoles: [u], condition: {match: ${'{all: {of: ['.repeat(150)}{expr: x}${']}}'.repeat(150)}}}]}}`;
  assert.equal(outcomeOf(text).problems, []);
});
test('multiplying aliases are rejected', () => {
  const levels = Array.from(
    { length: 40 },
    (_, level) => `    a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]\n`,
  );
  assert.match(
    outcomeOf(constants(`    a0: &a0 x\n${levels.join('')}`)).problems.join(),
    /document has more than 1000000 values, aliases expanded/,
  );
});
test('nested aliases are rejected', () => {
  const levels = Array.from({ length: 2000 }, (_, level) => `    a${level + 1}: &a${level + 1} [*a${level}]\n`);
  assert.match(
    outcomeOf(constants(`    a0: &a0 x\n${levels.join('')}`)).problems.join(),
    /document is nested more than 500 levels deep/,
  );
});
test('a document of more than 4 MiB is rejected', () => {
  assert.equal(outcomeOf(`# ${'x'.repeat(4 * 1024 * 1024)}`).problems, ['- document is larger than 4194304 bytes']);
});

// 12.3 Structural validation

rejects(
  'all violations are reported, including those without a location',
  `${HEAD}resourcePolicy:\n  scope: "-"\n  importDerivedRoles: ["a b", ""]\n  resource: "a*"\n  rules:\n    - actions: ["", "x", ""]\n      roles: [""]\n      effect: 3\n      name: "1"\n`,
  '- resourcePolicy.version: value is required',
  '3:3 $.resourcePolicy.scope resourcePolicy.scope: does not match regex pattern `^(^$|\\.|[0-9a-zA-Z][\\w\\-]*(\\.\\w[\\w\\-]*)*)$`',
  '4:24 $.resourcePolicy.importDerivedRoles[0] resourcePolicy.importDerivedRoles[0]: does not match regex pattern `^[\\w\\-\\.]+$`',
  '4:31 $.resourcePolicy.importDerivedRoles[1] resourcePolicy.importDerivedRoles[1]: does not match regex pattern `^[\\w\\-\\.]+$`',
  '5:3 $.resourcePolicy.resource resourcePolicy.resource: does not match regex pattern `^[^!*?\\[\\]{}]+$`',
  '7:7 $.resourcePolicy.rules[0].actions resourcePolicy.rules[0].actions: repeated value must contain unique items',
  '7:17 $.resourcePolicy.rules[0].actions[0] resourcePolicy.rules[0].actions[0]: must be at least 1 characters',
  '7:26 $.resourcePolicy.rules[0].actions[2] resourcePolicy.rules[0].actions[2]: must be at least 1 characters',
  '8:15 $.resourcePolicy.rules[0].roles[0] resourcePolicy.rules[0].roles[0]: must be at least 1 characters',
  '9:7 $.resourcePolicy.rules[0].effect resourcePolicy.rules[0].effect: must be one of [EFFECT_ALLOW, EFFECT_DENY]',
  '10:7 $.resourcePolicy.rules[0].name resourcePolicy.rules[0].name: does not match regex pattern `^([a-zA-Z][\\w\\@\\.\\-]*)*$`',
);
rejects(
  'the path of a location is spelled as in the file, the path in a message is not',
  `api_version: x\nexport_constants: {name: a}\n`,
  '1:1 $.api_version apiVersion: must equal `api.authz.dev/v1`',
);
rejects(
  'a role policy may not override its parent',
  `${HEAD}rolePolicy: {role: "", version: v, scope_permissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT}\n`,
  '2:14 $.rolePolicy.role rolePolicy.role: does not match regex pattern `^[^!*?\\[\\]{}]+$`',
  '2:36 $.rolePolicy.scope_permissions rolePolicy.scopePermissions: must be one of [SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS, SCOPE_PERMISSIONS_UNSPECIFIED]',
);
rejects(
  'ignoreWhen needs actions',
  resource('  schemas: {resourceSchema: {ref: x, ignoreWhen: {}}}\n'),
  '- resourcePolicy.schemas.resourceSchema.ignoreWhen.actions: value is required',
);
rejects(
  'the shape of disabled documents is validated',
  `disabled: true\n${HEAD}`,
  '- policyType: exactly one field is required in oneof',
);

// 12.4 Semantic validation

accepts(
  'only the shape of disabled documents is validated',
  `disabled: true\n${resource('  rules: [{actions: [a], effect: EFFECT_DENY}]\n')}`,
  ({ disabled }) => assert.is(disabled, true),
);
rejects(
  'missing roles and duplicate names are all reported',
  resource(
    '  rules:\n    - {actions: [a], effect: EFFECT_DENY, name: foo}\n    - actions: [a]\n      effect: EFFECT_DENY\n    - {name: foo, actions: [a], effect: EFFECT_DENY, roles: [r]}\n',
  ),
  '6:7 $.resourcePolicy.rules[0] rule foo does not specify any roles or derived roles to match',
  '7:14 $.resourcePolicy.rules[1] rule #2 does not specify any roles or derived roles to match',
  '9:7 $.resourcePolicy.rules[2] duplicate rule name "foo": rule #3 has the same name as rule #1 defined at 6:7',
);
rejects(
  'a principal policy may have only one rule per resource',
  `${HEAD}principalPolicy:\n  principal: p\n  version: v\n  rules:\n    - {resource: doc, actions: [{action: a, effect: 1, name: x}, {action: b, effect: 1, name: x}]}\n    - {resource: doc, actions: [{action: a, effect: 1, name: x}]}\n`,
  '6:66 $.principalPolicy.rules[0].actions[1] duplicate action rule name "x": action rule #2 for resource "doc" has the same name as action rule #1 defined at 6:33',
  '7:7 $.principalPolicy.rules[1] duplicate resource "doc" at rule #2: previous definition in rule #1 at 6:7',
);
accepts(
  'rules of role policies may share names',
  `${HEAD}rolePolicy:\n  role: r\n  version: v\n  rules: [{resource: a, allowActions: [b], name: x}, {resource: a, allowActions: [b], name: x}]\n`,
);
rejects(
  'exported definitions reject top-level variables',
  `${HEAD}variables: {a: b}\nexportConstants: {name: a}\n`,
  '2:1 $.variables export constants policies do not support the deprecated top-level variables field',
);
test('a role policy without version is accepted with a warning', () => {
  const { file, problems } = outcomeOf(`${HEAD}rolePolicy: {role: r}\n`);
  assert.equal(problems, ['2:1 $.rolePolicy role policy has no version: `default` is assumed']);
  assert.is(file?.policy.kind === 'role' && file.policy.version, 'default');
});

// 12.1 Where positions point

accepts(
  'locations point to keys, elements and values',
  resource(
    `  variables:\n    local:\n      "a b": |\n        x\n  rules:\n    - actions: [a]\n      effect: EFFECT_ALLOW\n      roles: &r [p, q]\n      condition:\n        match:\n          expr: y\n    - {actions: [b], effect: EFFECT_DENY, roles: *r}\n`,
  ),
  ({ policy, place, source }) => {
    if (policy.kind !== 'resource') throw new Error('not a resource policy');
    const at = ({ anchor, path }: { anchor: number; path: string }) =>
      `${Object.values(source.lineAndColumn(anchor)).join(':')} ${path}`;
    assert.is(at(place), '1:11 ');
    assert.is(at(policy.version.place), '4:3 $.resourcePolicy.version');
    assert.is(source.text.slice(policy.version.place.span.start, policy.version.place.span.end), 'default');
    const [variable] = policy.variables.local;
    assert.is(variable && at(variable.name.place), '7:7 $.resourcePolicy.variables.local.a b');
    assert.is(variable && at(variable.expression.place), '7:14 $.resourcePolicy.variables.local.a b');
    const [first, second] = policy.rules;
    assert.is(first && at(first.place), '10:14 $.resourcePolicy.rules[0]');
    assert.is(first?.condition && at(first.condition.place), '13:7 $.resourcePolicy.rules[0].condition');
    assert.is(
      first?.condition?.match.kind === 'expr' && at(first.condition.match.expression.place),
      '15:11 $.resourcePolicy.rules[0].condition.match.expr',
    );
    assert.is(second && at(second.place), '16:7 $.resourcePolicy.rules[1]');
    assert.equal(
      second?.roles.map((role) => at(role.place)),
      ['12:18 $.resourcePolicy.rules[0].roles[0]', '12:21 $.resourcePolicy.rules[0].roles[1]'],
    );
  },
);

test.run();
