import { join } from 'node:path';
import { Environment } from '@marcbachmann/cel-js';
import type { Request, Rule } from '../runtime/policy/index.js';
import { importBundle } from '../compiler/bundle/import-bundle.js';
import { bundle } from '../compiler/bundle/index.js';
import { compile } from '../compiler/compile.js';
import { Source } from '../compiler/diagnostics/source.js';
import { ROOT } from './harness/paths.js';
import { aim, figure, ratio, type Section, table } from './harness/report.js';
import { type Measurement, measure } from './harness/rounds.js';
import { CONDITIONS, conditionRequests, isInTen, type TypicalCondition, VARIABLES } from './workload/conditions.js';

export const CONDITIONS_TITLE = 'A condition';

/** The cost of typical conditions, compared with equivalent TypeScript written by hand and with a CEL interpreter. */
export async function conditionsBench(): Promise<Section> {
  const rules = await compiledRules();
  const requests = conditionRequests(REQUESTS);
  const results = CONDITIONS.map((condition, index) => measured(condition, rules[index] as Rule, requests));
  const byHand = geometricMean(results.map(({ toHand }) => toHand));
  const toPackage = geometricMean(results.map(({ toPackage }) => toPackage));
  return {
    title: CONDITIONS_TITLE,
    text: [
      `Nanoseconds per condition over ${REQUESTS} rotating requests, without the cost of the loop. All implementations return the same results. The package is @marcbachmann/cel-js, with expressions parsed in advance.`,
      table(
        ['measured', 'compiled / by hand', 'package / compiled', 'by hand ns', 'compiled ns', 'package ns'],
        results.map(({ name, toHand, toPackage, nanoseconds }) => [
          name,
          ratio(toHand),
          ratio(toPackage),
          ...nanoseconds.map(figure),
        ]),
      ),
      [
        aim(`at most 1.5x the time of hand-written TypeScript (geometric mean ${ratio(byHand)})`, byHand <= 1.5),
        aim(`10x faster than the package (geometric mean ${ratio(toPackage)})`, toPackage >= 10),
      ].join('\n'),
    ].join('\n\n'),
    failures: [],
  };
}

const REQUESTS = 504;

interface Result {
  readonly name: string;
  readonly toHand: number;
  readonly toPackage: number;
  /** Nanoseconds: by hand, compiled, the package. */
  readonly nanoseconds: readonly number[];
}

function measured(condition: TypicalCondition, rule: Rule, requests: readonly Request[]): Result {
  const { name, expr, withoutVariables, byHand } = condition;
  const parsed = packageEnvironment().parse(withoutVariables ?? expr);
  const contexts = requests.map(({ principal, resource }) => ({ P: principal, R: resource }));
  requests.forEach((request, index) => {
    const answers = [byHand(request), rule.when?.(request), parsed(contexts[index])];
    if (new Set(answers).size > 1) throw new Error(`${name}: by hand, compiled, package: ${answers.join(', ')}`);
  });
  const [loop, ...others] = measure(
    [
      { name: 'loop', run: (index) => requests[index] },
      { name: 'by hand', run: (index) => byHand(requests[index] as Request) },
      { name: 'compiled', run: (index) => rule.when?.(requests[index] as Request) },
      { name: 'package', run: (index) => parsed(contexts[index]) },
    ],
    requests.length,
    { passes: 20 },
  );
  const nanoseconds = others.map(({ median }) => Math.max(LEAST, median - (loop as Measurement).median));
  const [hand = LEAST, compiled = LEAST, interpreted = LEAST] = nanoseconds;
  return { name, toHand: compiled / hand, toPackage: interpreted / compiled, nanoseconds };
}

/** Anything shorter cannot be told from the loop, in nanoseconds. */
const LEAST = 1;

function packageEnvironment(): Environment {
  return new Environment({ unlistedVariablesAreDyn: true }).registerFunction(
    'string.inIPAddrRange(string): bool',
    (address: unknown) => isInTen(address),
  );
}

async function compiledRules(): Promise<readonly Rule[]> {
  const policy = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'order',
      version: 'default',
      variables: { local: VARIABLES },
      rules: CONDITIONS.map(({ expr }) => ({
        actions: ['act'],
        effect: 'EFFECT_ALLOW',
        roles: ['*'],
        condition: { match: { expr } },
      })),
    },
  };
  const { files, program, diagnostics } = compile([new Source('order.yaml', JSON.stringify(policy))]);
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const { js } = await bundle(files, join(ROOT, 'runtime'));
  const { policies } = await importBundle(js);
  return policies.resourcePolicies[0]?.rules ?? [];
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
