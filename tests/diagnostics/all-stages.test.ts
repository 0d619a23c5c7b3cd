import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';

const test = suite('the stages of a file report together');

const rule = (fields: string): string => `    - { ${fields} }\n`;
const SOUND = rule('actions: [view], roles: [user], effect: EFFECT_ALLOW');
const when = (expr: string): string =>
  rule(`actions: [edit], roles: [user], effect: EFFECT_ALLOW, condition: { match: { expr: '${expr}' } }`);

const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
`;

/** A policy with one mistake in rule 3, and those of later stages in rules 7 to 9. */
function policyOf(third: string, header = '  resource: album\n  version: default\n'): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
${header}  importDerivedRoles: [common]
  rules:
${SOUND.repeat(2)}${third}${SOUND.repeat(3)}${when('R.attr.a ==')}${when('R.attr.a + 1 == "a" && R.kinda == "a"')}${rule('actions: [x], derivedRoles: [ownr], effect: EFFECT_ALLOW')}`;
}

const LATER = ['7: expression/invalid', '8: expression/invalid', '9: derived-role/unknown'];
const NAMELESS = LATER.slice(0, 2);

/** What is reported of the policy: the number of the rule, and the code. */
function reported(
  text: string,
  others: { readonly [path: string]: string } = { 'common.yaml': ROLES },
): readonly string[] {
  const first = text.split('\n').findIndex((line) => line.startsWith('    - '));
  const files = Object.entries({ 'album.yaml': text, ...others });
  const { diagnostics, program } = compile(files.map(([path, own]) => new Source(path, own)));
  assert.is(program, undefined);
  return diagnostics
    .filter(({ source }) => source?.path === 'album.yaml')
    .map(({ code, source, place }) => {
      const line = place === undefined ? 0 : (source as Source).lineAndColumn(place.anchor).line - first;
      return `${Math.max(line, 0)}: ${code}`;
    });
}

const MISTAKES: { readonly [fields: string]: readonly string[] } = {
  'actions: [x], roles: [user], efect: EFFECT_ALLOW': ['3: policy/unknown-field'],
  'actions: [x], role: [user], effect: EFFECT_ALLOW': ['3: policy/unknown-field'],
  'actions: [x], roles: [user]': ['0: policy/required'],
  'roles: [user], effect: EFFECT_ALLOW': ['0: policy/required'],
  'actions: [x], roles: [user], effect: ALLOW': ['3: policy/enum-name'],
  'actions: x, roles: [user], effect: EFFECT_ALLOW': ['3: policy/wrong-type'],
  'actions: [x], roles: user, effect: EFFECT_ALLOW': ['3: policy/wrong-type'],
  'actions: [""], roles: [user], effect: EFFECT_ALLOW': ['3: policy/empty-item'],
  'actions: [x], roles: [a, a], effect: EFFECT_ALLOW': ['3: policy/repeated-item'],
  'name: "1", actions: [x], roles: [user], effect: EFFECT_ALLOW': ['3: policy/pattern'],
  'actions: [x], effect: EFFECT_ALLOW': ['3: rule/no-roles'],
  'actions: [x], roles: [user], effect: EFFECT_ALLOW, condition: {}': ['0: policy/alternative-missing'],
  'actions: [x], roles: [user], effect: EFFECT_ALLOW, condition: { match: { exp: R.id } }': ['3: policy/unknown-field'],
  'actions: [x], roles: [user], effect: EFFECT_ALLOW, condition: { match: {} }': ['0: policy/alternative-missing'],
  'actions: [x], roles: [user], effect: EFFECT_ALLOW, condition: { match: { all: { of: [] } } }': [
    '3: policy/required',
  ],
  'actions: [x], roles: [user], effect: EFFECT_ALLOW, output: { wen: {} }': ['3: policy/unknown-field'],
};

for (const [fields, found] of Object.entries(MISTAKES))
  test(`rule 3 is { ${fields} }`, () => {
    assert.equal(reported(policyOf(rule(fields))), [...found, ...LATER]);
  });

test('mistakes outside of rules hide what they may have caused, and nothing else', () => {
  const header = (text: string): readonly string[] => reported(policyOf(SOUND, text));
  assert.equal(header('  version: default\n'), ['0: policy/required', ...LATER]);
  assert.equal(header('  resourc: album\n  version: default\n'), ['0: policy/unknown-field', ...NAMELESS]);
  assert.equal(header('  resource: album\n  version: 1.0\n'), ['0: policy/wrong-type', ...NAMELESS]);
  assert.equal(reported(policyOf(SOUND), {}), ['0: import/missing', ...NAMELESS]);
  assert.equal(reported(policyOf(SOUND), { 'common.yaml': ROLES.replace('parentRoles', 'parents') }), [
    '0: import/missing',
    ...NAMELESS,
  ]);
  assert.equal(reported(policyOf(SOUND).replace('api.authz.dev/v1', 'v1')), ['0: policy/exact-text', ...LATER]);
});

test('an unknown derived role hides nothing', () => {
  assert.equal(reported(policyOf(SOUND)), LATER);
});

test('files without mistakes of their own wait for the others', () => {
  const broken = policyOf(rule('actions: [x]')).replace('album', 'photo');
  assert.equal(reported(policyOf(SOUND), { 'common.yaml': ROLES, 'photo.yaml': broken }), []);
});

test.run();
