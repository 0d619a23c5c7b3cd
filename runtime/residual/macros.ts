import * as cel from '../../packages/cel/runtime/index.js';
import { sameTerm } from './alike.js';
import { and, complement, conditional, or, tested } from './logic.js';
import { sortOfTerm } from './numbers.js';
import { anyRole } from './operators.js';
import { findProblem } from './problem.js';
import { failed, isKnown, type Node, path, getResult, type Sort, type Term, Unknown, unplannable } from './term.js';

/** A body of a macro: a predicate or a transformation of its variables. */
export type Body = (...variables: readonly Term[]) => Term;

type Run = (range: cel.Result, ...bodies: never[]) => cel.Result;

/** A comprehension to expand. */
interface Macro {
  /** The name of the function of packages/cel/runtime. */
  readonly runtime: string;
  readonly run: Run;
  readonly variables: readonly string[];
  readonly bodies: readonly Body[];
}

/**
 * A macro over a term (docs/spec/plans.md#macros-over-known-collections). Over a known range it is evaluated element by
 * element; over an unknown one its bodies are evaluated for an unknown variable, so that they only refer to the
 * resource and to such variables.
 */
export function macro(
  runtime: string,
  run: Run,
  variables: readonly string[],
  range: Term,
  ...bodies: readonly Body[]
): Term {
  if (failed(range)) return range;
  const of: Macro = { runtime, run, variables, bodies };
  if (isKnown(range)) return overKnown(of, getResult(range) as cel.Value);
  const { node } = range as Unknown;
  if (node.kind === 'unplannable') return range;
  if (node.kind === 'roles') return overRoles(of, range as Unknown);
  if (node.kind === 'optional') return overOptional(of, node);
  if (runtime === 'sortBy' || runtime === 'optMap' || runtime === 'optFlatMap') return unplannable(runtime);
  return keptMacro(of, range);
}

/** `cel.bind(x, e, body)`. */
export function bind(value: Term, body: Body): Term {
  return body(value);
}

/**
 * Elements of a known range that are evaluated one by one; more remain a macro over a constant (each is a disjunct).
 */
const MOST_UNROLLED = 1000;

/** The residual of an element is a tree of terms and, later, of operands. */
const STEPS_A_TERM = 100;
/** The measured size of a term in the residual of an element: nested macros multiply their elements. */
const BYTES_A_TERM = 2000;

function overKnown(of: Macro, range: cel.Value): Term {
  const items = listItems(of, range);
  if (items === undefined) return cel.all(range, () => true);
  const quantifier = QUANTIFIERS[of.runtime];
  if (quantifier !== undefined && items.length <= MOST_UNROLLED) {
    cel.charge(STEPS_A_TERM * items.length);
    cel.chargeMemory(BYTES_A_TERM * items.length);
    const [body] = of.bodies as [Body];
    const join = quantifier === 'exists' ? or : and;
    const unrolled = items.reduceRight<Term>((rest, item) => join(body(...item), rest), quantifier === 'all');
    if (isKnown(unrolled)) return unrolled;
    const { node, sort } = unrolled as Unknown;
    const reference = macroNode(of, range);
    return new Unknown(node, sort, findProblem(new Unknown(reference, sort)) === undefined ? reference : undefined);
  }
  return worked(of, range) ?? keptMacro(of, range);
}

/** The result, a failure with its text; undefined if a body depends on an unknown value. */
function worked(of: Macro, range: cel.Value): Term {
  let open = false;
  const bodies = of.bodies.map((body) => (...items: readonly cel.Value[]): cel.Result => {
    const term = body(...items);
    if (isKnown(term)) return getResult(term);
    open = true;
    return null;
  });
  const result = of.run(range, ...(bodies as never[]));
  if (!open) return result ?? cel.select({}, 'element');
  return NOT_ON_THE_WIRE.has(of.runtime) ? unplannable(of.runtime) : undefined;
}

function listItems({ variables }: Macro, range: cel.Value): readonly (readonly cel.Value[])[] | undefined {
  if (Array.isArray(range))
    return range.map((element, position) => (variables.length === 2 ? [BigInt(position), element] : [element]));
  const keys = cel.mapEach(range, (key) => key);
  if (!Array.isArray(keys)) return undefined;
  return keys.map((key) => (variables.length === 2 ? [key, cel.index(range, key) as cel.Value] : [key]));
}

