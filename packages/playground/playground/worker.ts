import { evaluate, type PlaygroundInput } from './evaluate.js';

/* Compiles and decides beside the page, which stays responsive and can stop what takes too long. */

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: PlaygroundInput }) => void;
  readonly postMessage: (message: unknown) => void;
};

scope.onmessage = ({ data }) => scope.postMessage(evaluate(data));
