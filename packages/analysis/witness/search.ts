import type { AccessRequest } from '../../../runtime/engine/index.js';
import * as cel from '../../cel/runtime/index.js';
import type { Attributes, Request } from '../../../runtime/policy/index.js';
import { evaluate } from '../../../compiler/evaluate.js';
import type { Predicate } from '../../../compiler/ir/predicate.js';
import type { Value } from '../../../compiler/ir/value.js';
import { CandidateCollector, canBe, type Candidates, GLOBALS, findPath } from '../candidates/candidates.js';
import { evaluateAll } from '../program/results.js';
import { nearMisses, withValueAt } from '../candidates/near-misses.js';
import type { Formula, Holds } from '../formula/formula.js';
import type { Atom } from '../formula/formula-diagram.js';
import { makeSurroundings } from '../program/conditions.js';
import { exampleTexts } from './example-texts.js';
import { randomNumbers } from './random-numbers.js';
import { addTimes } from './near-times.js';
import { parseInstant } from './replay.js';
import { DEFAULT_NOW, type Situation } from '../question/situation.js';

/** Where situations are searched. */
export interface SearchSpace {
  /** What requests have in common: kind, versions, scopes, action. */
  readonly base: AccessRequest;
  /** Whether the principal may have any id. */
  readonly isAnyone: boolean;
  /** The roles that principals may have. */
  readonly roles: readonly string[];
  /** The conditions that could matter: what they compare is tried. */
  readonly conditions: readonly Holds[];
  /** Undefined if any are possible. */
  readonly globals: Attributes | undefined;
  /** Values to try besides. */
  readonly candidates?: readonly Candidates[];
}

/** A request with the globals that it is decided with. */
type Asked = AccessRequest & { readonly globals?: Attributes };

/**
 * Searches a situation that shows something: first from assignments of atoms, then with random values that conditions
 * compare, and near both by the fewest changes.
 *
 * @param assignments under which it is possible, as far as atoms are independent.
 * @param tries the number of situations to show.
 */
export function search(
  space: SearchSpace,
  assignments: Iterable<readonly (readonly [Atom, boolean])[]>,
  shows: (situation: Situation) => boolean,
  tries: number,
): Situation | undefined {
  let left = tries;
  let found: Situation | undefined;
  const times = new Set([DEFAULT_NOW]);
  let now = DEFAULT_NOW;
  const isFound = (asked: Asked): boolean => {
    // The last try ends the search.
    if (left-- <= 0) return true;
    const situation = makeSituation(asked, now);
    if (!shows(situation)) return false;
    found ??= situation;
    return true;
  };
  const near = (asked: Asked): void => {
    const candidates = collectCandidates(space, asked, times);
    nearMisses(asked, isFound, { candidates, roles: space.roles }, { near: 1, tries: Math.ceil(tries / 10) });
  };
  const starts: Asked[] = [];
  for (const assignment of first(assignments, MOST_ASSIGNMENTS)) {
    const asked = assigned(space, assignment);
    starts.push(asked);
    if (isFound(asked)) return found;
  }
  for (const asked of [...starts.slice(0, FEW), withRoles(space, space.roles)]) {
    near(asked);
    if (found !== undefined || left <= 0) return found;
  }
  for (const asked of randomRequests(space, times, SEARCHING)) {
    now = [...times][left % times.size] as string;
    if (isFound(asked)) return found;
    if (left % NEAR_EVERY === 0) near(asked);
    if (found !== undefined || left <= 0) return found;
  }
  return found;
}

/** Requests that try a proof are others than those that a search has tried before. */
const [SEARCHING, TRYING] = [1, 2];
const MOST_ASSIGNMENTS = 100;
const FEW = 8;
const NEAR_EVERY = 500;

/** Situations with values that the conditions compare: endless, and always the same ones. */
export function* randomSituations(space: SearchSpace): Generator<Situation> {
  const times = new Set([DEFAULT_NOW]);
  let number = 0;
  for (const asked of randomRequests(space, times, TRYING)) {
    number += 1;
    yield makeSituation(asked, [...times][number % times.size] as string);
  }
}

