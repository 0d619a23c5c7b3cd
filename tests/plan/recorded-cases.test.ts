import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { createEngine, type Engine, type EngineOptions, type PlanResult } from '../../runtime/engine/index.js';
import { REFERENCE, selects } from '../../runtime/residual/index.js';
import { selectsRow } from '../support/oracle/filter-rows.js';
import { NotJudged, type WireOperand } from '../support/oracle/operands.js';
import { loaded, ROOT, SHARED } from '../support/compiled.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { normalOperand } from './normal-operand.js';
import { skip } from '../support/skip.js';

/**
 * The recorded plans of docs/spec/plans.md#evaluating-a-filter, compared by meaning (the selected rows) and by shape
 * (the trees of the reference).
 */
const CASES = join(SHARED, 'cases', 'plan-cases.json');
const test = suite('recorded plans');

if (existsSync(CASES)) {
  const { cases } = JSON.parse(readFileSync(CASES, 'utf8')) as { readonly cases: readonly Case[] };
  const usable = cases.filter(({ want }) => want.status !== 400);
  /** Rows of conditional filters, each also evaluated by the model. */
  let judged = 0;
  const bundles = new Map<string, ReturnType<typeof loaded>>();

  test('a plan selects the rows that check allows', async () => {
    const outcomes: Outcome[] = [];
    for (const recorded of usable.filter(({ probes }) => probes !== undefined && probes.length > 0)) {
      outcomes.push({ id: recorded.id, problem: await problemOfMeaning(recorded).catch(reasonNotJudged) });
    }
    settle(
      'plan-cases, meaning',
      outcomes,
      readKnownFailures(join(ROOT, 'tests/plan/known-failures-meaning.txt')),
      219,
    );
    assert.is(judged, 705);
  });

  test('with reference shapes a plan is the tree that the reference builds', async () => {
    const outcomes: Outcome[] = [];
    for (const recorded of usable.filter(
      ({ referenceDefect, want }) => referenceDefect === undefined && want.response?.filter !== undefined,
    )) {
      outcomes.push({ id: recorded.id, problem: await problemOfShape(recorded) });
    }
    settle('plan-cases, shape', outcomes, readKnownFailures(join(ROOT, 'tests/plan/known-failures-shape.txt')), 194);
  });

  const engineOf = async (recorded: Case, reference: boolean): Promise<Engine> => {
    const { policies, traced } = await bundleOf(recorded);
    const config = recorded.config ?? {};
    const options: EngineOptions = {
      globals: config.globals ?? {},
      lenientScopeSearch: config.lenientScopeSearch ?? false,
      schemaEnforcement: config.schemaEnforcement ?? 'none',
      ...(config.strictEvaluation && { strictEvaluation: true, traced: await traced() }),
      ...(reference && { plan: REFERENCE }),
    };
    return createEngine(policies, options);
  };

  /** The bundle of a case, which others may share. */
  const bundleOf = (recorded: Case): ReturnType<typeof loaded> => {
    const key = JSON.stringify([recorded.policies, recorded.schemas]);
    const known = bundles.get(key);
    if (known !== undefined) return known;
    const texts = recorded.policies.map((policy, index) => [`p${index}.yaml`, JSON.stringify(policy)] as const);
    const schemas = new Map(
      Object.entries(recorded.schemas ?? {}).map(([name, schema]) => [name, JSON.stringify(schema)]),
    );
    const sources = texts.map(([path, text]) => new Source(path, text));
    const bundle = loaded(compile(sources, new Diagnostics(), { schemaTexts: schemas }));
    bundles.set(key, bundle);
    return bundle;
  };

  const planOf = async (recorded: Case, reference: boolean): Promise<PlanResult> => {
    const { request } = recorded;
    const auxData = recorded.tokenClaims === undefined ? undefined : claimsOf(recorded.tokenClaims);
    const actions = request.actions ?? [request.action ?? ''];
    return (await engineOf(recorded, reference)).plan({
      principal: request.principal,
      resource: request.resource,
      actions,
      auxData,
    });
  };

  const problemOfMeaning = async (recorded: Case): Promise<string | undefined> => {
    const { filter, filterDebug } = await planOf(recorded, false);
    const wrong = (recorded.probes ?? []).filter(({ resource, effect }) => {
      const attr = { ...resource.attr, ...recorded.request.resource.attr };
      const row = {
        id: resource.id,
        attr,
        policyVersion: resource.policyVersion ?? recorded.request.resource.policyVersion,
      };
      if (filter.kind !== 'KIND_CONDITIONAL') return (filter.kind === 'KIND_ALWAYS_ALLOWED') !== (effect === 'ALLOW');
      // As a client receives it.
      judged += 1;
      const byOracle = selectsRow(JSON.parse(JSON.stringify(filter.condition)) as WireOperand, row);
      return [selects(filter, row), byOracle].some((isSelected) => isSelected !== (effect === 'ALLOW'));
    });
    return wrong.length === 0 ? undefined : `${filterDebug} is wrong about ${JSON.stringify(wrong)}`;
  };

  const problemOfShape = async (recorded: Case): Promise<string | undefined> => {
    const { filter, filterDebug, matchedScopes } = await planOf(recorded, true);
    const want = recorded.want.response;
    const ordered = recorded.want.operandOrder === 'exact';
    const have = JSON.stringify([filter.kind, 'condition' in filter ? normalOperand(filter.condition, ordered) : null]);
    const wanted = JSON.stringify([
      want?.filter?.kind,
      want?.filter?.condition === undefined ? null : normalOperand(want.filter.condition as never, ordered),
    ]);
    if (have !== wanted) return `${filterDebug} is not ${want?.meta?.filterDebug}`;
    const debug = want?.meta?.filterDebug;
    if (debug !== undefined && ordered && !debug.includes('@now') && filterDebug !== debug)
      return `${filterDebug} is not written ${debug}`;
    const scopes = want?.meta?.matchedScopes;
    const haveScopes = matchedScopes === undefined ? undefined : Object.fromEntries(matchedScopes);
    if (
      want?.meta !== undefined &&
      recorded.request.actions !== undefined &&
      JSON.stringify(scopes) !== JSON.stringify(haveScopes)
    ) {
      return `${JSON.stringify(haveScopes)} are not the scopes ${JSON.stringify(scopes)}`;
    }
    return undefined;
  };
} else {
  skip(import.meta.url, 'the recorded plans are not here (../shared/cases)');
}

