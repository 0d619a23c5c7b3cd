import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Request, ResourcePolicy, Rule, TracedCondition } from '../../runtime/policy/index.js';
import { Random } from '../support/oracle/random.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { randomCondition, randomValue } from './random-expressions.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of conditions. `EMISSIONS=20000 SEED=7` runs others. */
const COUNT = rounds(3000);

const test = suite('the two emissions of a condition agree');

test("`when` holds exactly where the traced emission and the output are true, and the traced message is the output's failure", async () => {
  const { conditions, traced } = await compiledConditions(new Random(SEED));
  const requests = requestsOf();
  const problems: string[] = [];
  const verdicts = { holds: 0, 'does not hold': 0, fails: 0 };
  for (const { text, rule, key } of conditions) {
    for (const [index, request] of requests.entries()) {
      const holds = rule.when?.(request) ?? true;
      const verdict = traced.get(key)?.(request);
      const output = rule.output?.ruleActivated?.(request);
      verdicts[typeof verdict === 'string' ? 'fails' : verdict === true ? 'holds' : 'does not hold'] += 1;
      const error = output !== undefined && 'error' in output ? output.error : undefined;
      const value = output !== undefined && 'val' in output ? output.val : undefined;
      const agrees =
        holds === (verdict === true) &&
        holds === (value === true) &&
        (typeof verdict !== 'string' || error === verdict);
      if (!agrees)
        problems.push(
          `${text}\n    request ${index}: when ${holds}, traced ${verdict}, output ${JSON.stringify(output)}`,
        );
    }
  }
  assert.ok(conditions.length > COUNT / 4, `only ${conditions.length} of ${COUNT} compile`);
  assert.ok(
    Object.values(verdicts).every((count) => count > COUNT / 4),
    JSON.stringify(verdicts),
  );
  assert.is(
    problems.length,
    0,
    `${problems.length} of ${conditions.length * requests.length} disagree:\n${problems
      .sort((a, b) => a.length - b.length)
      .slice(0, 20)
      .join('\n')}`,
  );
});

test.run();

interface EmittedCondition {
  readonly text: string;
  readonly rule: Rule;
  readonly key: string;
}

async function compiledConditions(
  random: Random,
): Promise<{ conditions: readonly EmittedCondition[]; traced: ReadonlyMap<string, TracedCondition> }> {
  const texts = Array.from({ length: COUNT }, () => ({
    condition: randomCondition(random),
    variable: randomValue(random),
  }));
  const documents = Object.fromEntries(
    texts.map(({ condition, variable }, index) => [`c${index}.yaml`, policyOf(index, condition, variable)]),
  );
  const refused = new Set<string | undefined>();
  // The compiler reports a hundred diagnostics at a time.
  for (let compilation = compileTexts(documents); ; compilation = compileTexts(withoutRefused(documents, refused))) {
    if (compilation.program !== undefined) {
      const { policies, traced } = await loaded(compilation);
      const conditions = policies.resourcePolicies.map((policy) => {
        const { condition, variable } = texts[Number(policy.kind.slice(1))] as (typeof texts)[number];
        return {
          text: `${condition}\n    with V.v = ${variable}`,
          rule: ruleOf(policy),
          key: `${policy.key}#rule-001`,
        };
      });
      return { conditions, traced: (await traced()).conditions };
    }
    for (const { source } of compilation.diagnostics) refused.add(source?.path);
  }
}

function withoutRefused(
  documents: Readonly<Record<string, string>>,
  refused: ReadonlySet<string | undefined>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(documents).filter(([path]) => !refused.has(path)));
}

function ruleOf(policy: ResourcePolicy): Rule {
  return policy.rules[0] as Rule;
}

function policyOf(index: number, condition: string, variable: string): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: `c${index}`,
      version: 'default',
      rules: [
        {
          actions: ['act'],
          effect: 'EFFECT_ALLOW',
          roles: ['*'],
          condition: { match: { expr: condition } },
          output: { when: { ruleActivated: condition } },
        },
      ],
      variables: { local: { v: variable.replaceAll('V.v', 'R.attr.v') } },
      constants: { local: { word: 'a', words: ['a', 'b', null, 1] } },
    },
  });
}

/** Attributes present, missing, null, of other types, and named like members of Object.prototype. */
function requestsOf(): readonly Request[] {
  const attributes: readonly Request['resource']['attr'][] = [
    {},
    { a: true, b: false, n: 1, s: 'a', l: ['a', 'b'], o: { a: true, k: 'x', o: { a: 1 } }, x: 'b', nil: null, v: true },
    { a: false, b: true, n: -2.5, s: '', l: [], o: {}, x: 0, nil: null, length: 2, constructor: 'a' },
    { a: 'true', b: 1, n: '1', s: 5, l: 'a', o: [], x: null, nil: 'no' },
    { a: null, b: null, n: null, s: null, l: null, o: null, x: null, v: null },
    {
      a: [true],
      b: { b: true },
      n: [1],
      s: ['a'],
      l: [1, 'a', null, true, [1]],
      o: { l: ['a'], n: 1, s: 'a', constructor: {} },
      x: [{ a: true, n: 1 }, { a: false }],
    },
    {
      a: true,
      n: 9007199254740992,
      s: 'ü',
      l: [{ a: true, s: 'a', l: ['a'] }, { a: false, s: 'b' }, {}],
      o: { a: { a: { a: true } } },
      x: { x: { x: 1 } },
      length: [1],
    },
    JSON.parse(
      '{"__proto__": {"a": true}, "a": "a", "l": [true, false], "o": {"__proto__": 1, "length": 3}, "s": "abb"}',
    ),
  ];
  return attributes.map((attr, index) => ({
    principal: {
      id: 'a',
      roles: index % 2 === 0 ? ['a', 'user'] : [],
      attr: attributes[(index + 3) % attributes.length] ?? {},
      policyVersion: '',
      scope: '',
    },
    resource: { kind: 'b', id: 'r', attr, policyVersion: '', scope: '' },
    auxData: { jwt: {}, jwts: {} },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: { g: 1n },
    now: { seconds: 1_600_000_000, nanos: 0, offset: 0 },
  }));
}
