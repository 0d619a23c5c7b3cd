import { type CheckResult, createEngine, type EngineOptions } from '../../runtime/engine/index.js';
import { ALLOW } from '../../runtime/policy/index.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { interpretedBundle } from './interpreted-bundle.js';
import { MODEL_DEFAULTS, type ModelResult, modelCheck } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { tableOf } from '../support/oracle/table.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';
import { SEED, rounds } from '../support/effort.js';

/** The engine's result in the form of the model. */
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

const stores = rounds(60);
const firstSeed = SEED;

for (const strict of [false, true]) {
  test(`the engine decides like the reference model on random stores, ${strict ? 'strict' : 'default'} evaluation`, () => {
    for (let seed = firstSeed; seed < firstSeed + stores; seed++) {
      const random = new Random(seed);
      const documents = randomStore(random, { outputs: random.chance(0.6), runtime: random.chance(0.5) });
      const table = tableOf(documents);
      const { bundle, traced } = interpretedBundle(documents, { crowded: random.chance(0.2) });
      const defaultScope = random.pick(['', '', 'a', '.a']);
      const lenient = random.chance(0.4);
      const options: EngineOptions = {
        defaultScope,
        lenientScopeSearch: lenient,
        ...(strict ? { strictEvaluation: true, traced } : {}),
      };
      const engine = createEngine(bundle, options);
      const quiet = createEngine(bundle, options);

      for (let i = 0; i < 40; i++) {
        const request = randomRequest(random);
        const { principal, resource, actions } = request;
        const expected = modelCheck(table, tinyCel, request, { ...MODEL_DEFAULTS, strict, lenient, defaultScope });
        const [result] = engine.check({ principal, resources: [{ resource, actions }], includeMeta: true });
        const detail = `seed ${seed}, request ${i}: ${JSON.stringify(request)}`;
        assert.equal(inModelForm(result as CheckResult), expected, detail);

        const [plain] = quiet.check({ principal, resources: [{ resource, actions }] });
        assert.equal(
          inModelForm(plain as CheckResult),
          { ...expected, effectiveDerivedRoles: [] },
          `without meta, ${detail}`,
        );
        for (const action of actions) {
          const alone = modelCheck(
            table,
            tinyCel,
            { ...request, actions: [action] },
            { ...MODEL_DEFAULTS, strict, lenient, defaultScope },
          );
          assert.is(
            quiet.isAllowed({ principal, resource, action }),
            alone.actions[0]?.effect === 'EFFECT_ALLOW',
            `${action} alone, ${detail}`,
          );
        }
      }
    }
  });
}

test.run();
