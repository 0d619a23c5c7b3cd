import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { Source } from '../../compiler/diagnostics/source.js';

const test = suite('one cause has one diagnostic');

const MANY = 47;

interface Rule {
  readonly more?: string;
  readonly rule: (index: number) => string;
  readonly first?: string;
}

function policyOf({ more = '', rule, first = '' }: Rule): string {
  const rules = Array.from({ length: MANY }, (_, index) => `    - { ${rule(index)}, effect: EFFECT_ALLOW }\n`);
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
${more}  rules:
${first}${rules.join('')}`;
}

const when = (expr: string): string => `condition: { match: { expr: '${expr}' } }`;

const CAUSES: { readonly [cause: string]: readonly [rules: Rule, told: string] } = {
  'a DENY without a condition': [
    {
      first: '    - { name: never, actions: ["*"], roles: ["*"], effect: EFFECT_DENY }\n',
      rule: (index) => `actions: [a${index}], roles: [user]`,
    },
    'rule `rule-002` and 46 more have no effect: `never` denies all of it unconditionally',
  ],
  'an ALLOW without a condition': [
    {
      first: '    - { name: always, actions: ["*"], roles: ["*"], effect: EFFECT_ALLOW }\n',
      rule: (index) => `actions: [a${index}], roles: [user], ${when(`R.attr.n == ${index}.0`)}`,
    },
    'rule `rule-002` and 46 more have an effect only under strict evaluation',
  ],
  'a rule that is repeated': [
    {
      first: '    - { name: view, actions: [view], roles: [user], effect: EFFECT_ALLOW }\n',
      rule: () => 'actions: [view], roles: [user]',
    },
    'rule `rule-002` and 46 more repeat rule `view`',
  ],
  'a misspelt variable': [
    {
      more: '  variables: { local: { owner: R.attr.owner == P.id } }\n',
      rule: (index) => `actions: [a${index}], roles: [user], ${when(`V.ownr || V.owner || R.attr.n == ${index}.0`)}`,
    },
    "Undefined variable 'ownr' (in 47 places)",
  ],
  'an attribute that the schema does not list': [
    {
      more: '  schemas: { resourceSchema: { ref: "authz:///album.json" } }\n',
      rule: (index) => `actions: [a${index}], roles: [user], ${when(`R.attr.ownr == "${index}"`)}`,
    },
    'the schema does not list `R.attr.ownr` (in 47 places)',
  ],
  'an undeclared role': [
    { rule: (index) => `actions: [view, a${index}], roles: [usr]` },
    'role `usr` is not declared in the vocabulary (in 47 places)',
  ],
  'an unknown derived role': [
    { rule: (index) => `actions: [a${index}], roles: [user], derivedRoles: [ownr]` },
    'Derived role "ownr" is not defined in any imports (in 47 places)',
  ],
  'an import that is missing': [
    {
      more: '  importDerivedRoles: [missing]\n',
      rule: (index) => `actions: [a${index}], derivedRoles: [d${index}]`,
    },
    "cannot find derived roles 'missing'",
  ],
  'a string that looks like a glob': [
    { rule: (index) => `actions: ["{view,edit}", a${index}], roles: [user]` },
    '`{view,edit}` is not a glob here: it is compared literally (in 47 places)',
  ],
  'a condition that is copied': [
    { rule: (index) => `actions: [a${index}], roles: [user], ${when('user.id == R.attr.owner')}` },
    "undeclared reference to 'user' (in container '') (in 47 places)",
  ],
};

for (const [cause, [rules, told]] of Object.entries(CAUSES)) {
  test(`${cause}, over ${MANY} rules`, () => {
    const schemaTexts = new Map([['album.json', '{"type": "object", "properties": {"owner": {"type": "string"}}}']]);
    const vocabulary = cause === 'an undeclared role' ? { roles: ['user'] } : {};
    const sources = [new Source('album.yaml', policyOf(rules))];
    const { diagnostics } = compile(sources, new Diagnostics(), { schemaTexts, vocabulary });
    const shown = formatPretty(diagnostics, { color: false });
    assert.is(diagnostics.length, 1, shown);
    assert.ok(shown.includes(told), shown);
    if (!/missing/.test(cause)) {
      assert.is(shown.match(/note: also /g)?.length, 3, shown);
      assert.match(shown, 'note: and 43 more places');
    }
  });
}

test('other causes keep their own', () => {
  const rule = (index: number): string =>
    `actions: [a${index}], roles: [user], ${when(`V.${index % 2 === 0 ? 'one' : 'two'} && R.attr.n == ${index}.0`)}`;
  const { diagnostics } = compile(
    ['a', 'b'].map((kind) => new Source(`${kind}.yaml`, policyOf({ rule }).replace('album', kind))),
  );
  assert.equal(
    diagnostics.map(({ source, shown }) => `${source?.path}: ${shown}`),
    ['a', 'b'].flatMap((kind) => [
      `${kind}.yaml: Undefined variable 'one' (in 24 places)`,
      `${kind}.yaml: Undefined variable 'two' (in 23 places)`,
    ]),
  );
});

test.run();
