import { type AccessRequest, createEngine, type Engine } from '#runtime/engine';
import { glob } from '#runtime/policy';
import type * as ir from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { FALSE, type Diagram, DiagramTooLarge, Diagrams, TRUE } from '../formula/bdd.js';
import { ConditionFormulas } from '../formula/condition-formula.js';
import { bundleOf, type Judgement } from '../program/bundle.js';

/**
 * Whether two programs decide every request alike, in default evaluation. True is a proof; false is not one.
 *
 * Both programs are bundles whose conditions are formulas of atoms (analysis/formula), and their engines decide: for
 * each kind, version, scope, action, principal and role that they distinguish, one request is decided under every
 * assignment of the formulas that the two engines ask for. Names that no policy has are stand-ins, and whether a
 * pattern matches one is an atom, too. As roles are judged separately, and an ALLOW of any stands, one role at a time
 * is enough.
 *
 * Not tried: policies that read `runtime`, because the list of derived roles depends on more than the request, and
 * rules that share results.
 */
export function areEquivalent(before: ir.Program, after: ir.Program): boolean {
  const modules = [...before.modules, ...after.modules];
  if (modules.some(isEntangled)) return false;
  const assumptions = new Assumptions();
  try {
    const [old, new_] = [before, after].map((program) => bundleOf(fold(program), assumptions));
    if (old === undefined || new_ === undefined) return false;
    const requests = requestsOf(changedModules(before, after), before, after);
    if (requests === undefined) return false;
    assumptions.prepare([...old.modules.values(), ...new_.modules.values()]);
    return [false, true].every((lenientScopeSearch) => {
      const engines = [old, new_].map(({ bundle }) => createEngine(bundle, { lenientScopeSearch }));
      return requests(lenientScopeSearch).every((request) => assumptions.agree(engines as [Engine, Engine], request));
    });
  } catch (error) {
    if (error instanceof DiagramTooLarge) return false;
    throw error;
  }
}

function isEntangled(module: ir.Module): boolean {
  if (module.kind === 'derived-roles') return false;
  return module.readsRuntime || (module.kind !== 'role' && module.rules.some(({ memo }) => memo !== undefined));
}

const MOST_NODES = 50_000;
/** The number of decisions for one pair of programs. */
const MOST_DECISIONS = 200_000;
const MOST_REQUESTS = 20_000;

/** Names that stand for all names which no policy has; requests differ in the number, as engines remember names. */
const STAND_IN = '\u{e000}';

/** A pattern that matches itself and nothing else. */
const NAME = /^[\w:.-]*$/;

/** Decides under assumptions, and walks through all that are possible. */
class Assumptions implements Judgement {
  private readonly formulas = new Diagrams(MOST_NODES);
  private readonly conditions = new ConditionFormulas(this.formulas);
  private prepared: Diagram = TRUE;
  /** What has been assumed in this decision, as choices and as a formula. */
  private choices: boolean[] = [];
  private position = 0;
  private path: Diagram = TRUE;
  private decisions = 0;
  private tooLarge: DiagramTooLarge | undefined = undefined;

  /** Reads all conditions, so that what is known about their atoms is known from the start. */
  prepare(modules: readonly ir.Module[]): void {
    for (const module of modules) {
      const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
      for (const { condition } of rules) if (condition !== undefined) this.conditions.of(condition, module);
    }
    this.prepared = this.conditions.facts;
  }

  holds = (condition: ir.Match, module: ir.Module): boolean => this.assume(() => this.conditions.of(condition, module));

  glob = (pattern: string): ((text: string) => boolean) => {
    const matches = glob(pattern);
    return (text) =>
      text.startsWith(STAND_IN) && pattern !== '*' && !NAME.test(pattern)
        ? this.assume(() => this.conditions.atom(JSON.stringify([text.slice(0, 2), pattern])))
        : matches(text);
  };

  /** Whether two engines decide a request alike under all assumptions. */
  agree([one, other]: readonly [Engine, Engine], request: (number: number) => AccessRequest): boolean {
    this.choices = [];
    do {
      this.decisions += 1;
      if (this.decisions > MOST_DECISIONS) return false;
      this.position = 0;
      this.path = this.prepared;
      const asked = request(this.decisions);
      const isSame = one.isAllowed(asked) === other.isAllowed(asked);
      // An exception in a condition denies.
      if (this.tooLarge !== undefined) throw this.tooLarge;
      if (!isSame) return false;
    } while (this.next());
    return true;
  }

  private assume(formulaOf: () => Diagram): boolean {
    try {
      const formula = formulaOf();
      const where = this.formulas.and(this.path, formula);
      if (where === FALSE) return false;
      const elsewhere = this.formulas.and(this.path, this.formulas.not(formula));
      if (elsewhere === FALSE) return true;
      const choice = this.choices[this.position] ?? true;
      this.choices[this.position] = choice;
      this.position += 1;
      this.path = choice ? where : elsewhere;
      return choice;
    } catch (error) {
      if (error instanceof DiagramTooLarge) this.tooLarge = error;
      throw error;
    }
  }

