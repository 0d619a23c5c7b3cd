import type { EngineOptions } from '../../../runtime/engine/index.js';
import type { Explainer, Explanation, FilePlace } from '../../../runtime/engine/parts.js';
import { type Instant, sanitize } from '../../../runtime/policy/index.js';
import type * as ir from '../../../compiler/ir/program.js';
import { type Leaf, listLeaves, listValues } from '../../../compiler/ir/visit.js';
import { fold } from '../../../compiler/optimise/index.js';
import { makeExplainer } from '../explain/explain.js';
import { placeAt } from '../program/place.js';
import { listDefinitions, formatStructure } from '../formula/structure.js';
import { configured, parseInstant } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';
import type { Cause, DiffWitness } from './report.js';

/** Explains why two sets of policies decide situations differently. */
export class Causes {
  private readonly sets: readonly [ExplainedSet, ExplainedSet];
  private own: readonly (Cause & OwnPolicy)[] | undefined;

  constructor(
    programs: readonly [ir.Program, ir.Program],
    private readonly options: EngineOptions,
  ) {
    const [old, new_] = programs;
    this.sets = [new ExplainedSet(old, options), new ExplainedSet(new_, options)];
  }

  /** The rules that decide in each set. */
  decidedBy(situation: Situation): DiffWitness['decidedBy'] {
    const [before, after] = this.sets.map((set) => {
      const [first] = set.explain(situation).decidedBy;
      return first === undefined ? null : { rule: first.rule, place: first.place };
    });
    return { before: before ?? null, after: after ?? null };
  }

  /** The rules that are not the same in both sets and whose results differ in a situation; sorted. */
  of(situations: readonly Situation[]): readonly Cause[] {
    const found = new Map<string, Cause>();
    for (const situation of situations) {
      const [before, after] = this.sets.map((set) => collectResults(set.explain(situation))) as [Results, Results];
      for (const rule of new Set([...before.keys(), ...after.keys()])) {
        if (before.get(rule)?.result === after.get(rule)?.result) continue;
        const cause = this.findCause(rule, before.get(rule)?.place, after.get(rule)?.place);
        if (cause !== undefined) found.set(rule, cause);
      }
    }
    if (found.size === 0) for (const cause of this.policyCauses(situations)) found.set(cause.rule, cause);
    return [...found.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
  }

  /** Where no rule differs: the policies that only one of the sets has at the scopes of the situations. */
  private policyCauses(situations: readonly Situation[]): readonly Cause[] {
    const isConcerned = ({ module }: OwnPolicy): boolean =>
      situations.some(({ request: { principal, resource } }) => {
        const { defaultScope = '' } = this.options;
        const own = (module.kind === 'principal' ? principal : resource).scope || defaultScope;
        const scope = own.replace(/^\./, '');
        return module.scope === '' || scope === module.scope || scope.startsWith(`${module.scope}.`);
      });
    const found = this.ownPolicies().filter(isConcerned);
    // That of the kind says more than one by which the scope exists.
    const kinds = new Set(situations.map(({ request: { resource } }) => sanitize(resource.kind)));
    const isOfKind = ({ module }: OwnPolicy): boolean => module.kind === 'resource' && kinds.has(module.kindName);
    const ofKind = found.filter(isOfKind);
    return (ofKind.length > 0 ? ofKind : found)
      .slice(0, MOST_POLICIES)
      .map(({ side, rule, place }) => ({ side, rule, place }));
  }

  /** The policies that only one of the sets has. */
  private ownPolicies(): readonly (Cause & OwnPolicy)[] {
    if (this.own !== undefined) return this.own;
    const [old, new_] = this.sets.map((set) => set.policies) as [Policies, Policies];
    const only = (side: 'old' | 'new', policies: Policies, others: Policies): readonly (Cause & OwnPolicy)[] =>
      [...policies].flatMap(([rule, policy]) => (others.has(rule) ? [] : [{ side, rule, ...policy }]));
    this.own = [...only('old', old, new_), ...only('new', new_, old)];
    return this.own;
  }

  /** Undefined if both sets have the same rule. */
  private findCause(rule: string, before: FilePlace | undefined, after: FilePlace | undefined): Cause | undefined {
    const [old, new_] = this.sets.map((set) => set.rules.get(rule));
    if (old === undefined || new_ === undefined) {
      const place = after ?? before ?? old?.place ?? new_?.place;
      if (place === undefined || old === new_) return undefined;
      return { side: old === undefined ? 'new' : 'old', rule, place };
    }
    if (old.text === new_.text) return undefined;
    const changed = changedLeaf(old.conditions, new_.conditions);
    const place = changed?.place ?? after ?? new_.place;
    return { side: 'both', rule, place, ...(changed && { condition: changed.condition }) };
  }
}

/** The policies that are named as a cause. */
const MOST_POLICIES = 3;

type Policies = ReadonlyMap<string, OwnPolicy>;

interface OwnPolicy {
  readonly module: Exclude<ir.Module, { readonly kind: 'derived-roles' }>;
  readonly place: FilePlace;
}

/** The result of each rule that a request reaches. */
type Results = ReadonlyMap<string, { readonly result: string; readonly place: FilePlace }>;

function collectResults({ steps }: Explanation): Results {
  const results = new Map<string, { result: string; place: FilePlace }>();
  for (const { policy, rules } of steps)
    for (const { name, place, result, effect } of rules) {
      const rule = `${policy}#${name}`;
      const before = results.get(rule);
      results.set(rule, { result: `${before?.result ?? ''} ${effect} ${result}`, place: before?.place ?? place });
    }
  return results;
}

/** What decides a rule, with the derived roles that it goes through. */
interface ExplainedRule {
  readonly text: string;
  readonly place: FilePlace;
  readonly conditions: readonly ir.Match[];
}

class ExplainedSet {
  readonly rules: ReadonlyMap<string, ExplainedRule>;
  /** Policies by their keys. */
  readonly policies: Policies;
  private readonly program: ir.Program;
  private explainer: Explainer | undefined;
  private readonly explained = new WeakMap<Situation, Explanation>();
  private globals = '';
  private now: Instant | undefined;

