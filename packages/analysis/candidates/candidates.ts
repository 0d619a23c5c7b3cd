import * as cel from '../../cel/runtime/index.js';
import type { Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { parts } from '../../../compiler/ir/visit.js';
import type { Results } from '../program/results.js';

/** A part of a request that conditions read: `['resource', 'attr', 'status']`. */
export type Path = readonly string[];

/** Values that a part of a request could have instead; undefined: it is removed. */
export interface Candidates {
  readonly path: Path;
  readonly values: readonly unknown[];
}

/**
 * Collects, for each attribute that conditions read, the values that could turn one of them: what it is compared with,
 * the bounds of an order and their neighbours, one element more or less of a list, and its absence.
 */
export class CandidateCollector {
  private readonly compared: (readonly [Path, Path])[] = [];
  private readonly found = new Map<string, { readonly path: Path; readonly values: Map<string, unknown> }>();

  /**
   * @param isStrict whether a value that fails denies: then one for which the condition does not hold turns it, too.
   */
  constructor(private readonly isStrict: boolean) {}

  /** Adds what a condition compares. `results` are those of its values. */
  addCondition(match: Match, module: Module, results: Results): void {
    if (match.kind === 'expr') this.addValue(match.value, module, results, new Set());
    else for (const part of match.of) this.addCondition(part, module, results);
  }

  /**
   * Candidates for parts of requests, in the order of the paths. Parts that are compared with each other have each
   * other's values.
   */
  candidates(): readonly Candidates[] {
    return this.candidatesOfAll().filter(({ path }) => path[0] !== GLOBALS);
  }

  /** The same with globals. */
  candidatesOfAll(): readonly Candidates[] {
    for (const [one, other] of this.compared) {
      this.add(one, ...this.listValues(other));
      this.add(other, ...this.listValues(one));
    }
    return [...this.found.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { path, values }]) => ({ path, values: [...values.values()] }));
  }

  private listValues(path: Path): readonly unknown[] {
    return [...(this.found.get(joinPath(path))?.values.values() ?? [])];
  }

  private addValue(value: Value, module: Module, results: Results, seen: Set<string>): void {
    if (value.kind === 'variable') {
      // Variables do not refer to themselves; one that is read twice is looked at once.
      if (seen.has(value.name)) return;
      seen.add(value.name);
      const variable = module.variables.find(({ name }) => name === value.name);
      if (variable !== undefined) this.addValue(variable.value, module, results, seen);
      return;
    }
    const path = findPath(value);
    if (path !== undefined) {
      this.add(path, undefined);
      const result = results.get(value);
      if (typeof result === 'boolean') this.add(path, !result);
      if (cel.isFailure(result)) this.add(path, true, ...(this.isStrict ? [false] : []));
      return;
    }
    if (value.kind === 'has') {
      const tested = findPath({ ...value, kind: 'select' });
      if (tested !== undefined) this.add(tested, undefined, true);
    }
    if (value.kind === 'operator') this.addOperator(value, results);
    if (value.kind === 'call') this.addCall(value, results);
    for (const part of parts(value)) this.addValue(part, module, results, seen);
  }

  private addOperator({ operator, operands }: Value & { readonly kind: 'operator' }, results: Results): void {
    const [left, right] = operands as [Value, Value];
    switch (operator) {
      case 'equals':
      case 'notEquals':
        this.addPair(left, right);
        this.addEqual(left, results.get(right), results.get(left));
        this.addEqual(right, results.get(left), results.get(right));
        return;
      case 'lessThan':
      case 'atMost':
      case 'greaterThan':
      case 'atLeast':
        for (const near of neighbours(results.get(right))) this.addJson(left, near);
        for (const near of neighbours(results.get(left))) this.addJson(right, near);
        return;
      case 'inCollection': {
        const collection = results.get(right);
        if (Array.isArray(collection)) for (const element of collection.slice(0, FEW)) this.addJson(left, element);
        if (cel.inCollection(results.get(left), collection) === true) this.addAnother(left, results.get(left));
        this.addElement(right, collection, results.get(left));
        return;
      }
      default:
    }
  }

  private addPair(left: Value, right: Value): void {
    const [one, other] = [findPath(unconverted(left)), findPath(unconverted(right))];
    if (one !== undefined && other !== undefined) this.compared.push([one, other]);
  }

  /** The other side, or another value if they are equal or, in strict evaluation, the value is missing. */
  private addEqual(value: Value, other: cel.Result, own: cel.Result): void {
    this.addJson(value, other);
    if (cel.equals(own, other) !== true && !(this.isStrict && cel.isFailure(own))) return;
    this.addAnother(value, cel.isFailure(own) ? other : own);
  }

  /** A value of the same type that is compared with nothing. */
  private addAnother(value: Value, like: cel.Result): void {
    if (typeof like === 'string') this.addJson(value, `another ${like}`);
    if (typeof like === 'number') this.addJson(value, like + 1);
    if (typeof like === 'boolean') this.addJson(value, !like);
  }

  /** A text that a function looks for is found in itself. */
  private addCall({ args }: Value & { readonly kind: 'call' }, results: Results): void {
    const [subject, sought] = args;
    if (args.length === 2 && subject !== undefined && sought?.kind === 'literal' && sought.literal === 'string')
      this.addJson(subject, results.get(sought));
  }

  /** A list with one element more, or less. */
  private addElement(list: Value, collection: cel.Result, element: cel.Result): void {
    const path = findPath(list);
    const added = toJson(element);
    if (path === undefined || added === undefined) return;
    const before = Array.isArray(collection) ? (toJson(collection) as readonly unknown[] | undefined) : undefined;
    const text = JSON.stringify(added);
    this.add(path, [...(before ?? []), added]);
    if (before !== undefined)
      this.add(
        path,
        before.filter((item) => JSON.stringify(item) !== text),
      );
  }

  private addJson(value: Value, result: cel.Result): void {
    const path = findPath(unconverted(value));
    const json = toJson(result);
    if (path !== undefined && json !== undefined) this.add(path, json);
  }

  private add(path: Path, ...values: readonly unknown[]): void {
    const key = joinPath(path);
    const entry = this.found.get(key) ?? { path, values: new Map<string, unknown>() };
    for (const value of values) if (canBe(path, value)) entry.values.set(JSON.stringify(value) ?? '', value);
    this.found.set(key, entry);
  }
}

