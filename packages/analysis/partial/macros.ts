import { FAILS, FALSE, TRUE } from '../../../runtime/facts/outcomes.js';
import { findFunction } from '../../../compiler/evaluate.js';
import type { Macro, Value } from '../../../compiler/ir/value.js';
import * as cel from '../../cel/runtime/index.js';
import type { Context } from './context.js';
import {
  anything,
  bothOrEither,
  type FactNames,
  listFacts,
  isUnknown,
  NO_FACTS,
  type PartialResult,
  union,
  Unknown,
  whole,
  type WholeResult,
} from './unknown.js';

type Locals = ReadonlyMap<string, PartialResult>;
type Evaluate = (value: Value, context: Context, locals: Locals) => PartialResult;

/** Macros whose result is a boolean, unless they fail. */
const BOOLEAN = /^(?:all|exists|existsOne)2?$/;
/** Macros that fold the results of their bodies as `&&` and `||` do. */
const FOLDED = /^(?:all|exists)2?$/;

/** Evaluates a comprehension or a binding. */
export function evaluateMacro(macro: Macro, context: Context, locals: Locals, evaluate: Evaluate): PartialResult {
  const { runtime, variables, predicate, body } = macro;
  const given = evaluate(macro.range, context, locals);
  const evaluateWith = (part: Value, items: readonly PartialResult[]): PartialResult =>
    evaluate(part, context, new Map([...locals, ...variables.map((name, at) => [name, items[at]] as const)]));
  if (runtime === 'bind') return evaluateWith(body, [given]);
  const parts = [predicate, body].filter((part) => part !== undefined);
  /** The facts that bodies may read, whatever the elements are. */
  const factsOfBodies = (): FactNames =>
    union(
      parts.map((part) =>
        listFacts(
          whole(
            evaluateWith(
              part,
              variables.map(() => BLIND),
            ),
          ),
        ),
      ),
    );
  const range = whole(given);
  if (isUnknown(range)) return open(runtime, [range.facts, factsOfBodies()]);

  const unknown: Unknown[] = [];
  const isAll = runtime.startsWith('all');
  const result = findFunction(runtime)(
    range,
    ...parts.map((part) => (...items: readonly cel.Result[]): cel.Result => {
      const one = whole(evaluateWith(part, items));
      if (!isUnknown(one)) return one;
      unknown.push(one);
      // In a fold, what does not decide; otherwise what ends it.
      return FOLDED.test(runtime) ? isAll : UNDECIDED;
    }),
  );
  if (unknown.length === 0) return result;
  if (FOLDED.test(runtime)) return unknown.reduce<WholeResult>((a, b) => bothOrEither(a, b, !isAll), result);
  // The bodies of later elements were not reached: what they read may matter, too.
  return open(runtime, [...unknown.map(listFacts), factsOfBodies()]);
}

/** The result of a macro of which nothing more is known. */
function open(runtime: string, facts: readonly FactNames[]): Unknown {
  return BOOLEAN.test(runtime) ? new Unknown(TRUE | FALSE | FAILS, union(facts)) : anything(union(facts));
}

/** An element of a range that is unknown. */
const BLIND = anything(NO_FACTS);
const UNDECIDED = new cel.CelError('the body is unknown');
