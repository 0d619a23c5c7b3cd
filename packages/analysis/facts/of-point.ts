import {
  matchesAny,
  type ReadLevel,
  type ReadSet,
  type ReadSetOptions,
  type ReadSetQuery,
  sanitize,
} from '../../../runtime/policy/index.js';
import type * as ir from '../../../compiler/ir/program.js';
import { classesAt } from '../decision/classes.js';
import { Decisions, type PointDecisions, rulesAbout } from '../decision/decisions.js';
import { type MostRemembered, Remembered } from '../decision/remembered.js';
import type { Point } from '../question/point.js';
import { PathReader } from './paths.js';
import { ReadSetBuilder, unite } from './read-set.js';
import { addSchema } from './schema-reads.js';

/** The read sets that are kept: requests can ask for any number of scopes, roles and actions. */
const MOST_KEPT: MostRemembered = { values: 1000, characters: 1_000_000 };

/** What the decisions of a program read (docs/spec/analysis.md#read-sets). */
export class ReadSets {
  private readonly decisions: Decisions;
  private readonly principals: readonly ir.PrincipalModule[];
  private readonly kept = new Remembered<ReadSet>(MOST_KEPT);

  /**
   * @param program with folded literals, and with its schemas if these are enforced.
   * @param listsLines whether read sets tell where a path is read.
   */
  constructor(
    private readonly program: ir.Program,
    private readonly options: ReadSetOptions = {},
    private readonly listsLines = true,
  ) {
    const { defaultPolicyVersion = 'default', defaultScope = '', lenientScopeSearch = false } = options;
    this.decisions = new Decisions(program, { defaultPolicyVersion, defaultScope, lenientScopeSearch });
    this.principals = program.modules.filter((module) => module.kind === 'principal');
  }

  /** What the decisions that a query describes can read. */
  of(query: ReadSetQuery): ReadSet {
    const { kind, action, roles, scope, version, level = 'effect' } = query;
    const actions = typeof action === 'string' ? [action] : action;
    const points = this.listPoints(query);
    const key = JSON.stringify([kind, actions, roles, scope, version, points.map((point) => point.principal), level]);
    return this.kept.get(key, () =>
      unite(points.flatMap((point) => actions.map((one) => this.at(point, one, roles, level)))),
    );
  }

  /** The read set of one action at a point. */
  at(point: Point, action: string, roles: readonly string[] | undefined, level: 'effect' | 'response'): ReadSet {
    const builder = new ReadSetBuilder(this.listsLines);
    const names = roles ?? this.rolesAt(point);
    const decisions = this.decisions.at(point, names ?? []);
    const { schemaEnforcement = 'none', strictEvaluation = false } = this.options;
    const isWhole = level === 'response' || strictEvaluation || decisions.sharesResults || names === undefined;
    if (isWhole) addRules(decisions, point.kind, action, builder);
    else for (const role of names) builder.addFormula(decisions.ofRole(role, action));
    if (schemaEnforcement === 'reject' || (schemaEnforcement === 'warn' && level === 'response'))
      for (const schema of decisions.schemasFor(action)) addSchema(schema, builder);
    // Another principal would be decided about by other policies.
    if (this.hasPrincipalRules(point.kind)) builder.add(['principal', 'id'], 'value');
    return builder.build();
  }

