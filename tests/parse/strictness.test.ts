import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { parse } from '../../compiler/parse/index.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

const test = suite('YAML that is rejected in policies');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [album_roles]
  constants:
    local: {limits: {small: 1, "large": 2}, list: [a, "b"]}
  rules:
    - name: view
      actions: [view, "edit", 'share']
      effect: EFFECT_ALLOW
      roles: [user, admin]
    - {actions: [delete], effect: EFFECT_DENY, roles: ["*"]}
`;

/** Unicode white space that YAML does not know, and other invisible characters. */
const UNKNOWN_WHITE_SPACE = [
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2000',
  '\u2003',
  '\u200a',
  '\u200b',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u2060',
  '\u3000',
  '\ufeff',
];

const KEYS = [...POLICY.matchAll(/"?[A-Za-z]+"?(?=:[ \n])/g)].map(({ index }) => index);
const VALUES = [...POLICY.matchAll(/: (?=[^\n])/g)].map((match) => match.index + 2);

test('a key with a tag is rejected at every level and in every form', () => {
  assert.ok(KEYS.length > 15);
  for (const at of KEYS) {
    for (const tag of ['!!str ', '!foo ', '! ', '!<tag:yaml.org,2002:str> ', '!!str  ']) {
      const text = `${POLICY.slice(0, at)}${tag}${POLICY.slice(at)}`;
      const codes = codesOf(text);
      assert.is(codes.length, 1, text);
      assert.match(codes[0] as string, /^yaml\/(?:key-type|text-key)$/, text);
    }
  }
  assert.equal(codesOf(POLICY.replace('actions: [delete]', '!!merge <<: {actions: [delete]}')), ['yaml/key-type']);
});

test('a tag on a value is ignored', () => {
  for (const at of VALUES) {
    for (const tag of ['!!str ', '!!map ', '!foo '])
      assert.equal(codesOf(`${POLICY.slice(0, at)}${tag}${POLICY.slice(at)}`), []);
  }
});

test('an expression that YAML would read without its beginning does not compile', () => {
  const withExpression = (text: string): string =>
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.first}}}
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          ${text}
`;
  for (const expression of [
    '! R.attr.public',
    '!R.attr.public',
    '!has(R.attr.a) && P.id == "x"',
    '!!R.attr.a && R.attr.b',
    '! "R.attr.public"',
    '! |-\n            R.attr.public',
  ]) {
    for (const text of [
      `expr: ${expression}`,
      `all:\n            of:\n              - expr: ${expression.replaceAll('\n', '\n      ')}`,
    ]) {
      const diagnostics = diagnosticsOfSet(withExpression(text));
      assert.equal(
        diagnostics.map(({ code }) => code),
        ['expression/invalid'],
        text,
      );
      assert.match(diagnostics[0]?.notes[0]?.message ?? '', 'put the expression in quotes', text);
    }
  }
  for (const text of [
    "expr: '! R.attr.public'",
    'expr: "!R.attr.public"',
    'expr: |-\n            !R.attr.public',
    'expr: !!str R.attr.public',
  ])
    assert.equal(diagnosticsOfSet(withExpression(text)), [], text);
});

test('white space that YAML does not know is rejected next to brackets, commas and colons', () => {
  const places = [...POLICY.matchAll(/(?<=[[{,])|(?=[\]},])/g)].map(({ index }) => index);
  assert.ok(places.length > 20);
  for (const at of places) {
    for (const blank of UNKNOWN_WHITE_SPACE) {
      const text = `${POLICY.slice(0, at)}${blank}${POLICY.slice(at)}`;
      assert.is(codesOf(text).length, 1, JSON.stringify(text));
    }
  }
  for (const text of [
    'roles: [user\u00a0]',
    'roles: [\u00a0user]',
    'roles: [user,\u00a0]',
    'roles: [\u00a0]',
    'roles:\n      - \u00a0',
  ]) {
    const [diagnostic] = diagnosticsOf(POLICY.replace('roles: [user, admin]', text));
    assert.is(diagnostic?.message, 'U+00A0 is not a space in YAML: remove it, or put the string in quotes', text);
    assert.is(diagnostic?.place?.span.source.text[diagnostic.place.span.start], '\u00a0');
  }
});

test('such white space is an ordinary character within a string and in quotes', () => {
  for (const blank of UNKNOWN_WHITE_SPACE.filter((character) => !/[\u0085\u2028\u2029]/.test(character))) {
    assert.equal(
      codesOf(
        POLICY.replace('user', `a${blank}user`)
          .replace('"edit"', `"edit${blank}"`)
          .replace('version:', `scope: ""\n  version:`),
      ),
      [],
    );
    assert.equal(codesOf(POLICY.replace('resourcePolicy', `description: photo${blank}albums\nresourcePolicy`)), []);
  }
});

test('no name of an accepted policy begins or ends with an invisible character, wherever one is inserted', () => {
  const random = new Random(SEED);
  const counts = { accepted: 0, refused: 0 };
  for (let round = 0; round < rounds(3000); round += 1) {
    let text = POLICY;
    for (let edit = random.below(3); edit >= 0; edit -= 1) {
      const at = random.below(text.length);
      text = `${text.slice(0, at)}${random.pick([...UNKNOWN_WHITE_SPACE, '!!str ', '\t', ' ', '!x '])}${text.slice(at)}`;
    }
    const report = new Diagnostics();
    const file = parse(new Source('p.yaml', text), report);
    counts[file === undefined ? 'refused' : 'accepted'] += 1;
    for (const name of file === undefined ? [] : listedNames(file)) assert.not.match(name, EDGE, JSON.stringify(text));
  }
  console.log(`  ${JSON.stringify(counts)}`);
  assert.ok(counts.accepted > 0 && counts.refused > 0);
});

/** A quoted name is intentional. Only the flow lists, which `POLICY` quotes in part, are checked. */
const EDGE = /^[\s\u0085\u200b\u2060\ufeff]|[\s\u0085\u200b\u2060\ufeff]$/;

function listedNames({ policy }: PolicyFile): readonly string[] {
  if (policy.kind !== 'resource') return [];
  const plain = new Set<string>();
  for (const { actions, roles } of policy.rules) {
    for (const { value, place } of [...actions, ...roles])
      if (!/^["']/.test(place.span.source.text.slice(place.span.start))) plain.add(value);
  }
  return [...plain];
}

function codesOf(text: string): readonly string[] {
  return diagnosticsOf(text).map(({ code }) => code);
}

function diagnosticsOf(text: string): ReturnType<Diagnostics['sorted']> {
  const report = new Diagnostics();
  parse(new Source('p.yaml', text), report);
  return report.sorted();
}

function diagnosticsOfSet(text: string): ReturnType<typeof compile>['diagnostics'] {
  return compile([new Source('p.yaml', text)]).diagnostics;
}

test.run();
