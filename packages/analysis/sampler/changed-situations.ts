import type { AccessRequest } from '../../../runtime/engine/index.js';
import * as cel from '../../cel/runtime/index.js';
import type { Request } from '../../../runtime/policy/index.js';
import type { Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { parts, some, listValues } from '../../../compiler/ir/visit.js';
import type { Sight } from '../coverage/rule-record.js';
import { CandidateCollector, canBe, type Path, findPath } from '../candidates/candidates.js';
import { type Results, evaluateAll } from '../program/results.js';
import { withValueAt } from '../candidates/near-misses.js';
import { makeSurroundings } from '../program/conditions.js';
import type { LiteralValues } from '../witness/literal-values.js';
import { MADE_UP } from '../witness/realistic.js';
import { addTimes } from '../witness/near-times.js';
import type { Situation } from '../question/situation.js';

/** What changes of a situation are made from. */
export interface ChangeOptions {
  readonly literalValues: LiteralValues;
  /** The roles that principals may have; undefined if any. */
  readonly roles: readonly string[] | undefined;
  /** Whether roles change although no condition reads them. */
  readonly changesRoles?: boolean;
  /** Whether a part of a situation may change; `['now']` is its time. All may by default. */
  readonly mayChange?: (path: Path) => boolean;
}

/** Situations with one other value, of those that could turn a clause. */
export function changedSituations(
  situation: Situation,
  sights: readonly Sight[],
  { literalValues, roles, changesRoles = false, mayChange = () => true }: ChangeOptions,
): readonly Situation[] {
  const { request, globals, now } = situation;
  const collector = new CandidateCollector(false);
  const literals = new Set<string>();
  const times = new Set<string>();
  const pairs: (readonly [Path, Path])[] = [];
  const computed: (readonly [Path, unknown])[] = [];
  let readsRoles = changesRoles;
  for (const { condition, module, request: seen } of listConditions(sights)) {
    const results = evaluated(condition, module, seen);
    collector.addCondition(condition, module, results);
    for (const value of readValues(condition, module)) {
      if (value.kind === 'literal' && typeof value.value === 'string') literals.add(value.value);
      readsRoles ||= some(value, isRoles);
      const pair = findPair(value);
      if (pair !== undefined) pairs.push(pair);
      computed.push(...valuesBehind(value, results));
    }
    for (const result of results.values()) if (result instanceof cel.Timestamp) addTimes(result, times);
  }
  const changed: Situation[] = [];
  const set = (path: Path, value: unknown, also?: readonly [Path, unknown]): void => {
    const isPossible = (at: Path, of: unknown): boolean => mayChange(at) && canBe(at, of);
    if (!isPossible(path, value) || (also !== undefined && !isPossible(...also))) return;
    const one = withValue({ request, globals, now }, path, value);
    changed.push(also === undefined ? one : withValue(one, ...also));
  };
  const candidates = collector.candidatesOfAll();
  const known = (path: Path): readonly unknown[] => literalValues.findUses(request.resource.kind, path).literals;
  for (const { path, values } of candidates) for (const value of [...values, ...known(path)]) set(path, value);
  for (const [one, other] of pairs) for (const values of PAIRS) set(one, values[0], [other, values[1]]);
  for (const [path, value] of computed) set(path, value);
  for (const id of [...literals].slice(0, FEW)) {
    set(['principal', 'id'], id);
    set(['resource', 'id'], id);
  }
  if (readsRoles) {
    const own = request.principal.roles;
    for (const role of roles ?? literals)
      set(['principal', 'roles'], own.includes(role) ? own.filter((other) => other !== role) : [...own, role]);
  }
  if (mayChange(['now'])) for (const time of times) changed.push({ ...situation, now: time });
  const texts = [...literals].slice(0, FEW);
  for (const { path } of candidates) for (const value of [...MADE_UP, ...texts.map((text) => [text])]) set(path, value);
  return changed.filter(({ request }) => isValid(request));
}

/** A situation with another value at a path of its request, or of its globals if the path begins with `globals`. */
function withValue({ request, globals, now }: Situation, path: Path, value: unknown): Situation {
  if (path[0] !== 'globals') return { request: withValueAt(request, path, value) as AccessRequest, globals, now };
  return { request, globals: (withValueAt(globals, path, value, 1) ?? {}) as Situation['globals'], now };
}

const FEW = 10;

/** Two attributes that are compared with each other: one change alone turns nothing while both are missing. */
function findPair(value: Value): readonly [Path, Path] | undefined {
  if (value.kind !== 'operator' || value.operands.length !== 2) return undefined;
  const [one, other] = value.operands.map((operand) => findPath(operand));
  return one && other && [one, other];
}

const PAIRS: readonly (readonly [unknown, unknown])[] = [
  ['x', 'x'],
  ['x', 'y'],
  [0, 0],
  [0, 1],
  [1, 0],
  ['x', ['x']],
  ['x', ['y']],
];

/**
 * Values for what a comparison computes with: around the bound for the parts of `R.attr.a + R.attr.b > 10.0`, and lists
 * around the length for `size(R.attr.l) > 3`.
 */
function valuesBehind(value: Value, results: Results): readonly (readonly [Path, unknown])[] {
  if (value.kind !== 'operator' || !COMPARISONS.has(value.operator)) return [];
  const [left, right] = value.operands as [Value, Value];
  return [
    [left, right],
    [right, left],
  ].flatMap(([side, other]) => {
    const bound = results.get(other as Value);
    if ((typeof bound !== 'number' && typeof bound !== 'bigint') || findPath(side as Value) !== undefined) return [];
    return valuesAround(side as Value, Number(bound));
  });
}

const COMPARISONS: ReadonlySet<string> = new Set([
  'equals',
  'notEquals',
  'lessThan',
  'atMost',
  'greaterThan',
  'atLeast',
]);

function valuesAround(value: Value, bound: number): readonly (readonly [Path, unknown])[] {
  const path = findPath(value);
  if (path !== undefined) {
    const far = 2 * Math.abs(bound) + 1;
    return [bound, bound - 1, bound + 1, far, -far].map((number) => [path, number] as const);
  }
  if (value.kind !== 'call' || value.runtime !== 'size')
    return parts(value).flatMap((part) => valuesAround(part, bound));
  const sized = value.args[0] && findPath(value.args[0]);
  const lengths = [bound, bound - 1, bound + 1].filter((length) => length >= 0 && length <= MOST_LENGTH);
  return sized === undefined
    ? []
    : lengths.flatMap((length) =>
        [Array.from({ length }, () => 'x'), 'x'.repeat(length)].map((of) => [sized, of] as const),
      );
}

const MOST_LENGTH = 100;

/** Whether servers accept a request. */
function isValid({ principal, resource }: Situation['request']): boolean {
  const { id, roles } = principal;
  const hasNames = id !== '' && resource.id !== '' && roles.length > 0 && !roles.includes('');
  return hasNames && isObject(principal.attr) && isObject(resource.attr);
}

function isObject(attr: unknown): boolean {
  return attr === undefined || (typeof attr === 'object' && attr !== null && !Array.isArray(attr));
}

interface SeenCondition {
  readonly condition: Match;
  readonly module: Module;
  /** The request as the condition sees it. */
  readonly request: Request;
}

/** The conditions of rules, and those of their derived roles, each once. */
function listConditions(sights: readonly Sight[]): readonly SeenCondition[] {
  const found = new Map<Match, SeenCondition>();
  for (const { origin, request, through } of sights) {
    const { module, rule } = origin;
    if (rule.condition !== undefined && !found.has(rule.condition))
      found.set(rule.condition, { condition: rule.condition, module, request });
    for (const own of through === undefined ? [] : listConditions([through]))
      if (!found.has(own.condition)) found.set(own.condition, own);
  }
  return [...found.values()];
}

function evaluated(condition: Match, module: Module, request: Request): Results {
  return evaluateAll(condition, (observe) => makeSurroundings(module, request, { observe }));
}

/** The values of a condition with their parts, also of variables. */
function readValues(condition: Match, { variables }: Module): readonly Value[] {
  const found = new Set<Value>();
  const visit = (value: Value): void => {
    if (found.has(value)) return;
    found.add(value);
    if (value.kind === 'variable')
      for (const { name, value: definition } of variables) if (name === value.name) visit(definition);
    parts(value).forEach(visit);
  };
  listValues(condition).forEach(visit);
  return [...found];
}

function isRoles(value: Value): boolean {
  return value.kind === 'field' && value.of === 'principal' && value.name === 'roles';
}
