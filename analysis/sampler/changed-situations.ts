import type { AccessRequest } from '#runtime/engine';
import * as cel from '#runtime/cel';
import type { Request } from '#runtime/policy';
import type { Match, Module } from '../../compiler/ir/program.js';
import type { Value } from '../../compiler/ir/value.js';
import { parts, some, valuesOf } from '../../compiler/ir/visit.js';
import type { Sight } from '../coverage/rule-record.js';
import { CandidateCollector, canBe, type Path, pathOf } from '../candidates/candidates.js';
import { type Results, resultsOf } from '../program/results.js';
import { withValueAt } from '../candidates/near-misses.js';
import { surroundingsOf } from '../program/conditions.js';
import type { LiteralValues } from '../witness/literal-values.js';
import { MADE_UP } from '../witness/realistic.js';
import { addTimes } from '../witness/search.js';
import type { Situation } from '../question/situation.js';
import type { Goal } from './goals.js';

/** What a search asks. */
export interface Trial {
  readonly observe: (situation: Situation) => readonly Sight[];
  /** How many rules of JSON schemas the attributes violate. */
  readonly violations: (situation: Situation) => number;
  readonly literalValues: LiteralValues;
  /** The roles that principals may have; undefined if any. */
  readonly roles: readonly string[] | undefined;
}

/** How well a situation shows a goal. */
export interface Score {
  /** 0 if it shows it well. */
  readonly distance: number;
  readonly isMet: boolean;
  /** The sight that is nearest to the goal. */
  readonly sight: Sight | undefined;
}

/** How well a situation shows a goal. One that violates schemas does not show it. */
export function scoreOf(goal: Goal, situation: Situation, { observe, violations }: Trial): Score {
  let best: Score = { distance: Infinity, isMet: false, sight: undefined };
  let isMet = false;
  for (const sight of observe(situation)) {
    if (sight.record !== goal.record) continue;
    isMet ||= goal.isMetBy(sight);
    const distance = goal.distance(sight);
    if (distance < best.distance) best = { distance, isMet, sight };
  }
  if (best.sight === undefined) return best;
  const violated = violations(situation);
  return { ...best, distance: best.distance + violated, isMet: isMet && violated === 0 };
}

const MOST_TRIES = 800;
/** How many tries a situation that shows a goal, but not well, is improved for. */
const MOST_IMPROVEMENTS = 400;

/**
 * Searches a situation that shows a goal: from the starts, changes one part at a time to what conditions compare, and
 * goes on from the situation that is nearest.
 */
export function searchFor(goal: Goal, starts: readonly Situation[], trial: Trial): Situation | undefined {
  const seen = new Set<string>();
  const open: OpenSituation[] = [];
  let tries = 0;
  let found: { readonly situation: Situation; readonly score: Score } | undefined;
  let end = MOST_TRIES;
  const visit = (situation: Situation): Score | undefined => {
    const key = JSON.stringify(situation);
    if (seen.has(key) || tries >= end) return undefined;
    seen.add(key);
    tries += 1;
    const score = scoreOf(goal, situation, trial);
    const { sight } = score;
    if (sight === undefined) return undefined;
    open.push({ score, left: () => changesOf(situation, sight, trial) });
    if (score.isMet && (found === undefined || score.distance < found.score.distance)) {
      if (found === undefined) end = Math.min(end, tries + MOST_IMPROVEMENTS);
      found = { situation, score };
    }
    return score;
  };
  const isFoundWell = (): boolean => found?.score.distance === 0;
  for (const start of starts) if (visit(start) !== undefined && isFoundWell()) return found?.situation;
  while (open.length > 0 && tries < end) {
    const nearest = takeNearest(open);
    const changes = nearest.left();
    for (const [index, changed] of changes.entries()) {
      const score = visit(changed);
      if (score === undefined) continue;
      if (isFoundWell()) return found?.situation;
      if (score.distance >= nearest.score.distance) continue;
      // Goes on from there; the other changes follow if that leads nowhere.
      open.push({ ...nearest, left: () => changes.slice(index + 1) });
      break;
    }
  }
  return found?.situation;
}

/** A situation from which the search can go on. */
interface OpenSituation {
  readonly score: Score;
  /** The changes that were not tried. */
  readonly left: () => readonly Situation[];
}