test.run();

function reasonNotJudged(error: unknown): string {
  if (error instanceof NotJudged) return `a probe cannot be judged: ${error.message}`;
  throw error;
}

interface TokenClaims {
  readonly jwt?: object;
  readonly jwts?: { readonly [name: string]: object };
}

interface Case {
  readonly id: string;
  readonly policies: readonly object[];
  readonly config?: Pick<EngineOptions, 'globals' | 'lenientScopeSearch' | 'schemaEnforcement' | 'strictEvaluation'>;
  readonly schemas?: { readonly [name: string]: object };
  readonly tokenClaims?: TokenClaims;
  readonly request: {
    readonly action?: string;
    readonly actions?: readonly string[];
    readonly principal: Parameters<Engine['plan']>[0]['principal'];
    readonly resource: Parameters<Engine['plan']>[0]['resource'];
  };
  readonly want: {
    readonly status: number;
    readonly operandOrder?: string;
    readonly response?: {
      readonly filter?: { readonly kind: string; readonly condition?: object };
      readonly meta?: { readonly filterDebug?: string; readonly matchedScopes?: object };
    };
  };
  readonly probes?: readonly {
    readonly resource: { readonly id: string; readonly attr?: object; readonly policyVersion?: string };
    readonly effect: string;
  }[];
  readonly referenceDefect?: string;
}

/** The claims of a request's tokens, as after verification. */
function claimsOf({ jwt, jwts }: TokenClaims): NonNullable<Parameters<Engine['plan']>[0]['auxData']> {
  return { jwt, jwts: Object.fromEntries(Object.entries(jwts ?? {}).map(([name, claims]) => [name, { claims }])) };
}