function* randomRequests(space: SearchSpace, times: Set<string>, seed: number): Generator<Asked> {
  const random = randomNumbers(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const examples = exampleTexts(space.conditions, space.isAnyone);
  let known: readonly Candidates[] = merged(examples, collectCandidates(space, withRoles(space, space.roles), times));
  for (let number = 1; ; number += 1) {
    let asked = withRoles(
      space,
      space.roles.filter(() => random() < 0.4),
    );
    if (asked.principal.roles.length === 0) asked = withRoles(space, [pick(space.roles)]);
    for (const { path, values } of known) if (random() < 0.8) asked = withValueAt(asked, path, pick(values)) as Asked;
    yield asked;
    // Values that are there have other values near them.
    if (number <= ROUNDS) known = merged(known, collectCandidates(space, asked, times));
  }
}

/** The number of requests that more values are learnt from. */
const ROUNDS = 5;

function merged(known: readonly Candidates[], more: readonly Candidates[]): readonly Candidates[] {
  const byPath = new Map<string, Candidates>();
  for (const { path, values } of [...known, ...more]) {
    const key = path.join('\0');
    const before = byPath.get(key)?.values ?? [];
    const texts = new Set(before.map((value) => JSON.stringify(value)));
    byPath.set(key, { path, values: [...before, ...values.filter((value) => !texts.has(JSON.stringify(value)))] });
  }
  return [...byPath.values()];
}

function withRoles({ base }: SearchSpace, roles: readonly string[]): Asked {
  return { ...base, principal: { ...base.principal, roles } };
}

function makeSituation({ globals = {}, ...request }: Asked, now: string): Situation {
  return { request, globals, now };
}

/** What the conditions compare the parts of a request with; instants are added to `times`. */
function collectCandidates(
  { conditions, globals, candidates }: SearchSpace,
  asked: Asked,
  times: Set<string>,
): readonly Candidates[] {
  const collector = new CandidateCollector(false);
  for (const holds of conditions) {
    const { condition, module } = holds;
    const request = makeRequest(asked, globals, holds);
    const results = evaluateAll(condition, (observe) => makeSurroundings(module, request, { observe }));
    collector.addCondition(condition, module, results);
    for (const result of results.values())
      if (result instanceof cel.Timestamp && times.size < MOST_TIMES) addTimes(result, times);
  }
  const compared = globals === undefined ? collector.candidatesOfAll() : collector.candidates();
  return candidates === undefined ? compared : merged(compared, candidates);
}

const MOST_TIMES = 12;

/** What a condition sees of a request, if all derived roles are active that it may see. */
function makeRequest(
  { principal, resource, auxData, globals = {} }: Asked,
  known: Attributes | undefined,
  { derivedRoles = [] }: Pick<Holds, 'derivedRoles'>,
): Request {
  const { attr: principalAttr = {}, policyVersion: principalVersion = '', scope: principalScope = '' } = principal;
  const { attr = {}, policyVersion = '', scope = '' } = resource;
  return {
    principal: { ...principal, attr: principalAttr, policyVersion: principalVersion, scope: principalScope },
    resource: { ...resource, attr, policyVersion, scope },
    auxData: { jwt: auxData?.jwt ?? {}, jwts: auxData?.jwts ?? {} },
    effectiveDerivedRoles: derivedRoles.map(({ name }) => name),
    failedDerivedRoles: [],
    globals: known ?? globals,
    now: parseInstant(DEFAULT_NOW),
  };
}

/** A request that gives atoms values, as far as is known how. */
function assigned(space: SearchSpace, assignment: readonly (readonly [Atom, boolean])[]): Asked {
  const roles = assignment.flatMap(([{ role }, value]) => (role !== undefined && value ? [role] : []));
  let asked = withRoles(space, roles.length > 0 ? roles : space.roles.slice(0, 1));
  for (const [{ predicate, within }, value] of assignment) {
    if (predicate === undefined || within === undefined || !value) continue;
    const surroundings = makeSurroundings(within.module, makeRequest(asked, space.globals, within));
    for (const [path, json] of listSettings(predicate, (part) => evaluate(part, surroundings)))
      if (path[0] !== GLOBALS || space.globals === undefined) asked = withValueAt(asked, path, json) as Asked;
  }
  return asked;
}

type Setting = readonly [path: readonly string[], json: unknown];

/** What makes a predicate true. */
function listSettings(predicate: Predicate, resultOf: (value: Value) => cel.Result): readonly Setting[] {
  const set = (value: Value, result: cel.Result): readonly Setting[] => {
    const path = findPath(value);
    const output = cel.isFailure(result) ? undefined : cel.toOutput(result);
    if (path === undefined || output === undefined || 'error' in output) return [];
    return canBe(path, output.val) ? [[path, output.val]] : [];
  };
  switch (predicate.kind) {
    case 'is':
      return set(predicate.value, predicate.polarity);
    case 'has': {
      const path = findPath(predicate.operand);
      const isThere = !cel.isFailure(cel.select(resultOf(predicate.operand), predicate.name));
      return path === undefined || !predicate.polarity || isThere ? [] : [[[...path, predicate.name], 'x']];
    }
    case 'in': {
      const collection = resultOf(predicate.collection);
      if (!predicate.polarity) return [];
      if (Array.isArray(collection) && collection.length > 0 && findPath(predicate.element) !== undefined)
        return set(predicate.element, collection[0] as cel.Result);
      const element = resultOf(predicate.element);
      return cel.isFailure(element) ? [] : set(predicate.collection, [element] as cel.Result);
    }
    case 'compare': {
      const { left, right, comparison, polarity } = predicate;
      const [one, other] = [resultOf(left), resultOf(right)];
      const isLeftSet = findPath(left) !== undefined && !cel.isFailure(other);
      const [target, bound] = isLeftSet ? [left, other] : [right, one];
      if (cel.isFailure(bound)) return set(left, 'x').concat(polarity ? set(right, 'x') : set(right, 'y'));
      if (comparison === 'equals') return set(target, polarity ? bound : another(bound));
      if (typeof bound !== 'number' && typeof bound !== 'bigint') return set(target, bound);
      const isUpwards = (comparison === 'greaterThan' || comparison === 'atLeast') === (polarity === isLeftSet);
      const number = Number(bound);
      const isStrict = (comparison === 'greaterThan' || comparison === 'lessThan') === polarity;
      return set(target, isStrict ? number + (isUpwards ? 1 : -1) : number);
    }
    default:
      return [];
  }
}

function another(value: cel.Result): cel.Result {
  if (typeof value === 'string') return `another ${value}`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : 'another';
}

/** The conditions of formulas, each once. */
export function conditionsIn(formulas: readonly Formula[]): readonly Holds[] {
  const found = new Map<object, Holds>();
  const seen = new Set<Formula>();
  const pending: Formula[] = [...formulas];
  for (let formula = pending.pop(); formula !== undefined; formula = pending.pop()) {
    if (typeof formula === 'boolean' || seen.has(formula)) continue;
    seen.add(formula);
    if (formula.kind === 'and' || formula.kind === 'or') pending.push(...formula.operands);
    if (formula.kind === 'not') pending.push(formula.operand);
    if (formula.kind !== 'holds') continue;
    found.set(formula.condition, formula);
    for (const { isActive } of formula.derivedRoles ?? []) pending.push(isActive);
  }
  return [...found.values()];
}

function* first<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}
