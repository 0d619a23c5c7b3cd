import type { FilePlace } from '../../../runtime/engine/parts.js';
import { anyOf, literalAndGlob, matchesAny } from '../../../runtime/policy/index.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import type * as ir from '../../../compiler/ir/program.js';
import { listValues } from '../../../compiler/ir/visit.js';
import { placeAt } from '../../analysis/program/place.js';
import {
  bindingsRead,
  isSameConstant,
  type RuleModule,
  withCondition,
  withConstant,
  withDerivedRole,
  withEffect,
  withOtherPermissions,
  withRoleRule,
  withRule,
  withVariable,
} from './edits.js';
import { conditionEdits, constantEdits, REMOVED, spanOfCondition, textOfCondition, valueEdits } from './expressions.js';

/** Kinds of mistakes (docs/mutation.md#what-is-changed). */
export type Operator =
  | 'effect'
  | 'rule'
  | 'cond'
  | 'role'
  | 'action'
  | 'limit'
  | 'op'
  | 'lit'
  | 'tree'
  | 'dr'
  | 'scope'
  | 'const';

/** A set of policies with one small mistake. */
export interface Mutant {
  readonly operator: Operator;
  readonly place: FilePlace;
  /** What changes, as the author wrote it, and what it becomes. */
  readonly before: string;
  readonly after: string;
  /** The rules and derived roles that it changes: `resource.album.vdefault#owners`. */
  readonly rules: readonly string[];
  /** The policies with the mistake. */
  readonly program: () => ir.Program;
}

/**
 * All mutants of a program, by place. Those that would not compile are not made.
 *
 * @param program before `optimise`, so that changes are those of what an author wrote.
 */
export function listMutants(program: ir.Program): readonly Mutant[] {
  const mutants = [
    ...program.modules.flatMap((module) => ofModule(program, module)),
    ...ofVariables(program),
    ...ofConstants(program),
  ];
  return mutants
    .map((mutant, index) => ({ mutant, index }))
    .sort(byPlace)
    .map(({ mutant }) => mutant);
}

function ofModule(program: ir.Program, module: ir.Module): readonly Mutant[] {
  switch (module.kind) {
    case 'resource':
    case 'principal':
      return [
        ...authoredRules(module).flatMap((rules) => ofRule(program, module, rules)),
        ...ofPermissions(program, module),
      ];
    case 'role':
      return module.rules.flatMap((rule) => ofRoleRule(program, module, rule));
    case 'derived-roles':
      return module.definitions.flatMap((role) => ofDerivedRole(program, module, role));
  }
}

interface Numbered {
  readonly mutant: Mutant;
  readonly index: number;
}

function byPlace({ mutant: { place: a }, index }: Numbered, { mutant: { place: b }, index: other }: Numbered): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column || index - other;
}

/** The lowered rules of a policy, those of one authored rule together. */
function authoredRules({ rules }: RuleModule): readonly (readonly [ir.Rule, ...ir.Rule[]])[] {
  const groups = new Map<number, [ir.Rule, ...ir.Rule[]]>();
  for (const rule of rules) {
    const group = groups.get(rule.span.start);
    if (group === undefined) groups.set(rule.span.start, [rule]);
    else group.push(rule);
  }
  return [...groups.values()];
}

/** Makes a mutant of a rule or a derived role. */
type Make<R> = (
  operator: Operator,
  change: readonly [before: string, after: string],
  edit: (rule: R) => R | undefined,
  span?: Span,
) => Mutant;

function ofRule(program: ir.Program, module: RuleModule, lowered: readonly [ir.Rule, ...ir.Rule[]]): readonly Mutant[] {
  const [rule] = lowered;
  const { written, condition, actions } = rule;
  const mutant: Make<ir.Rule> = (operator, [before, after], edit, span = rule.span) => ({
    operator,
    place: placeAt(span),
    before,
    after,
    rules: [`${module.key}#${rule.name}`],
    program: () => withRule(program, module, rule, edit),
  });
  const other = written === 'allow' ? 'deny' : 'allow';
  const plain = lowered.find(({ derivedRole }) => derivedRole === undefined);
  const roles = module.kind === 'resource' ? (plain?.roles ?? []) : [];
  const through = lowered.flatMap(({ derivedRole }) => derivedRole?.name ?? []);
  return [
    mutant('effect', [effectText(written), effectText(other)], (each) => withEffect(module, each, other)),
    mutant('rule', [`rule ${rule.name}`, REMOVED], () => undefined),
    ...changedLists(roles, through.length).map((changed) =>
      mutant('role', [`roles: ${listText(roles)}`, `roles: ${listText(changed)}`], (each) =>
        each.derivedRole === undefined ? (changed.length === 0 ? undefined : { ...each, roles: changed }) : each,
      ),
    ),
    ...(roles.length + through.length < 2 ? [] : through).map((name) =>
      mutant(
        'role',
        [`derivedRoles: ${listText(through)}`, `derivedRoles: ${listText(through.filter((each) => each !== name))}`],
        (each) => (each.derivedRole?.name === name ? undefined : each),
      ),
    ),
    ...changedLists(actions, 0).map((changed) =>
      mutant('action', [`actions: ${listText(actions)}`, `actions: ${listText(changed)}`], (each) => ({
        ...each,
        actions: changed,
      })),
    ),
    ...ofCondition(condition, 'cond', mutant, (each, changed) => withCondition(module, each, changed)),
  ];
}

