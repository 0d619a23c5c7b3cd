import { literalOrGlob } from '#runtime/policy';
import type { RuleOrigin, Section } from '../ir/emitted-file.js';
import type { Match, Output, Rule } from '../ir/program.js';
import { describeCondition, describeRule } from './describe.js';
import { bracketed, type Doc, firstText, hardLine } from './doc.js';
import type { Conditional } from './filters.js';
import { outputFunction, whenFunction } from './functions.js';
import type { ModuleContext } from './module-context.js';
import { objectDoc, shortObjectDoc } from './object.js';
import { quote } from './quote.js';
import { texts } from './tables.js';
import { usualTracedKey } from '../ir/traced-keys.js';

/** The names that a rule uses from its module. */
export interface RuleNames {
  /** The identifier of the rule. */
  readonly own: string;
  /** The name of the parts that it shares with the other rules that one authored rule was lowered to. */
  readonly shared: string | undefined;
  /** The identifier of its derived role. */
  readonly derivedRole: string | undefined;
  /** The same, if the derived role has a condition. */
  readonly activeRole: string | undefined;
  /** Its roles as bits: `USER | CONTRACTOR`. */
  readonly roles: Doc;
  /** In a policy with too many roles for one bit each. */
  readonly crowded: boolean;
  /** In a policy that has one bit for several roles. */
  readonly sharesBits: boolean;
  /** The key of its traced condition. */
  readonly traced: string;
}

/** The rules that have a condition. */
export function conditionalRules(
  policyKey: string,
  rules: readonly Rule[],
  names: readonly RuleNames[],
): readonly Conditional[] {
  return rules.flatMap((rule, index) => {
    const { condition, inverted } = rule;
    if (condition === undefined) return [];
    const { own, shared } = names[index] as RuleNames;
    const origin = originOf(policyKey, rule);
    return [{ name: own, condition, inverted, shared: shared === undefined ? undefined : `${shared}Filter`, origin }];
  });
}

function originOf(policyKey: string, { name, span }: Rule): RuleOrigin {
  return { rule: `${policyKey}#${name}`, span };
}

/** A rule as it is emitted, and how to call its condition. */
export interface RuleSection extends Section {
  /** `owners.when(request)`; undefined if the rule always applies. */
  readonly holds: string | undefined;
}

/** A rule, after the declarations that it needs. */
export function ruleSection(policyKey: string, rule: Rule, names: RuleNames, module: ModuleContext): RuleSection {
  let holds: string | undefined;
  const printed = module.withDeclarations(() => {
    const { condition, inverted } = rule;
    const shared = names.shared && condition && conditionOfSeveral(condition, inverted, names.shared, module);
    const when = whenFunction({ condition: shared ?? condition, derivedRole: names.activeRole, inverted }, module);
    holds = when && `${names.own}.when(${firstText(when).startsWith('()') ? '' : 'request'})`;
    return ruleDeclaration(policyKey, rule, { ...names, condition: shared, when }, module);
  });
  return { ...printed, origin: originOf(policyKey, rule), holds };
}

/** A rule as data, with the function that decides it. One with a condition is exported, for its filter. */
function ruleDeclaration(
  policyKey: string,
  rule: Rule,
  names: RuleNames & { readonly condition: string | undefined; readonly when: Doc | undefined },
  module: ModuleContext,
): Doc {
  const { condition } = rule;
  const everyone = rule.roles[0] === '*';
  const isPlain = condition === undefined && rule.output === undefined;
  const object = (isPlain ? shortObjectDoc : objectDoc)([
    ['name', quote(rule.name)],
    ['effect', rule.effect === 'allow' ? 'ALLOW' : 'DENY'],
    ['roles', names.roles],
    ['among', names.crowded && !everyone ? bracketed('matchesAny(', texts(rule.roles), ')') : undefined],
    ['reaches', reachesDoc(rule)],
    ['derivedRole', names.derivedRole],
    ['when', names.when],
    ['output', rule.output && ownOrShared(rule.output, names.shared, module)],
    [
      'rows',
      rule.output && needsRows(rule, names)
        ? bracketed('rowsOf(', [bracketed('[', texts(rule.actions), ']'), bracketed('[', texts(rule.roles), ']')], ')')
        : undefined,
    ],
    ['memo', rule.memo && quote(rule.memo)],
    ['traced', names.traced === usualTracedKey(policyKey, rule) ? undefined : quote(names.traced)],
  ]);
  const exported = condition === undefined || module.checksOnly ? '' : 'export ';
  const declaration = `${exported}const ${names.own} = `;
  return [describeRule(rule, names.condition), hardLine, declaration, object, ' satisfies Rule;'];
}

/** Declares the condition of a rule that became several, once, and returns its name. */
function conditionOfSeveral(condition: Match, inverted: boolean, wish: string, module: ModuleContext): string {
  const when = whenFunction({ condition, derivedRole: undefined, inverted }, module) as Doc;
  return module.hoist(`${wish}Condition`, when, {
    type: '(request: Request) => boolean',
    isCode: true,
    remark: (name) => `${describeCondition(name, inverted, condition)}\n`,
  });
}

function ownOrShared(output: Output, wish: string | undefined, module: ModuleContext): Doc {
  const doc = outputDoc(output, module);
  return wish === undefined ? doc : module.hoist(`${wish}Output`, doc, { type: 'Output', isCode: true });
}

/** The two outputs of a rule. */
export function outputDoc({ ruleActivated, conditionNotMet, expressions }: Output, module: ModuleContext): Doc {
  return objectDoc([
    ['ruleActivated', ruleActivated && outputFunction(ruleActivated, expressions.ruleActivated, module)],
    ['conditionNotMet', conditionNotMet && outputFunction(conditionNotMet, expressions.conditionNotMet, module)],
  ]);
}

/**
 * How a rule matches names that are not in a table: by its globs. The actions that it names are in the table, except
 * those on kinds that no rule names.
 */
function reachesDoc(rule: Rule): Doc | undefined {
  if (rule.resource?.includes('*')) return bracketed('reaches(', texts([rule.resource, ...rule.actions]), ')');
  const globs = rule.actions.filter(isGlob);
  return globs.length === 0 ? undefined : bracketed('matchesAny(', texts(globs), ')');
}

/**
 * Whether the number of rows that a rule represents cannot be derived from the bits of its roles: roles share a bit, or
 * two of its actions may match the same action.
 */
function needsRows({ actions, roles }: Rule, { sharesBits }: RuleNames): boolean {
  if (sharesBits && roles[0] !== '*') return true;
  const globs = actions.filter(isGlob);
  const [glob] = globs;
  if (glob === undefined || globs.length > 1) return globs.length > 1;
  const matches = literalOrGlob(glob);
  return actions.some((action) => action !== glob && matches(action));
}

function isGlob(text: string): boolean {
  return text.includes('*');
}
