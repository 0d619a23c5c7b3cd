import * as cel from '../../packages/cel/runtime/index.js';
import { failed, isKnown, getResult, type Term, Unknown } from './term.js';

/** Why a term cannot be sent over the wire; undefined if it can. */
export function findProblem(term: Term): string | undefined {
  if (failed(term)) return 'a part that cannot be evaluated';
  if (!(term instanceof Unknown)) return problemOfValue(term as cel.Value);
  if (term.isClean) return undefined;
  const { node } = term;
  switch (node.kind) {
    case 'attributes':
    case 'path':
      return undefined;
    case 'call':
      return firstProblem(node.operands);
    case 'field':
      return findProblem(node.operand);
    case 'struct':
      return firstProblem(node.entries.flat());
    case 'macro':
      return firstProblem([node.range, ...node.bodies]);
    case 'condition':
    case 'roles':
    case 'optional':
      return `${node.kind === 'optional' ? 'an optional' : 'the list of derived roles'} as a value`;
    case 'unplannable':
      return node.reason;
  }
}

function firstProblem(terms: readonly Term[]): string | undefined {
  for (const term of terms) {
    const problem = findProblem(term);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfValue(value: cel.Value): string | undefined {
  switch (cel.kindOf(value)) {
    case 'bytes':
      // As a string they would equal an attribute that contains that string.
      return 'bytes as a value';
    case 'null':
    case 'bool':
    case 'int':
    case 'uint':
    case 'string':
    case 'timestamp':
    case 'duration':
      return undefined;
    case 'double':
      return Number.isFinite(value) ? undefined : 'a number that is not finite';
    case 'list':
      return firstProblem(value as readonly cel.Value[]);
    case 'map':
      return firstProblem(listParts(value));
    case 'type':
    case 'optional':
    case 'message':
    case 'opaque':
      return `a ${cel.kindOf(value)} as a value`;
  }
}

function listParts(map: cel.Value): readonly Term[] {
  const keys = cel.mapEach(map, (key) => key) as readonly cel.Value[];
  return keys.flatMap((key) => [key, cel.index(map, key)]);
}

/** Whether a known term may be represented by its value. */
export function isWritable(term: Term): boolean {
  return isKnown(term) && findProblem(getResult(term)) === undefined;
}
