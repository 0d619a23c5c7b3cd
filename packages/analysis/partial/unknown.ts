import { factName, type FactRoot } from '../../../runtime/facts/fact-names.js';
import {
  ANY,
  bothOutcomes,
  eitherOutcomes,
  FAILS,
  FALSE,
  OTHER,
  type Outcomes,
  TRUE,
} from '../../../runtime/facts/outcomes.js';
import type { FactNames } from '../../../runtime/engine/index.js';
import * as cel from '../../cel/runtime/index.js';

export type { FactNames };

export const NO_FACTS: FactNames = new Set();

/** A value that is not known yet: the outcomes that it may have, and the facts that decide which. */
export class Unknown {
  constructor(
    readonly outcomes: Outcomes,
    readonly facts: FactNames,
  ) {}
}

/** The attributes of one side of a request, some of which are unknown. */
export class PartialMap {
  /**
   * @param known without the entries that are unknown.
   * @param unknown the names of entries that may exist.
   */
  constructor(
    readonly root: FactRoot,
    readonly known: cel.JsonMap,
    readonly unknown: ReadonlySet<string>,
  ) {}

  /** The facts of one entry. */
  factOf(name: string): FactNames {
    return new Set([factName(this.root, name)]);
  }

  /** The map as a whole: a map, whatever is missing in it. */
  asWhole(): Unknown {
    return new Unknown(OTHER, new Set([...this.unknown].map((name) => factName(this.root, name))));
  }
}

/** `P`, `R`, `request`, `aux_data` or `runtime` as a whole, with something in it that is unknown. */
export class PartialPart {
  constructor(
    readonly part: 'request' | 'principal' | 'resource' | 'auxData' | 'runtime',
    readonly facts: FactNames,
  ) {}
}

/** A result of an evaluation that may be known in part. */
export type PartialResult = cel.Result | Unknown | PartialMap | PartialPart;

/** A result that is known, or unknown as a whole. */
export type WholeResult = cel.Result | Unknown;

/** An unknown with these outcomes, or its value if only one is left. */
export function withOutcomes(outcomes: Outcomes, facts: FactNames): WholeResult {
  switch (outcomes) {
    case TRUE:
      return true;
    case FALSE:
      return false;
    case FAILS:
      return FAILED;
    default:
      return new Unknown(outcomes, facts);
  }
}

const FAILED = new cel.CelError('fails whatever is unknown');

/** Anything at all, depending on facts. */
export function anything(facts: FactNames): Unknown {
  return new Unknown(ANY, facts);
}

export function readOutcomes(result: WholeResult): Outcomes {
  if (result instanceof Unknown) return result.outcomes;
  if (typeof result === 'boolean') return result ? TRUE : FALSE;
  return cel.isFailure(result) ? FAILS : OTHER;
}

export function listFacts(result: WholeResult): FactNames {
  return result instanceof Unknown ? result.facts : NO_FACTS;
}

/** The facts of all of some results. */
export function factsOfAll(results: readonly WholeResult[]): FactNames {
  return union(results.map(listFacts));
}

export function isUnknown(result: PartialResult): result is Unknown {
  return result instanceof Unknown;
}

/** A result where the value as a whole is needed. */
export function whole(result: PartialResult): WholeResult {
  if (result instanceof PartialMap) return result.asWhole();
  return result instanceof PartialPart ? new Unknown(OTHER, result.facts) : result;
}

export function union(sets: readonly FactNames[]): FactNames {
  const some = sets.filter(({ size }) => size > 0);
  if (some.length < 2) return some[0] ?? NO_FACTS;
  const all = new Set<string>();
  for (const set of some) for (const fact of set) all.add(fact);
  return all;
}

/** `a && b`, or `a || b` if `decisive` is true. */
export function bothOrEither(a: WholeResult, b: WholeResult, decisive: boolean): WholeResult {
  if (!isUnknown(a) && !isUnknown(b)) return decisive ? cel.or(a, b) : cel.and(a, b);
  const outcomes = (decisive ? eitherOutcomes : bothOutcomes)(readOutcomes(a), readOutcomes(b));
  return withOutcomes(outcomes, union([listFacts(a), listFacts(b)]));
}
