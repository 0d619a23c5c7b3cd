/**
 * The part of policies that a browser may have: for each kind, scope and action of a view, formulas that say where the
 * action is surely allowed and where it is surely denied, whatever the rest of the policies reads.
 */
import type { Program } from '../../../compiler/ir/program.js';
import { sanitize } from '../../../runtime/policy/index.js';
import { Decisions, type PointDecisions } from '../decision/decisions.js';
import { classesAt } from '../decision/classes.js';
import { listPoints } from '../decision/points.js';
import { and, type Formula, not } from '../formula/formula.js';
import { FormulaKeys } from '../formula/keys.js';
import type { Answer, Prover, Question } from '../question/question.js';
import type { Point } from '../question/point.js';
import { type Certain, certainOf, type Visible } from './bounds.js';
import { isNamedFor } from './named-roles.js';
import type { ClientView, KindView } from './view.js';
import { isShownBy } from './visible.js';

/** What a client knows about one kind in one scope. */
export interface ClientKind {
  readonly kind: string;
  /** The scope as requests name it; empty for requests without one. */
  readonly scope: string;
  readonly view: KindView;
  /** What is certain by role, for each action in the order of the view. `undefined` is any role that is not named. */
  readonly roles: ReadonlyMap<string | undefined, readonly Certain[]>;
  /** Why some of it is open, for each action. */
  readonly open: readonly Open[];
}

/** Why an action is not certain everywhere. */
export interface Open {
  /** The decisions of which a part is secret. */
  readonly formulas: readonly Formula[];
  /** What is not about a rule. */
  readonly reasons: ReadonlySet<string>;
}

/** Something that could not be proved, so that no projection is made. */
export interface Unproved {
  readonly kind: string;
  readonly action: string;
  readonly claim: 'allowed' | 'denied';
  readonly reason: string;
}

export interface ClientProjection {
  readonly kinds: readonly ClientKind[];
  readonly unproved: readonly Unproved[];
  /** The kinds and scopes without policies. */
  readonly unknown: readonly Pick<ClientKind, 'kind' | 'scope'>[];
}

/**
 * Projects policies to what a view shows, and proves that neither answer is ever wrong.
 * @param program before `optimise`, with constants apart.
 */
export async function projectClient(
  program: Program,
  view: ClientView,
  prover: Pick<Prover, 'prove'> | undefined,
): Promise<ClientProjection> {
  const context: Context = {
    decisions: new Decisions(program, view.server),
    principals: new Set(program.modules.flatMap((one) => (one.kind === 'principal' ? [one.principal] : []))),
    prover,
    view,
    program,
  };
  const kinds: ClientKind[] = [];
  const unproved: Unproved[] = [];
  const unknown: Pick<ClientKind, 'kind' | 'scope'>[] = [];
  for (const [kind, own] of Object.entries(view.kinds))
    for (const scope of ['', ...view.scopes]) {
      const points = pointsOf(kind, scope === '' ? view.server.defaultScope : scope, context);
      if (points === undefined) {
        unknown.push({ kind, scope });
        continue;
      }
      const found = await projectKind({ kind, scope, view: own }, points, context);
      kinds.push(found);
      unproved.push(...found.unproved);
    }
  return { kinds, unproved, unknown };
}

interface Context {
  readonly decisions: Decisions;
  readonly principals: ReadonlySet<string>;
  readonly prover: Pick<Prover, 'prove'> | undefined;
  readonly view: ClientView;
  readonly program: Program;
}

const OPEN: Certain = { sure: false, never: false };

/**
 * Everyone at a scope, and each principal that has policies: which those are is only for the server. Undefined where no
 * policy of the kind decides.
 */
function pointsOf(kind: string, scope: string, { decisions, view }: Context): readonly Point[] | undefined {
  const { defaultPolicyVersion: version, lenientScopeSearch } = view.server;
  const everyone: Point = {
    kind: sanitize(kind),
    isNamedKind: true,
    version,
    scope,
    isNamedScope: true,
    principal: undefined,
  };
  if (!decisions.at(everyone, []).hasResourcePolicy) return undefined;
  // At all of these the kind has a policy, so that each of them decides.
  const owners = listPoints(
    [decisions],
    lenientScopeSearch,
    { kind: everyone.kind, scope },
    (point) => point.kind === everyone.kind && point.version === version && point.principal !== undefined,
  );
  return [everyone, ...owners];
}