  /** The facts that decisions about each kind, or glob of kinds, can read, or responses, whatever is asked by whomever. */
  byKind(level: ReadLevel): ReadonlyMap<string, ReadonlySet<string>> {
    const isResponse = level === 'response';
    const { schemaEnforcement = 'none' } = this.options;
    const enforced = schemaEnforcement === 'reject' || (schemaEnforcement === 'warn' && isResponse);
    const builders = new Map<string, ReadSetBuilder>();
    const findBuilder = (kind: string): ReadSetBuilder => {
      const builder = builders.get(kind) ?? new ReadSetBuilder(false);
      builders.set(kind, builder);
      return builder;
    };
    const roles = this.program.modules.flatMap((module) => (module.kind === 'role' ? [module.role] : []));
    for (const module of this.program.modules) {
      if (module.kind !== 'resource') continue;
      const { resource: kind, version, scope } = module;
      const builder = findBuilder(kind);
      for (const point of this.listPoints({ kind, action: [], version, scope })) {
        const decisions = this.decisions.at(point, roles);
        addRules(decisions, point.kind, undefined, builder, isResponse);
        if (enforced) for (const schema of decisions.schemasFor('')) addSchema(schema, builder);
      }
    }
    // A kind without a resource policy may be allowed by a principal policy.
    const known = new Set(builders.keys());
    for (const module of this.principals)
      for (const { resource: kind = '*', ...rule } of module.rules)
        if (!known.has(kind)) addRule(rule, new PathReader(module, findBuilder(kind)), isResponse);
    // A role policy may say something in a scope in which no other policy does.
    if (isResponse)
      for (const builder of builders.values())
        for (const module of this.program.modules)
          if (module.kind === 'role')
            for (const rule of module.rules) addRule(rule, new PathReader(module, builder), true);
    return new Map([...builders].map(([kind, builder]) => [kind, builder.build().facts]));
  }

  /** Roles, one of each class that policies distinguish; undefined if there are too many globs to tell. */
  private rolesAt(point: Point): readonly string[] | undefined {
    const { roles } = classesAt(point, [this.decisions.at(point, [])]);
    return roles.isComplete ? [...roles.named, ...roles.others] : undefined;
  }

  private hasPrincipalRules(kind: string): boolean {
    return this.principals.some((module) => rulesAbout(module, kind).length > 0);
  }

  /** The points of the requests that a query describes: that of its principal, or those of all principals. */
  private listPoints({ kind, scope, version, principal }: ReadSetQuery): readonly Point[] {
    const { defaultPolicyVersion = 'default', defaultScope = '' } = this.options;
    const everyone: Point = {
      kind: sanitize(kind),
      isNamedKind: true,
      version: version || defaultPolicyVersion,
      scope: requestedScope(scope, defaultScope),
      isNamedScope: true,
      principal: undefined,
    };
    const makePoint = (id: string, own: string, ofVersion: string): Point => ({
      ...everyone,
      principal: { id, scope: own, isNamedScope: true, version: ofVersion },
    });
    if (principal === undefined)
      return [everyone, ...this.principals.map((own) => makePoint(own.principal, own.scope, own.version))];
    const { id } = principal;
    if (!this.principals.some((own) => own.principal === id)) return [everyone];
    return [
      makePoint(id, requestedScope(principal.scope, defaultScope), principal.policyVersion || defaultPolicyVersion),
    ];
  }
}

/** The scope of a request, as the engine looks for it. */
function requestedScope(scope: string | undefined, defaultScope: string): string {
  return (scope || defaultScope).replace(/^\./, '');
}

/**
 * All that the rules about an action read, whether or not it can matter.
 * @param action undefined for all actions.
 */
function addRules(
  decisions: PointDecisions,
  kind: string,
  action: string | undefined,
  builder: ReadSetBuilder,
  withOutputs = true,
): void {
  for (const module of decisions.modules) {
    const reader = new PathReader(module, builder);
    if (module.kind === 'derived-roles') {
      for (const { condition } of module.definitions) reader.condition(condition);
      continue;
    }
    const rules: readonly (ir.Rule | ir.RoleRule)[] =
      module.kind === 'role'
        ? module.rules
        : rulesAbout(module, kind).filter(({ actions }) => action === undefined || matchesAny(...actions)(action));
    for (const rule of rules) addRule(rule, reader, withOutputs);
  }
}

function addRule(
  { condition, output }: Pick<ir.Rule | ir.RoleRule, 'condition' | 'output'>,
  reader: PathReader,
  withOutput: boolean,
): void {
  reader.condition(condition);
  if (!withOutput) return;
  for (const when of ['ruleActivated', 'conditionNotMet'] as const) {
    const [value, text] = [output?.[when], output?.expressions?.[when]];
    if (value !== undefined && text !== undefined) reader.expression(value, text);
  }
}
