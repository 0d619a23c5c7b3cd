import type { AccessRequest, EngineOptions } from '../../../runtime/engine/index.js';
import type { Change, SearchOptions } from '../../../runtime/engine/parts.js';
import { sanitize } from '../../../runtime/policy/index.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { Path } from '../candidates/candidates.js';
import { valueAt, withValueAt } from '../candidates/near-misses.js';
import { CoverageRecorder } from '../coverage/coverage.js';
import { type Situation, makeSituation } from '../question/situation.js';
import { changedSituations } from '../sampler/changed-situations.js';
import { climb } from '../sampler/climb.js';
import { LiteralValues } from '../witness/literal-values.js';
import { scoreRequest } from './decision-distance.js';

/** What is decided, and by which policies. */
export interface DecidedRequest {
  readonly request: AccessRequest;
  readonly program: ir.Program;
  /** Those of the engine, with a clock that always tells the same time. */
  readonly options: EngineOptions;
  readonly isAllowed: (request: AccessRequest) => boolean;
  /** The names that the principal may gain or lose. */
  readonly roles: readonly string[];
}

const MOST_RULES = 100_000;
/** How many rules may be evaluated for each set of changes that a search may try. */
const RULES_A_TRY = 10;
const MOST_REQUESTS = 1000;

/** What the sampler found. */
export interface SampledChanges {
  /** Each is needed for the other decision; undefined if no request with another decision was found. */
  readonly changes?: readonly Change[];
  /** The number of other requests that were tried. */
  readonly requests: number;
}

/**
 * Searches changes that give another decision with the sampler of suggested tests, which goes from request to request
 * towards it. A smaller set may exist. Its limits count requests and rules, so that equal input has equal output.
 */
export function sampleChanges(
  { request, program, options, isAllowed, roles }: DecidedRequest,
  { keep, tries = MOST_RULES, isOver = () => false }: SearchOptions,
): SampledChanges {
  if (isOver()) return { requests: 0 };
  const own = { ...program, modules: modulesAbout(request, program.modules) };
  const recorder = new CoverageRecorder(own);
  const literalValues = new LiteralValues(own);
  const before = isAllowed(request);
  // The search begins with the request itself.
  let requests = -1;
  let rulesLeft = Math.min(MOST_RULES, RULES_A_TRY * tries);
  const observe = (asked: AccessRequest) => {
    const sights = recorder.observe(asked, options);
    rulesLeft -= 1 + sights.length;
    return sights;
  };
  const found = climb([makeSituation(request)], {
    score: (situation) => {
      requests += 1;
      return scoreRequest(situation.request, { wanted: !before, roles, observe, isAllowed });
    },
    changes: (situation, sights) =>
      changedSituations(situation, sights, { literalValues, roles, changesRoles: true, mayChange: isPart(keep) }),
    tries: MOST_REQUESTS,
    improvements: 0,
    isOver: () => rulesLeft <= 0 || isOver(),
  });
  const changes = found && neededChanges(request, found, (changed) => isAllowed(changed) !== before);
  return { requests: Math.max(0, requests), ...(changes && { changes }) };
}

/** Whether near misses change a part of a situation: attributes, claims and roles. */
function isPart(keep: SearchOptions['keep']): (path: Path) => boolean {
  return ([of, name]) => of !== keep && (name === 'attr' || name === 'jwt' || (of === 'principal' && name === 'roles'));
}

/** The policies that may decide a request: guidance from other ones costs time, and tells nothing. */
function modulesAbout({ resource, principal }: AccessRequest, modules: readonly ir.Module[]): readonly ir.Module[] {
  const kind = sanitize(resource.kind);
  return modules.filter((module) => {
    if (module.kind === 'resource') return module.kindName === kind;
    return module.kind !== 'principal' || module.principal === principal.id;
  });
}

/** The changes from one request to another without those that turn nothing. */
function neededChanges(
  from: AccessRequest,
  { request: to }: Situation,
  turns: (request: AccessRequest) => boolean,
): readonly Change[] {
  let paths = changedPaths(from, to, []);
  const withChanges = (changed: readonly Path[]): AccessRequest =>
    changed.reduce((request, path) => withValueAt(request, path, valueAt(to, path)) as AccessRequest, from);
  // A change that is not needed may be needed while another one is there, so one round is not enough.
  for (let length = Infinity; paths.length < length; ) {
    length = paths.length;
    for (const path of paths) {
      const others = paths.filter((other) => other !== path);
      if (turns(withChanges(others))) paths = others;
    }
  }
  return paths.map((path) => ({ path: path.join('.'), from: valueAt(from, path), to: valueAt(to, path) }));
}

/** The smallest parts in which two requests differ: maps are compared by their members, lists as a whole. */
function changedPaths(from: unknown, to: unknown, path: Path): readonly Path[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const isWhole = !isMap(to) || (path.length > 2 && !isMap(from));
  if (isWhole) return [path];
  const names = new Set([...Object.keys(isMap(from) ? from : {}), ...Object.keys(to)]);
  return [...names]
    .sort()
    .flatMap((name) => changedPaths(readMember(from, name), readMember(to, name), [...path, name]));
}

function readMember(of: unknown, name: string): unknown {
  return isMap(of) && Object.hasOwn(of, name) ? of[name] : undefined;
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
