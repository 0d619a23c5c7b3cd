import { createEngine } from '../runtime/engine/index.js';
import type { PolicyBundle } from '../runtime/policy/index.js';
import type { ColdContestant, ColdReport } from './cold.bench.js';
import { report } from './harness/child.js';
import { nanosecondsSince } from './harness/rounds.js';
import { handWritten } from './workload/hand-written.js';
import { leavePolicies } from './workload/leave-policies.js';
import { type LeaveQuestion, questionsOfKinds } from './workload/leave-requests.js';

const [name, kinds, bundlePath, modulePath] = process.argv.slice(2) as [ColdContestant, string, string, string];
const { limits } = leavePolicies(Number(kinds));
const isAllowed = await contestant();
const questions = questionsOfKinds(limits);
const passes: number[] = [];
let allowed = 0;
for (let pass = 0; pass < 50; pass++) {
  const start = process.cpuUsage();
  for (const question of questions) if (isAllowed(question)) allowed++;
  passes.push(nanosecondsSince(start) / questions.length);
}
if (allowed === 0) throw new Error('nothing is allowed');
await report({ passes } satisfies ColdReport);

async function contestant(): Promise<(question: LeaveQuestion) => boolean> {
  switch (name) {
    case 'isAllowed': {
      const { policies } = (await import(bundlePath)) as { readonly policies: PolicyBundle };
      const engine = createEngine(policies);
      return (question) => engine.isAllowed(question);
    }
    case 'by hand, a function for each kind':
      return ((await import(modulePath)) as { readonly isAllowed: (question: LeaveQuestion) => boolean }).isAllowed;
    case 'by hand, one function for all kinds':
      return handWritten(limits);
  }
}
