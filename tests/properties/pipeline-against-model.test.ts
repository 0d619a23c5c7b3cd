import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CheckResult, createEngine } from '../../runtime/engine/index.js';
import { ALLOW } from '../../runtime/policy/index.js';
import { policyFiles } from '../support/oracle/documents.js';
import { MODEL_DEFAULTS, type ModelOutput, type ModelResult, modelCheck } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { tableOf } from '../support/oracle/table.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';
import { compileTexts, loaded, loadedAlone } from '../support/compiled.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The number of stores of random policies, and of requests for each; SEED is the first seed. 20,000 checks by default.
 */
const STORES = rounds(200, 8);
const REQUESTS = 100;
/** Of so many stores, one has a bundle with its own runtime, as a server loads it, which takes longer. */
const WHOLE_BUNDLES = 10;

const test = suite('compiled policies compared with the reference model');

for (const strict of [false, true]) {
  test(`random policies decide like the reference model, ${strict ? 'strict' : 'default'} evaluation`, async () => {
    let checks = 0;
    for (let seed = SEED; seed < SEED + STORES / 2; seed += 1) {
      const random = new Random(strict ? seed + 1_000_000 : seed);
      const documents = randomStore(random, { outputs: random.chance(0.6), runtime: random.chance(0.5) });
      const load = seed % WHOLE_BUNDLES === 0 ? loadedAlone : loaded;
      const { policies, traced } = await load(compileTexts(policyFiles(documents)));
      const defaultScope = random.pick(['', '', 'a', '.a']);
      const lenient = random.chance(0.4);
      const table = tableOf(documents);
      const engine = createEngine(policies, {
        defaultScope,
        lenientScopeSearch: lenient,
        ...(strict && { strictEvaluation: true, traced: await traced() }),
      });
      for (let i = 0; i < REQUESTS; i += 1) {
        const request = randomRequest(random);
        const { principal, resource, actions } = request;
        const expected = modelCheck(table, tinyCel, request, { ...MODEL_DEFAULTS, strict, lenient, defaultScope });
        const [result] = engine.check({ principal, resources: [{ resource, actions }], includeMeta: true });
        const detail = `seed ${seed}, request ${i}: ${JSON.stringify(request)}`;
        assert.equal(comparable(inModelForm(result as CheckResult)), comparable(expected), detail);
        // Without meta the engine may take shortcuts, but must make the same decisions.
        const [plain] = engine.check({ principal, resources: [{ resource, actions }] });
        assert.equal(plain?.actions, result?.actions, `without meta, ${detail}`);
        for (const action of actions) {
          const [alone] = engine.check({ principal, resources: [{ resource, actions: [action] }], includeMeta: true });
          assert.is(
            engine.isAllowed({ principal, resource, action }),
            alone?.actions[0]?.effect === ALLOW,
            `${action} alone, ${detail}`,
          );
        }
        checks += 1;
      }
    }
    console.log(`  ${checks} random checks agree with the model (${strict ? 'strict' : 'default'} evaluation)`);
  });
}

test.run();

function inModelForm(result: CheckResult): ModelResult {
  return {
    ...result,
    actions: result.actions.map(({ allowed, effect, ...decision }) => {
      assert.is(allowed, effect === ALLOW);
      return { ...decision, effect: allowed ? 'EFFECT_ALLOW' : 'EFFECT_DENY' };
    }),
    outputs: [...result.outputs],
  };
}

/**
 * Outputs as a multiset: the order of a rule's rows is not guaranteed (docs/spec/policy-language.md#order-of-results).
 */
function comparable(result: ModelResult): unknown {
  const outputs = result.outputs.map((output: ModelOutput) => JSON.stringify(output)).sort();
  return { ...result, outputs };
}
