import { evaluate } from './evaluate.js';
import type { Question, WorkerAnswer } from './questions.js';

/* Compiles and decides beside the page, which stays responsive and can stop what takes too long. */

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: Question }) => void;
  readonly postMessage: (message: WorkerAnswer) => void;
};

scope.onmessage = ({ data }) => {
  const { id } = data;
  answer(data).then(
    (answers) => scope.postMessage({ id, answers }),
    (error: unknown) => scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) }),
  );
};

/** What is not needed to evaluate is loaded when it is first asked for. */
async function answer({ kind, asks }: Question) {
  return kind === 'evaluate' ? evaluate(asks) : (await import('./later.js'))[kind](asks as never);
}