/** The first of those that are nearest. */
function takeNearest(open: OpenSituation[]): OpenSituation {
  let nearest = 0;
  for (const [index, { score }] of open.entries())
    if (score.distance < (open[nearest] as OpenSituation).score.distance) nearest = index;
  return open.splice(nearest, 1)[0] as OpenSituation;
}

/** Situations with one other value, of those that could turn a clause. */
function changesOf(situation: Situation, sight: Sight, { literalValues, roles }: Trial): readonly Situation[] {
  const { request, globals, now } = situation;
  const collector = new CandidateCollector(false);
  const conditions = conditionsOf(sight);
  const literals = new Set<string>();
  const times = new Set<string>();
  const pairs: (readonly [Path, Path])[] = [];
  let readsRoles = false;
  for (const { condition, module } of conditions) {
    const results = evaluated(condition, module, sight.request);
    collector.addCondition(condition, module, results);
    for (const value of readValues(condition, module)) {
      if (value.kind === 'literal' && typeof value.value === 'string') literals.add(value.value);
      readsRoles ||= some(value, isRoles);
      const pair = pairOf(value);
      if (pair !== undefined) pairs.push(pair);
    }
    for (const result of results.values()) if (result instanceof cel.Timestamp) addTimes(result, times);
  }
  const changed: Situation[] = [];
  const set = (path: Path, value: unknown, also?: readonly [Path, unknown]): void => {
    if (!canBe(path, value) || (also !== undefined && !canBe(...also))) return;
    const one = withValueAt({ ...request, globals }, path, value);
    const { globals: own, ...asked } = (also ? withValueAt(one, ...also) : one) as AccessRequest & {
      readonly globals?: Situation['globals'];
    };
    changed.push({ request: asked, globals: own ?? {}, now });
  };
  const candidates = collector.candidatesOfAll();
  const known = (path: Path): readonly unknown[] => literalValues.usesOf(request.resource.kind, path).literals;
  for (const { path, values } of candidates) for (const value of [...values, ...known(path)]) set(path, value);
  for (const [one, other] of pairs) for (const values of PAIRS) set(one, values[0], [other, values[1]]);
  for (const id of [...literals].slice(0, FEW)) {
    set(['principal', 'id'], id);
    set(['resource', 'id'], id);
  }
  if (readsRoles) {
    const own = request.principal.roles;
    for (const role of roles ?? literals)
      set(['principal', 'roles'], own.includes(role) ? own.filter((other) => other !== role) : [...own, role]);
  }
  for (const time of times) changed.push({ ...situation, now: time });
  const texts = [...literals].slice(0, FEW);
  for (const { path } of candidates) for (const value of [...MADE_UP, ...texts.map((text) => [text])]) set(path, value);
  return changed.filter(({ request }) => isValid(request));
}

const FEW = 10;

/** Two attributes that are compared with each other: one change alone turns nothing while both are missing. */
function pairOf(value: Value): readonly [Path, Path] | undefined {
  if (value.kind !== 'operator' || value.operands.length !== 2) return undefined;
  const [one, other] = value.operands.map((operand) => pathOf(operand));
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

/** Whether servers accept a request. */
function isValid({ principal, resource }: Situation['request']): boolean {
  const { id, roles } = principal;
  const hasNames = id !== '' && resource.id !== '' && roles.length > 0 && !roles.includes('');
  return hasNames && isObject(principal.attr) && isObject(resource.attr);
}

function isObject(attr: unknown): boolean {
  return attr === undefined || (typeof attr === 'object' && attr !== null && !Array.isArray(attr));
}

interface OwnCondition {
  readonly condition: Match;
  readonly module: Module;
}

/** The condition of a rule, and that of its derived role. */
function conditionsOf({ origin: { module, rule }, through }: Sight): readonly OwnCondition[] {
  return [
    ...(rule.condition === undefined ? [] : [{ condition: rule.condition, module }]),
    ...(through === undefined ? [] : conditionsOf(through)),
  ];
}

function evaluated(condition: Match, module: Module, request: Request): Results {
  return resultsOf(condition, (observe) => surroundingsOf(module, request, { observe }));
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
  valuesOf(condition).forEach(visit);
  return [...found];
}

function isRoles(value: Value): boolean {
  return value.kind === 'field' && value.of === 'principal' && value.name === 'roles';
}
