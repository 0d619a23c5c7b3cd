import { createEngine, type Engine, type PlanRequest } from '../runtime/engine/index.js';
import type { PolicyBundle } from '../runtime/policy/index.js';
import { aim, figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Measurement, measure } from './harness/rounds.js';
import { type Bundles, compiled } from './workload/bundles.js';
import { hotLeavePolicy, leavePolicies } from './workload/leave-policies.js';
import { EMPLOYEES, type LeaveQuestion, leaveQuestions } from './workload/leave-requests.js';
import { policiesOfRules } from './workload/rule-counts.js';

export const PLAN_TITLE = 'A plan, in process';

/** The cost of one plan, by the number of rules of a policy and of policies, compared with a check of one resource. */
export async function planBench(bundles: Bundles): Promise<Section> {
  const hot = await leaveRow('the leave policy', await compiled(hotLeavePolicy().texts), hotLeavePolicy().limits);
  const rows: Row[] = [hot];
  for (const count of [1, 10, 100]) rows.push(ruleRow(count, await compiled(policiesOfRules(count))));
  for (const count of [10, 1_000, 10_000]) {
    const { path } = await bundles.get('six-rules', count);
    const { policies } = (await import(path)) as { readonly policies: PolicyBundle };
    rows.push(leaveRow(`out of ${count.toLocaleString('en-US')} policies`, policies, leavePolicies(count).limits));
  }
  return {
    title: PLAN_TITLE,
    text: [
      'Microseconds per plan of one action for a principal with one or two roles, over rotating requests, compared with `check` of one action on one resource in the same rounds. In the rows with a number of rules, all rules match the action and all conditions remain in the filter.',
      table(
        ['measured', 'plan / check', 'plan µs, minimum', 'plan µs', 'with text µs', 'check µs', 'spread'],
        rows.map(({ name, plan, withText, check }) => [
          name,
          ratio(plan.median / check.median),
          figure(plan.minimum / 1000),
          figure(plan.median / 1000),
          figure(withText.median / 1000),
          figure(check.median / 1000),
          percent(plan.spread),
        ]),
      ),
      [
        aim('at most 2 microseconds per plan of the leave policy', hot.plan.minimum <= 2_000),
        aim('at most 60 microseconds per plan of a policy of 100 rules', (rows[3]?.plan.minimum ?? 0) <= 60_000),
      ].join('\n'),
    ].join('\n\n'),
    failures: [],
  };
}

interface Row {
  readonly name: string;
  readonly plan: Measurement;
  readonly withText: Measurement;
  readonly check: Measurement;
}

function leaveRow(name: string, policies: PolicyBundle, limits: Parameters<typeof leaveQuestions>[1]): Row {
  return row(name, createEngine(policies), leaveQuestions(limits.length > 100 ? 8_192 : 1_024, limits));
}

/** All rules are about the same action of the same kind. */
function ruleRow(count: number, policies: PolicyBundle): Row {
  const questions = leaveQuestions(256, [{ kind: 'document', longestLeaveDays: 0, countriesWithLocalRules: [] }]);
  const employed = EMPLOYEES.filter(({ roles }) => roles.includes('employee'));
  const asked = questions.map((question, index) => ({
    ...question,
    principal: employed[index % employed.length] as LeaveQuestion['principal'],
    action: 'view',
  }));
  return row(count === 1 ? 'a policy of one rule' : `a policy of ${count} rules`, createEngine(policies), asked);
}

function row(name: string, engine: Engine, questions: readonly LeaveQuestion[]): Row {
  const plans = questions.map(
    ({ principal, resource, action }): PlanRequest => ({
      principal,
      resource: { kind: resource.kind },
      actions: [action],
    }),
  );
  const checks = questions.map(({ principal, resource, action }) => ({
    principal,
    resources: [{ resource, actions: [action] }],
  }));
  const [plan, withText, check] = measure(
    [
      { name: 'plan', run: (index) => engine.plan(plans[index] as PlanRequest) },
      { name: 'with text', run: (index) => engine.plan(plans[index] as PlanRequest).filterDebug },
      { name: 'check', run: (index) => engine.check(checks[index] as (typeof checks)[number]) },
    ],
    questions.length,
    // Turns of at least 10 ms, so that V8 has compiled what is measured.
    { rounds: 15, passes: Math.ceil(4_096 / questions.length) },
  ) as [Measurement, Measurement, Measurement];
  return { name, plan, withText, check };
}