/** The mutants of a condition. */
function ofCondition<R>(
  condition: ir.Match | undefined,
  operator: 'cond' | 'dr',
  mutant: Make<R>,
  edit: (rule: R, condition: ir.Match | undefined) => R,
): readonly Mutant[] {
  if (condition === undefined) return [];
  const span = spanOfCondition(condition);
  const text = textOfCondition(condition);
  const negated: ir.Match = { kind: 'none', of: [condition] };
  return [
    mutant(operator, [`condition: ${text}`, REMOVED], (rule) => edit(rule, undefined), span),
    mutant(operator, [text, textOfCondition(negated)], (rule) => edit(rule, negated), span),
    ...conditionEdits(condition).map(({ operator: own, span: at, before, after, result }) =>
      mutant(own, [before, after], (rule) => edit(rule, result), at),
    ),
  ];
}

function ofRoleRule(program: ir.Program, module: ir.RoleModule, rule: ir.RoleRule): readonly Mutant[] {
  const { allowActions: actions } = rule;
  const mutant: Make<ir.RoleRule> = (operator, [before, after], edit, span = rule.span) => ({
    operator,
    place: placeAt(span),
    before,
    after,
    rules: [`${module.key}#${rule.name}`],
    program: () => withRoleRule(program, module, rule, edit),
  });
  const withActions = (allowActions: readonly string[]): Mutant =>
    mutant('limit', [`allowActions: ${listText(actions)}`, `allowActions: ${listText(allowActions)}`], (each) => ({
      ...each,
      allowActions,
    }));
  const added = actionBeyond(program, rule);
  const removed = mutant('rule', [`rule for ${rule.resource}`, REMOVED], () => undefined);
  return [
    ...(hasScopeGaps(removed.program()) ? [] : [removed]),
    ...(actions.length < 2
      ? []
      : actions.map((_, index) => withActions(actions.filter((_action, at) => at !== index)))),
    ...(added === undefined ? [] : [withActions([...actions, added])]),
    ...ofCondition(rule.condition, 'cond', mutant, (each, condition) => ({ ...each, condition })),
  ];
}

/** An action that rules about the kinds of a role rule name, and that it does not allow. */
function actionBeyond({ modules }: ir.Program, { resource, allowActions }: ir.RoleRule): string | undefined {
  const covers = matchesAny(resource);
  const allows = anyOf(allowActions.map(literalAndGlob));
  const named = modules.flatMap((module) => {
    if (module.kind === 'resource') return covers(module.kindName) ? module.rules : [];
    return module.kind === 'principal' ? module.rules.filter(({ resource: kind = '' }) => covers(kind)) : [];
  });
  return named
    .flatMap(({ actions }) => actions)
    .filter((action) => !action.includes('*') && !allows(action))
    .sort()[0];
}

/**
 * Whether a resource policy lacks one of a scope above it, which only rules of role policies for its kind excuse
 * (docs/spec/policy-language.md#scope-chains).
 */
function hasScopeGaps({ modules }: ir.Program): boolean {
  const keys = new Set(modules.flatMap((module) => (module.kind === 'resource' ? [keyAt(module, module.scope)] : [])));
  const isExcused = ({ kindName, version }: ir.ResourceModule, scope: string): boolean =>
    modules.some(
      (module) =>
        module.kind === 'role' &&
        module.version === version &&
        module.scope === scope &&
        module.rules.some(({ resource }) => matchesAny(resource)(kindName)),
    );
  return modules.some(
    (module) =>
      module.kind === 'resource' &&
      scopesAbove(module.scope).some((scope) => !keys.has(keyAt(module, scope)) && !isExcused(module, scope)),
  );
}

/** `a.b`, `a` and the root of `a.b.c`. */
function scopesAbove(scope: string): readonly string[] {
  if (scope === '') return [];
  const parent = scope.slice(0, Math.max(0, scope.lastIndexOf('.')));
  return [parent, ...scopesAbove(parent)];
}

function keyAt({ kindName, version }: ir.ResourceModule, scope: string): string {
  return JSON.stringify([kindName, version, scope]);
}

function ofDerivedRole(program: ir.Program, module: ir.DerivedRolesModule, role: ir.DerivedRole): readonly Mutant[] {
  const { parentRoles } = role;
  const mutant: Make<ir.DerivedRole> = (operator, [before, after], edit, span = role.span) => ({
    operator,
    place: placeAt(span),
    before,
    after,
    rules: [`${module.key}#${role.name}`],
    program: () => withDerivedRole(program, module, edit(role) ?? role),
  });
  return [
    ...(parentRoles.length < 2 ? [] : parentRoles).map((name) => {
      const others = parentRoles.filter((each) => each !== name);
      return mutant('dr', [`parentRoles: ${listText(parentRoles)}`, `parentRoles: ${listText(others)}`], (each) => ({
        ...each,
        parentRoles: others,
      }));
    }),
    ...ofCondition(role.condition, 'dr', mutant, (each, condition) => ({ ...each, condition })),
  ];
}