async function projectKind(
  { kind, scope, view: own }: Pick<ClientKind, 'kind' | 'scope' | 'view'>,
  points: readonly Point[],
  context: Context,
): Promise<ClientKind & Pick<ClientProjection, 'unproved'>> {
  const [everyone] = points as readonly [Point];
  const { decisions, view } = context;
  const isVisible = isShownBy({ ...view, kind: own });
  const here = points.map((point) => decisions.at(point, []));
  const classes = classesAt(everyone, here).roles;
  // A client cannot tell what globs match, so nothing is certain of a role that is not named.
  const hasGlobs = classes.others.length !== 1;
  const isNamed = isNamedFor(here, everyone.kind, own.actions, isVisible);
  const unproved: Unproved[] = [];
  const open = own.actions.map(() => ({ formulas: [] as Formula[], reasons: new Set<string>() }));
  const certainsOf = async (role: string): Promise<readonly Certain[]> => {
    const certains: Certain[] = [];
    for (const [index, action] of own.actions.entries()) {
      const found = await certainAt(points, { kind, action, role }, isVisible, context);
      unproved.push(...found.unproved);
      certains.push(found.certain);
      open[index]?.formulas.push(...found.formulas);
      for (const reason of found.reasons) open[index]?.reasons.add(reason);
    }
    return certains;
  };
  const roles = new Map<string | undefined, readonly Certain[]>();
  let others = hasGlobs ? undefined : await certainsOf(classes.others[0] as string);
  for (const role of classes.named) {
    const certains = await certainsOf(role);
    if (isNamed(role)) roles.set(role, certains);
    // Its name is only for the server: it is one of the others, of whom less is then certain.
    else
      others = others?.map((one, index) => {
        const own = certains[index] as Certain;
        if (!isSame([one, own])) open[index]?.reasons.add('roles of which only the server knows');
        return both(one, own);
      });
  }
  if (hasGlobs) for (const { reasons } of open) reasons.add('roles that only a glob matches');
  roles.set(undefined, others ?? own.actions.map(() => OPEN));
  return { kind, scope, view: own, roles, open, unproved };
}

/** What is certain in both of two cases. */
function both(one: Certain, other: Certain): Certain {
  return { sure: and(one.sure, other.sure), never: and(one.never, other.never) };
}

function isSame(certains: readonly Certain[]): boolean {
  const keys = new FormulaKeys();
  return new Set(certains.map(({ sure, never }) => `${keys.of(sure)} ${keys.of(never)}`)).size === 1;
}

interface Asked {
  readonly kind: string;
  readonly action: string;
  readonly role: string;
}

interface Found {
  readonly certain: Certain;
  readonly unproved: readonly Unproved[];
  /** The decisions that are not certain everywhere. */
  readonly formulas: readonly Formula[];
  readonly reasons: readonly string[];
}

/** What is certain at all points. */
async function certainAt(
  points: readonly Point[],
  { kind, action, role }: Asked,
  isVisible: Visible,
  { decisions, principals, prover, view, program }: Context,
): Promise<Found> {
  const all = points.map((point) => ({ point, here: decisions.at(point, [role]) }));
  const reasons = [
    ...(program.tenantRoles === undefined ? [] : ['roles of tenants']),
    ...(all.some(({ here }) => here.sharesResults) ? ['rules that share a result'] : []),
    ...(all.some(({ here }) => isRejected(here, action, view)) ? ['schemas that the server enforces'] : []),
  ];
  if (reasons.length > 0) return { certain: OPEN, unproved: [], formulas: [], reasons };
  const unproved: Unproved[] = [];
  const certains: Certain[] = [];
  const formulas: Formula[] = [];
  for (const { point, here } of all) {
    const allowed = here.ofRole(role, action);
    const certain = certainOf(allowed, isVisible);
    certains.push(certain);
    formulas.push(allowed);
    const claims = [
      ['allowed', and(certain.sure, not(allowed))],
      ['denied', and(certain.never, allowed)],
    ] as const;
    for (const [claim, formula] of claims) {
      const question = { formula, point, principals, action, roles: [role], globals: undefined, schemas: [] };
      const answer = await proved(question, prover);
      if (answer.answer !== 'no')
        unproved.push({ kind, action, claim, reason: answer.answer === '?' ? answer.reason : 'a request refutes it' });
    }
  }
  return {
    certain: certains.reduce(both),
    unproved,
    formulas,
    reasons: isSame(certains) ? [] : ['policies of principals'],
  };
}

async function proved(question: Question, prover: Pick<Prover, 'prove'> | undefined): Promise<Answer> {
  const { formula } = question;
  if (formula === false) return { answer: 'no', by: 'same' };
  if (prover === undefined) return { answer: '?', reason: 'no solver', uninterpreted: [] };
  return await prover.prove(question, () => true);
}

/** Whether the server may reject a request for its schemas, whatever the rules say. */
function isRejected(here: PointDecisions, action: string, { schemas }: ClientView): boolean {
  return schemas === 'reject' && (here.schemasFor(action).length > 0 || here.rejectsAll(action));
}