  constructor(
    program: ir.Program,
    private readonly options: EngineOptions,
  ) {
    this.program = fold(program);
    this.rules = indexRules(this.program);
    this.policies = new Map(
      this.program.modules.flatMap((module) => {
        if (module.kind === 'derived-roles') return [];
        const span = module.rules[0]?.span;
        const place = span === undefined ? { file: module.sourcePath, line: 1, column: 1 } : placeAt(span);
        return [[module.key, { module, place }] as const];
      }),
    );
  }

  explain(situation: Situation): Explanation {
    const known = this.explained.get(situation) ?? this.explainSituation(situation);
    this.explained.set(situation, known);
    return known;
  }

  private explainSituation({ request, globals, now }: Situation): Explanation {
    const known = this.options.globals;
    const key = known === undefined ? JSON.stringify(globals) : '';
    this.now = parseInstant(now);
    if (this.explainer === undefined || key !== this.globals)
      this.explainer = makeExplainer(this.program, {
        ...this.options,
        globals: known ?? (configured(globals) as EngineOptions['globals'] & {}),
        clock: () => this.now as Instant,
      });
    this.globals = key;
    return this.explainer.explain(request);
  }
}

function indexRules({ modules }: ir.Program): ReadonlyMap<string, ExplainedRule> {
  const derivedRoles = new Map(
    modules.flatMap((module) =>
      module.kind === 'derived-roles'
        ? module.definitions.map((role) => [`${module.key}#${role.name}`, { role, module }] as const)
        : [],
    ),
  );
  const rules = new Map<string, ExplainedRule>();
  for (const module of modules) {
    if (module.kind === 'derived-roles') continue;
    for (const rule of module.rules) {
      const through = 'derivedRole' in rule && rule.derivedRole;
      const active = through ? derivedRoles.get(`${through.module}#${through.name}`) : undefined;
      const name = `${module.key}#${rule.name}`;
      const before = rules.get(name);
      const { span: _, output: __, ...parts } = rule;
      const text = JSON.stringify([
        formatStructure(parts),
        'overridesParent' in module && module.overridesParent,
        listDefinitions(listValues(rule.condition), module),
        active && [
          formatStructure({ ...active.role, span: undefined }),
          listDefinitions(listValues(active.role.condition), active.module),
        ],
      ]);
      const conditions = [rule.condition, active?.role.condition].filter((condition) => condition !== undefined);
      rules.set(name, {
        text: `${before?.text ?? ''}${text}`,
        place: before?.place ?? placeAt(rule.span),
        conditions: [...(before?.conditions ?? []), ...conditions],
      });
    }
  }
  return rules;
}

/** The expression that differs, if it is the only one of conditions that are otherwise the same. */
function changedLeaf(
  before: readonly ir.Match[],
  after: readonly ir.Match[],
): { readonly condition: { readonly before: string; readonly after: string }; readonly place: FilePlace } | undefined {
  const [old, new_] = [before.flatMap(listLeaves), after.flatMap(listLeaves)];
  if (old.length !== new_.length) return undefined;
  const changed = old.flatMap((leaf, index) => {
    const other = new_[index] as Leaf;
    return leaf.expression.text === other.expression.text ? [] : [[leaf.expression, other.expression] as const];
  });
  const texts = new Set(changed.map(([one, other]) => `${one.text}\0${other.text}`));
  const [first] = changed;
  if (first === undefined || texts.size !== 1) return undefined;
  const [{ text: was }, { text: is, spanOf }] = first;
  return { condition: { before: was, after: is }, place: placeAt(spanOf.call(first[1], 0, is.length)) };
}