  /** Turns the last choice that can be turned. */
  private next(): boolean {
    this.choices.length = this.position;
    while (this.choices.at(-1) === false) this.choices.pop();
    if (this.choices.length === 0) return false;
    this.choices[this.choices.length - 1] = false;
    return true;
  }
}

/** The policies of two programs that are not the same in both. */
export function changedModules(before: ir.Program, after: ir.Program): readonly ir.Module[] {
  const [old, new_] = [before, after].map(({ modules }) => new Set(modules)) as [Set<ir.Module>, Set<ir.Module>];
  return [
    ...before.modules.filter((module) => !new_.has(module)),
    ...after.modules.filter((module) => !old.has(module)),
  ];
}

type NumberedRequest = (number: number) => AccessRequest;

/**
 * One request for each point that the programs distinguish and the change concerns; undefined if there are too many.
 */
function requestsOf(
  changed: readonly ir.Module[],
  before: ir.Program,
  after: ir.Program,
): ((lenient: boolean) => readonly NumberedRequest[]) | undefined {
  const modules = [...before.modules, ...after.modules];
  const concernsAll = changed.some(({ kind }) => kind === 'principal' || kind === 'role');
  const principals = unique(changed.flatMap((module) => (module.kind === 'principal' ? [module.principal] : [])));
  const sets = new Set(changed.flatMap(({ kind, key }) => (kind === 'derived-roles' ? [key] : [])));
  const isConcerned = (module: ir.ResourceModule): boolean =>
    changed.includes(module) || module.derivedRoles.some(({ module: set }) => sets.has(set));
  const kinds = unique(
    modules.flatMap((module) => {
      if (module.kind === 'resource') return concernsAll || isConcerned(module) ? [module.kindName] : [];
      if (!concernsAll || module.kind === 'derived-roles') return [];
      return module.rules.flatMap(({ resource = '*' }) => (resource.includes('*') ? [] : [resource]));
    }),
  );
  const kindsAsked = concernsAll ? [...kinds, undefined] : kinds;
  const versions = unique(['default', ...modules.flatMap((module) => ('version' in module ? [module.version] : []))]);
  const scopes = unique(['', ...modules.flatMap((module) => ('scope' in module ? [module.scope] : []))]);
  const rolesOf = (module: ir.Module): readonly string[] => {
    if (module.kind === 'role') return [module.role, ...module.parentRoles];
    return module.kind === 'derived-roles' ? [] : module.rules.flatMap(({ roles }) => roles);
  };
  const roles = [...unique(modules.flatMap(rolesOf)).filter((role) => !role.includes('*')), undefined];
  const actionsOf = (kind: string | undefined): readonly (string | undefined)[] => [
    ...unique(
      modules.flatMap((module) => {
        if (module.kind === 'derived-roles') return [];
        if (module.kind === 'resource')
          return module.kindName === kind ? module.rules.flatMap(({ actions }) => actions) : [];
        return module.kind === 'role'
          ? module.rules.flatMap(({ allowActions }) => allowActions)
          : module.rules.flatMap(({ actions }) => actions);
      }),
    ).filter((action) => !action.includes('*')),
    undefined,
  ];
  const placesOf = (lenient: boolean): readonly string[] =>
    lenient ? scopes.map((scope) => (scope === '' ? STAND_IN : `${scope}.${STAND_IN}`)) : scopes;
  // Without changed principal policies, those of a principal decide first and alike.
  const ids = principals.length === 0 ? [STAND_IN] : principals;
  const count = kindsAsked.reduce((sum, kind) => sum + actionsOf(kind).length, 0) * roles.length * scopes.length;
  const principalCount = principals.length === 0 ? 1 : principals.length * versions.length * scopes.length * 2;
  if (count * versions.length * principalCount * 2 > MOST_REQUESTS) return undefined;
  return (lenient) =>
    kindsAsked.flatMap((kind) =>
      actionsOf(kind).flatMap((action) =>
        product([roles, versions, placesOf(lenient)] as const).flatMap(([role, policyVersion, scope]) =>
          (principals.length === 0
            ? [{}]
            : product([versions, [...placesOf(lenient), ...scopes]] as const).map(([version, at]) => ({
                policyVersion: version,
                scope: at,
              }))
          ).flatMap((at) =>
            ids.map(
              (id): NumberedRequest =>
                (number) => ({
                  principal: { id, roles: [role ?? `${STAND_IN}r${number}`], ...at },
                  resource: { kind: kind ?? `${STAND_IN}k${number}`, id: 'r', policyVersion, scope },
                  action: action ?? `${STAND_IN}a${number}`,
                }),
            ),
          ),
        ),
      ),
    );
}

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}

function product<A, B, C>(lists: readonly [readonly A[], readonly B[], readonly C[]]): readonly (readonly [A, B, C])[];
function product<A, B>(lists: readonly [readonly A[], readonly B[]]): readonly (readonly [A, B])[];
function product(lists: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  return lists.reduce<readonly (readonly unknown[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])),
    [[]],
  );
}