/** Whether a part of a request can have a value: attributes and claims as a whole are objects, or absent. */
export function canBe(path: Path, value: unknown): boolean {
  const isWhole = path.length === 2 && path[0] !== GLOBALS && (path[1] === 'attr' || path[1] === 'jwt');
  return !isWhole || value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function joinPath(path: Path): string {
  return path.join('\0');
}

/** The number of elements of a collection that are tried. */
const FEW = 20;

/** Where the path of a global begins: it is no part of a request. */
export const GLOBALS = 'globals';

/** The attribute, claim or global that a value reads; undefined if it computes something. */
export function findPath(value: Value): Path | undefined {
  if (value.kind === 'select' || value.kind === 'optional-select') {
    const path = findPath(value.operand);
    return path && [...path, value.name];
  }
  if (
    (value.kind === 'index' || value.kind === 'optional-index') &&
    value.index.kind === 'literal' &&
    value.index.literal === 'string'
  ) {
    const path = findPath(value.operand);
    return path && [...path, value.index.value];
  }
  if (value.kind === 'global') return [GLOBALS, value.name];
  if (value.kind !== 'field') return undefined;
  if (value.of === 'auxData') return value.name === 'jwt' ? ['auxData', 'jwt'] : undefined;
  return value.name === 'attr' && (value.of === 'principal' || value.of === 'resource')
    ? [value.of, 'attr']
    : undefined;
}

/** What a conversion converts: the text of `timestamp(R.attr.starts)`. */
function unconverted(value: Value): Value {
  if (value.kind !== 'call' || !CONVERSIONS.has(value.name)) return value;
  const [operand] = value.args;
  return operand === undefined ? value : unconverted(operand);
}

const CONVERSIONS = new Set([
  'timestamp',
  'duration',
  'int',
  'uint',
  'double',
  'string',
  'bool',
  'dyn',
  'hierarchy',
  'spiffeID',
  'spiffeTrustDomain',
  'ip',
  'cidr',
  // Of optionals.
  'of',
  'value',
  'orValue',
]);

/** A bound of an order, and the values next to it. */
function neighbours(bound: cel.Result): readonly cel.Result[] {
  if (typeof bound === 'number') return [bound, bound - 1, bound + 1];
  if (typeof bound === 'bigint') return [bound, bound - 1n, bound + 1n];
  if (bound instanceof cel.Timestamp) {
    const second = new cel.Duration(1_000_000_000n);
    return [bound, cel.subtract(bound, second), cel.add(bound, second)];
  }
  return [bound];
}

/** A result as a request would have it; undefined if it has no JSON form. */
function toJson(result: cel.Result): unknown {
  if (cel.isFailure(result)) return undefined;
  if (result instanceof cel.Opaque) return findText(result);
  const output = cel.toOutput(result);
  return 'error' in output ? undefined : output.val;
}

/** The string that an opaque value is made of. */
function findText(value: cel.Opaque): string | undefined {
  if (value instanceof cel.HierarchyValue) return value.levels.join('.');
  if (value instanceof cel.SpiffeIdValue) return value.uri;
  return value instanceof cel.SpiffeTrustDomainValue ? value.trustDomain : value.toText();
}
