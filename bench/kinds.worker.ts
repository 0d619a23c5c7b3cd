import { createEngine } from '../runtime/engine/index.js';
import type { PolicyBundle } from '../runtime/policy/index.js';
import { report } from './harness/child.js';
import { type Measurement, measure } from './harness/rounds.js';
import type { KindsReport } from './kinds.bench.js';
import { leavePolicies } from './workload/leave-policies.js';
import { type LeaveQuestion, leaveQuestions } from './workload/leave-requests.js';

const [bundlePath, kinds, count] = process.argv.slice(2) as [string, string, string];
const { policies } = (await import(bundlePath)) as { readonly policies: PolicyBundle };
const engine = createEngine(policies);
const questions = leaveQuestions(Number(count), leavePolicies(Number(kinds)).limits);
const passes = Math.ceil(65_536 / questions.length);
// One after the other: in turns, each would evict what the other one reads.
const [decisions] = measure(
  [{ name: 'isAllowed', run: (index) => engine.isAllowed(questions[index] as LeaveQuestion) }],
  questions.length,
  { passes },
) as [Measurement];
const [reading] = measure(
  [{ name: 'reading', run: (index) => read(questions[index] as LeaveQuestion) }],
  questions.length,
  { passes },
) as [Measurement];
await report({ decisions, reading } satisfies KindsReport);

function read({ principal, resource, action }: LeaveQuestion): number {
  const { status } = resource.attr as { readonly status?: unknown };
  return principal.id.length + principal.roles.length + resource.kind.length + action.length + (status === '' ? 1 : 0);
}