/** Over `runtime.effectiveDerivedRoles`: each role counts if it is active. */
function overRoles({ runtime, bodies }: Macro, range: Unknown): Term {
  const [body] = bodies as [Body];
  if (runtime === 'exists') return anyRole(range, body);
  if (runtime === 'all') return complement(anyRole(range, (name) => complement(body(name))));
  return unplannable(`${runtime} over the derived roles`);
}

function overOptional({ runtime, bodies }: Macro, { present, value }: Node & { kind: 'optional' }): Term {
  if (runtime !== 'optMap') return unplannable(runtime);
  const [body] = bodies as [Body];
  return new Unknown({ kind: 'optional', present, value: conditional(present, body(value), null) }, 'other');
}

function keptMacro(of: Macro, range: Term): Term {
  const node = macroNode(of, range);
  if (node.kind === 'macro' && isReadAsTwo(node)) return unplannable('a transformation to a type');
  if (of.runtime === 'filter') return new Unknown(node, elementSort(range));
  return new Unknown(
    node,
    QUANTIFIERS[of.runtime] === undefined && !of.runtime.startsWith('existsOne') ? 'other' : 'bool',
  );
}

/**
 * A lambda of three operands has two variables if the middle one is a bare name that no enclosing lambda has bound
 * (docs/spec/plans.md#operands): a type's.
 */
function isReadAsTwo({ variables, bodies: [, second] }: Node & { kind: 'macro' }): boolean {
  return (
    variables.length === 1 && second instanceof Unknown && second.constant !== undefined && second.node.kind === 'path'
  );
}

function macroNode({ runtime, variables, bodies }: Macro, range: Term): Node {
  const sorts: readonly Sort[] =
    variables.length === 2
      ? [elementSort(range) === 'json' ? 'key' : 'other', elementSort(range)]
      : [elementSort(range)];
  const bound = variables.map((variable, position) => path(variable, [], sorts[position] ?? 'other'));
  const isTest = OF_PREDICATES.has(runtime);
  const written = bodies.map((body, position) =>
    position === 0 && (isTest || bodies.length === 2) ? tested(body(...bound)) : body(...bound),
  );
  // `l.map(t, p, t)`: a lambda of `p`, `t` and `t` would read as one of two variables.
  if (runtime === 'mapWhere' && sameTerm(written[1], bound[0] as Term))
    return { kind: 'macro', operator: 'filter', range, variables, bodies: written.slice(0, 1) };
  return { kind: 'macro', operator: OPERATORS[runtime] ?? runtime, range, variables, bodies: written };
}

function elementSort(range: Term): Sort {
  if (range instanceof Unknown) return range.sort === 'json' ? 'json' : 'other';
  const [first, ...others] = Array.isArray(range) ? range.map(sortOfTerm) : [];
  // An int of a constant is read as a double: the wire does not carry its type.
  return first !== undefined && first !== 'int' && others.every((other) => other === first) ? first : 'other';
}

const QUANTIFIERS: { readonly [runtime: string]: 'exists' | 'all' | undefined } = {
  exists: 'exists',
  exists2: 'exists',
  all: 'all',
  all2: 'all',
};

/** Macros whose only body is a predicate; of two bodies the first is one. */
const OF_PREDICATES: ReadonlySet<string> = new Set([...Object.keys(QUANTIFIERS), 'existsOne', 'existsOne2', 'filter']);

const NOT_ON_THE_WIRE = new Set(['sortBy', 'optMap', 'optFlatMap']);

/** The names on the wire (docs/spec/plans.md#operands), if they differ. */
const OPERATORS: { readonly [runtime: string]: string | undefined } = {
  exists2: 'exists',
  all2: 'all',
  existsOne: 'exists_one',
  existsOne2: 'exists_one',
  mapEach: 'map',
  mapWhere: 'transformList',
  transformListWhere: 'transformList',
  transformMapWhere: 'transformMap',
  transformMapEntryWhere: 'transformMapEntry',
};