/**
 * Mutates scope permissions. Three or more policies of a scope have to agree
 * (docs/spec/policy-language.md#conflicting-scope-permissions); documents that are only imported count, and have the
 * root scope.
 */
function ofPermissions(program: ir.Program, module: RuleModule): readonly Mutant[] {
  const { scope, overridesParent, rules } = module;
  const [rule] = rules;
  const others = program.modules.filter((other) => other !== module && 'scope' in other && other.scope === scope);
  const agree = others.some((other) => other.kind !== 'role') && (others.length > 1 || scope === '');
  if (agree || rule === undefined) return [];
  return [
    {
      operator: 'scope',
      place: placeAt(permissionsSpan(rule.span)),
      before: permissionsText(overridesParent),
      after: permissionsText(!overridesParent),
      rules: [...new Set(rules.map(({ name }) => `${module.key}#${name}`))],
      program: () => withOtherPermissions(program, module),
    },
  ];
}

/** Where a policy sets its permissions, or where it begins. */
function permissionsSpan({ source }: Span): Span {
  const start = Math.max(
    0,
    source.text.search(/^\s*"?(scopePermissions|scope_permissions|resourcePolicy|principalPolicy)\b/m),
  );
  const indent = source.text.slice(start).search(/\S/);
  return { source, start: start + indent, end: start + indent };
}

function permissionsText(overridesParent: boolean): string {
  const setting = overridesParent ? 'OVERRIDE_PARENT' : 'REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS';
  return `scopePermissions: SCOPE_PERMISSIONS_${setting}`;
}

/** A definition that several policies may import is changed for all of them. */
function ofVariables(program: ir.Program): readonly Mutant[] {
  const found = new Map<ir.Variable['expression'], { readonly variable: ir.Variable; readonly rules: string[] }>();
  for (const module of program.modules) {
    for (const variable of module.variables) {
      const rules = readers(module, ({ variables }) => variables.has(variable.name));
      if (rules.length === 0) continue;
      const entry = found.get(variable.expression) ?? { variable, rules: [] };
      entry.rules.push(...rules);
      found.set(variable.expression, entry);
    }
  }
  return [...found.values()].flatMap(({ variable, rules }) =>
    valueEdits(variable.value, variable.expression).map(
      ({ operator, span, before, after }, index): Mutant => ({
        operator,
        place: placeAt(span),
        before,
        after,
        rules,
        // Each policy has a value of its own, with its own types.
        program: () =>
          withVariable(program, variable, (own) => ({
            ...own,
            value: valueEdits(own.value, own.expression)[index]?.result ?? own.value,
          })),
      }),
    ),
  );
}

function ofConstants(program: ir.Program): readonly Mutant[] {
  const found: { readonly constant: ir.Constant; readonly rules: string[] }[] = [];
  for (const module of program.modules) {
    for (const constant of module.constants) {
      const rules = readers(module, ({ constants }) => constants.has(constant.name));
      if (rules.length === 0) continue;
      const known = found.find((entry) => isSameConstant(entry.constant, constant));
      if (known === undefined) found.push({ constant, rules: [...rules] });
      else known.rules.push(...rules);
    }
  }
  return found.flatMap(({ constant, rules }) =>
    constantEdits(constant.value).map(
      (value): Mutant => ({
        operator: 'const',
        place: placeAt(constant.span),
        before: `${constant.name}: ${JSON.stringify(constant.value)}`,
        after: `${constant.name}: ${JSON.stringify(value)}`,
        rules,
        program: () => withConstant(program, constant, value),
      }),
    ),
  );
}

/** The rules and derived roles of a policy whose conditions read something, also through variables. */
function readers(module: ir.Module, isRead: (bindings: ReturnType<typeof bindingsRead>) => boolean): readonly string[] {
  const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
  const names = [...rules].flatMap(({ name, condition }) =>
    isRead(bindingsRead(listValues(condition), module.variables)) ? [`${module.key}#${name}`] : [],
  );
  return [...new Set(names)];
}

/**
 * Lists with one element less, and `*`.
 *
 * @param others the number of elements besides the list: a rule needs one.
 */
function changedLists(texts: readonly string[], others: number): readonly (readonly string[])[] {
  if (texts.length === 0) return [];
  const shorter = texts.length + others < 2 ? [] : texts.map((_, index) => texts.filter((_text, at) => at !== index));
  return [...shorter, ...(texts.includes('*') ? [] : [['*']])];
}

function effectText(effect: ir.Effect): string {
  return `effect: EFFECT_${effect.toUpperCase()}`;
}

/** A list as YAML. */
function listText(texts: readonly string[]): string {
  return `[${texts.map((text) => (/^[A-Za-z][\w.-]*$/.test(text) ? text : JSON.stringify(text))).join(', ')}]`;
}
