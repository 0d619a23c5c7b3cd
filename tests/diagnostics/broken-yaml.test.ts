import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { readDocument } from '../../compiler/parse/yaml/read.js';

const test = suite('files that are not well-formed YAML');

const HEAD = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      roles: [user]
      effect: EFFECT_ALLOW
`;
const LATER = `    - actions: [edit]
      roles: [user]
      efect: EFFECT_ALLOW
    - actions: [share]
      roles: user
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: R.attr.a ==
`;
const SOUND = '    - actions: [read]\n      roles: [user]\n      effect: EFFECT_ALLOW\n';
const LATER_CODES = ['policy/unknown-field', 'policy/wrong-type', 'expression/invalid'];

/** Ways to write rule 2 that are no YAML. The line that is wrong has a number. */
const BROKEN: { readonly [name: string]: readonly [rule: string, line: number] } = {
  'an open bracket': ['    - actions: [x]\n      effect: EFFECT_ALLOW\n      roles: [user\n', 4],
  'an open bracket at the start': ['    - actions: [x\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 2],
  'an open quote': ['    - actions: ["x, y]\n      effect: EFFECT_ALLOW\n      roles: ["user"]\n', 1],
  'no colon': ['    - actions: [x]\n      effect EFFECT_ALLOW\n      roles: [user]\n', 2],
  'no colon after a dash': ['    - actions [x]\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 1],
  'no colon at the end': ['    - actions: [x]\n      effect: EFFECT_ALLOW\n      roles [user]\n', 3],
  'a tab': ['    - actions: [x]\n\teffect: EFFECT_ALLOW\n      roles: [user]\n', 2],
  'an indentation': ['    - actions: [x]\n     effect: EFFECT_ALLOW\n      roles: [user]\n', 2],
  'the indentation of an item': ['   - actions: [x]\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 1],
  'no dash': ['    actions: [x]\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 1],
  'a star without quotes': ['    - actions: [*]\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 1],
  'an unknown escape': ['    - actions: ["\\d"]\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 1],
  braces: ['    - { actions: [x], effect: EFFECT_ALLOW, roles: user] }\n', 1],
  'a control character': ['    - actions: [x]\n      effect: EFFECT_ALLOW\n      roles: [us\u0001er]\n', 3],
  'a false blank': ['    - actions: [x\u00a0]\n      effect: EFFECT_ALLOW\n      roles: [user]\n', 1],
};

for (const [name, [rule, line]] of Object.entries(BROKEN))
  test(`${name} hides nothing else`, () => {
    const found = reported(HEAD + rule + LATER);
    assert.equal(
      found.map(({ code }) => code),
      ['yaml/syntax', ...LATER_CODES],
    );
    assert.is(found[0]?.line, 8 + line);
    assert.equal(
      reported(HEAD + rule + SOUND + rule + LATER).map(({ code }) => code),
      ['yaml/syntax', 'yaml/syntax', ...LATER_CODES].filter((_, index) => index !== 1 || name !== 'a tab'),
      'twice',
    );
  });

test('a line that is indented by one space too few or too many is blamed itself, not the line above', () => {
  const lines = `${HEAD}${SOUND}`.split('\n');
  for (const [index, line] of lines.slice(0, -1).entries())
    for (const moved of [` ${line}`, ...(line.startsWith(' ') ? [line.slice(1)] : [])]) {
      const found = focused(lines.with(index, moved).join('\n'));
      // Below a first line, the second one may as well be the one that is wrong.
      const isFirst = index === 0 || /:\s*$/.test(lines[index - 1] as string) || line.trimStart().startsWith('- ');
      const accepted = isFirst ? [index + 1, index + 2] : [index + 1];
      if (found !== undefined) assert.ok(accepted.includes(found), `line ${found} for ${index + 1}: ${moved}`);
      else assert.ok(isFirst, `line ${index + 1} may be ${moved}`);
    }
});

test('a string that goes on after its quotes hides nothing else', () => {
  const rule = '    - actions: [x]\n      effect: EFFECT_ALLOW\n      roles: "a" in b\n';
  assert.equal(
    reported(HEAD + rule + SOUND + rule + LATER).map(({ code }) => code),
    ['yaml/quoted-prefix', 'yaml/quoted-prefix', ...LATER_CODES],
  );
});

test('all mistakes of fields, keys and anchors are reported, and each cause once', () => {
  const rules = [
    '    - { actions: view, roles: [user], effect: EFFECT_ALLOW }\n',
    '    - { actions: [x], roles: [user], effect: ALLOW, efect: 1 }\n',
    '    - { actions: [x], roles: [user], roles: [x], effect: EFFECT_ALLOW }\n',
    '    - { actions: *nothing, roles: [user], effect: EFFECT_ALLOW }\n',
    '    - { actions: edit, roles: *all, effect: EFFECT_ALLOW, 1: x }\n',
    '    - just text\n',
    '    - { actions: [x], roles: [user], effect: EFFECT_ALLOW, <<: [a] }\n',
  ];
  assert.equal(
    reported(HEAD + rules.join('')).map(({ code, line, places }) => `${line - 8} ${code} ${places}`),
    [
      '1 policy/wrong-type 2',
      '2 policy/enum-name 1',
      '2 policy/unknown-field 1',
      '3 yaml/duplicate-key 1',
      '4 yaml/unknown-anchor 1',
      '5 yaml/unknown-anchor 1',
      '5 yaml/key-type 1',
      '6 policy/wrong-type 1',
      '7 yaml/not-an-alias 1',
    ],
  );
});

test('a mistake in an anchor is reported once', () => {
  const rules = '    - &a { actions: [x], roles: [user], efect: EFFECT_ALLOW }\n    - *a\n    - *a\n';
  assert.equal(
    reported(HEAD + rules).map(({ code, places }) => `${code} ${places}`),
    ['policy/unknown-field 1'],
  );
});

test('the number of problems that are kept is bounded', () => {
  const keys = Array.from({ length: 3000 }, (_, index) => `  k${index}: 1\n`).join('');
  const { diagnostics } = compile([new Source('a.yaml', `${HEAD}${keys}`)]);
  assert.is(diagnostics.length, 1000);
  assert.is(diagnostics.at(-1)?.omitted, 2000);
});

/** Ways to write rules in brackets: the start of a file, its end, and the entries of a rule. */
const LAYOUTS: {
  readonly [name: string]: readonly [head: string, end: string, rule: (entries: readonly string[]) => string];
} = {
  'a JSON file': [
    '{\n  "apiVersion": "api.authz.dev/v1",\n  "resourcePolicy": {\n    "resource": "album",\n    "version": "default",\n    "rules": [\n',
    '\n    ]\n  }\n}\n',
    (entries) => `      {\n${entries.map((entry) => `        ${entry}`).join(',\n')}\n      }`,
  ],
  'a JSON file of short rules': [
    '{ "apiVersion": "api.authz.dev/v1",\n  "resourcePolicy": { "resource": "album", "version": "default", "rules": [\n',
    '\n  ] } }\n',
    (entries) => `    { ${entries.join(', ')} }`,
  ],
  'a list in brackets': [
    'apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: album\n  version: default\n  rules: [\n',
    '\n  ]\n',
    (entries) => `    { ${entries.join(', ')} }`,
  ],
  'items in braces': [
    HEAD.slice(0, HEAD.indexOf('    - ')),
    '\n',
    (entries) => `    - {\n${entries.map((entry) => `        ${entry}`).join(',\n')}\n      }`,
  ],
};

/** Mistakes in the entries of a rule, and the entry that is wrong. */
const IN_BRACKETS: { readonly [name: string]: readonly [from: string, to: string, entry: number] } = {
  'an open list': ['["user"]', '["user"', 1],
  'an open string': ['["user"]', '["user]', 1],
  'the wrong bracket': ['["user"]', '["user"}', 1],
  'a bracket too many': ['["user"]', '["user"]]', 1],
  'no colon': ['"roles": ', '"roles" ', 1],
  'an escape': ['"user"', '"us\\qer"', 1],
  'a star': ['"user"', '*', 1],
  'an open condition': ['"expr": "R.attr.b" } }', '"expr": "R.attr.b" }', 2],
};

for (const [layout, [head, end, rule]] of Object.entries(LAYOUTS))
  for (const [name, [from, to, entry]] of Object.entries(IN_BRACKETS))
    test(`${name} in ${layout} hides nothing else`, () => {
      const sound = rule(['"actions": ["a"]', '"roles": ["user"]', '"effect": "EFFECT_ALLOW"']);
      const wrong = rule(
        [
          '"actions": ["b"]',
          '"roles": ["user"]',
          '"condition": { "match": { "expr": "R.attr.b" } }',
          '"effect": "EFFECT_ALLOW"',
        ].map((text) => text.replace(from, to)),
      );
      const later = [
        rule(['"actions": ["c"]', '"roles": ["user"]', '"efect": "EFFECT_ALLOW"']),
        rule(['"actions": ["d"]', '"roles": "user"', '"effect": "EFFECT_ALLOW"']),
        rule([
          '"effect": "EFFECT_DENY"',
          '"roles": ["*"]',
          '"actions": ["x"]',
          '"condition": { "match": { "expr": "1 +" } }',
        ]),
      ];
      const separator = layout === 'items in braces' ? '\n' : ',\n';
      const text = (rules: readonly string[]): string => head + rules.join(separator) + end;
      const found = reported(text([sound, wrong, sound, ...later]));
      assert.equal(
        found.map(({ code }) => code),
        ['yaml/syntax', ...LATER_CODES],
      );
      const lines = (part: string): number => part.split('\n').length - 1;
      const first = lines(head) + lines(sound) + 2;
      assert.is(
        found[0]?.line,
        wrong.includes('\n') ? first + 1 + entry : first,
        text([sound, wrong, sound, ...later]),
      );
      assert.equal(
        reported(text([sound, wrong, sound, wrong, sound, ...later])).map(({ code }) => code),
        ['yaml/syntax', 'yaml/syntax', ...LATER_CODES],
        'twice',
      );
    });

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [common]
  variables:
    local:
      a: R.attr.a == 1
  rules:
    - name: view
      actions: [view, "edit", 'share']
      effect: EFFECT_ALLOW
      roles: [user, admin]
      condition:
        match:
          any:
            of:
              - expr: V.a
              - expr: |-
                  R.attr.b == "x: y"
                  || R.attr.c
    - {actions: [delete], effect: EFFECT_DENY, roles: ["*"]}
    - actions:
        - download
        - print
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
`;
const COMMON = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
`;

const JSON_POLICY = `{
  "apiVersion": "api.authz.dev/v1",
  "resourcePolicy": {
    "resource": "album",
    "version": "default",
    "importDerivedRoles": ["common"],
    "rules": [
      {
        "name": "view",
        "actions": ["view", "edit", "share"],
        "effect": "EFFECT_ALLOW",
        "roles": ["user", "admin"],
        "condition": {
          "match": {
            "any": { "of": [{ "expr": "R.attr.a" }, { "expr": "R.attr.b == 'x'" }] }
          }
        }
      },
      { "actions": ["delete"], "effect": "EFFECT_DENY", "roles": ["*"] },
      {
        "actions": [
          "download",
          "print"
        ],
        "effect": "EFFECT_ALLOW",
        "derivedRoles": ["owner"]
      }
    ]
  }
}
`;

for (const [kind, policy] of Object.entries({ blocks: POLICY, brackets: JSON_POLICY }))
  test(`one wrong character has one diagnostic in ${kind}`, () => {
    const characters = ['', '"', "'", '[', ']', '{', '}', ':', '\t', '*', '- ', ': ', '@', '|', ','];
    let broken = 0;
    const several: string[] = [];
    for (let at = 60; at < policy.length; at += 31)
      for (const [index, character] of characters.entries()) {
        const text =
          policy.slice(0, at + (index % 5)) + character + policy.slice(at + (index % 5) + (index === 0 ? 1 : 0));
        const strict = new Diagnostics();
        readDocument(new Source('a.yaml', text), strict);
        if (!strict.hasErrors) continue;
        broken += 1;
        const found = reported(text, COMMON);
        if (found.length !== 1) several.push(text);
      }
    assert.ok(broken > 90, `${broken}`);
    // Some characters are two mistakes, such as those that move the items of a list one by one.
    assert.ok(several.length < broken / 30, `${several.length} of ${broken}, such as\n${several.join('\n')}`);
  });

interface Reported {
  readonly code: string;
  readonly line: number;
  readonly places: number;
}

/** The line that a person is pointed to, if the text is not well-formed. */
function focused(text: string): number | undefined {
  const { diagnostics } = compile([new Source('a.yaml', text)]);
  const found = diagnostics.find(({ code }) => code === 'yaml/syntax');
  const span = found?.focus ?? found?.place?.span;
  return span?.source.lineAndColumn(span.start).line;
}

function reported(text: string, common?: string): readonly Reported[] {
  const sources = [new Source('a.yaml', text), ...(common === undefined ? [] : [new Source('common.yaml', common)])];
  const { diagnostics, program } = compile(sources);
  assert.is(program, undefined);
  return diagnostics.map(({ code, source, place, shown }) => ({
    code,
    line: place === undefined ? 0 : (source as Source).lineAndColumn(place.anchor).line,
    places: Number(/\(in (\d+) places\)$/.exec(shown ?? '')?.[1] ?? 1),
  }));
}

test.run();
