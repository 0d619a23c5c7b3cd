import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import type { Document } from '../support/oracle/documents.js';
import { MODEL_DEFAULTS, modelCheck } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { tableOf } from '../support/oracle/table.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';
import { compileTexts } from '../support/compiled.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of stores of random policies, and of requests for every rule with a warning; SEED is the first seed. */
const STORES = rounds(60);
const REQUESTS = 40;

const STRICT = { ...MODEL_DEFAULTS, strict: true };

const test = suite('warnings about redundant rules');

test('removing an unreachable or repeated rule changes no decision and no output', () => {
  const removed = new Map<string, number>();
  let differentUnderStrict = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: random.chance(0.5), runtime: false }).map(withDistinctNames);
    const table = tableOf(documents);
    for (const warning of compileTexts(textsOf(documents)).diagnostics) {
      if (warning.code !== 'rule/unreachable' && warning.code !== 'rule/repeated') continue;
      removed.set(warning.code, (removed.get(warning.code) ?? 0) + 1);
      const fewer = tableOf(
        documents.map((document, index) =>
          pathOf(index) === warning.source?.path ? without(document, warning) : document,
        ),
      );
      for (let i = 0; i < REQUESTS; i += 1) {
        const request = randomRequest(random);
        const detail = `seed ${seed}, ${warning.source?.path}: ${warning.message}, ${JSON.stringify(request)}`;
        assert.equal(
          modelCheck(fewer, tinyCel, request, MODEL_DEFAULTS),
          modelCheck(table, tinyCel, request, MODEL_DEFAULTS),
          detail,
        );
        const strictly = [fewer, table].map((rules) => modelCheck(rules, tinyCel, request, STRICT));
        if (!warning.message.includes('strict evaluation')) assert.equal(strictly[0], strictly[1], `strict, ${detail}`);
        else if (JSON.stringify(strictly[0]) !== JSON.stringify(strictly[1])) differentUnderStrict += 1;
      }
    }
  }
  for (const [code, count] of removed) console.log(`  ${count} rules removed: ${code}`);
  assert.ok(removed.size === 2, 'the random policies have both kinds');
  assert.ok(differentUnderStrict > 0, 'some rules matter under strict evaluation, as their warning says');
});

test.run();

function pathOf(index: number): string {
  return `p${String(index).padStart(3, '0')}.yaml`;
}

function textsOf(documents: readonly Document[]): { readonly [path: string]: string } {
  return Object.fromEntries(documents.map((document, index) => [pathOf(index), JSON.stringify(document)]));
}

/** Gives every rule a name, because the names of unnamed rules depend on their positions. */
function withDistinctNames(document: Document): Document {
  const { resourcePolicy, principalPolicy } = document;
  if (resourcePolicy !== undefined) {
    return {
      ...document,
      resourcePolicy: {
        ...resourcePolicy,
        rules: (resourcePolicy.rules ?? []).map((rule, index) => ({ ...rule, name: `n${index}` })),
      },
    };
  }
  if (principalPolicy === undefined) return document;
  const rules = (principalPolicy.rules ?? []).map((rule, block) => ({
    ...rule,
    actions: rule.actions.map((action, index) => ({ ...action, name: `n${block}-${index}` })),
  }));
  return { ...document, principalPolicy: { ...principalPolicy, rules } };
}

/** The document without the rule of a warning. */
function without(document: Document, { place }: Diagnostic): Document {
  const [rule = -1, action] = [...(place?.path ?? '').matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index));
  const { resourcePolicy, principalPolicy, rolePolicy } = document;
  if (resourcePolicy !== undefined)
    return {
      ...document,
      resourcePolicy: { ...resourcePolicy, rules: (resourcePolicy.rules ?? []).toSpliced(rule, 1) },
    };
  if (rolePolicy !== undefined)
    return { ...document, rolePolicy: { ...rolePolicy, rules: (rolePolicy.rules ?? []).toSpliced(rule, 1) } };
  if (principalPolicy === undefined) return document;
  const rules = (principalPolicy.rules ?? []).map((block, index) =>
    index === rule ? { ...block, actions: block.actions.toSpliced(action ?? -1, 1) } : block,
  );
  return { ...document, principalPolicy: { ...principalPolicy, rules } };
}
