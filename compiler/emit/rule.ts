import { literalOrGlob } from '../../runtime/policy/index.js';
import type { RuleOrigin, Section } from '../ir/emitted-file.js';
import type { Match, Output, Rule } from '../ir/program.js';
import { describeCondition, describeRule } from './describe.js';
import { bracketed, type Doc, exported, hardLine, mention } from './doc.js';
import type { Conditional } from './filters.js';
import { outputFunction, type PrintedFunction, whenFunction } from './functions.js';
import type { ModuleContext } from './module-context.js';
import { objectDoc, shortObjectDoc } from './object.js';
import { patternDocs } from './patterns.js';
import { quoted } from './quote.js';
import { bitsDoc, type RuleBits } from './role-bits.js';
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
  /** Its roles as bits. */
  readonly roles: RuleBits;
  /** Whether the policy has too many roles for one bit each. */
  readonly crowded: boolean;
  /** Whether the policy has one bit for several roles. */
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
    const origin = makeOrigin(policyKey, rule);
    return [{ name: own, condition, inverted, shared: shared === undefined ? undefined : `${shared}Filter`, origin }];
  });
}

function makeOrigin(policyKey: string, { name, span }: Rule): RuleOrigin {
  return { rule: `${policyKey}#${name}`, span };
}

/** A rule as it is emitted, and how to call its conditions. */
export interface RuleSection extends Section {
  /** `owner.when(request)`, `locked.when(request)`: calls that all return true if the rule applies. */
  readonly holds: readonly Doc[];
}

/** A rule, after the declarations that it needs. */
export function ruleSection(policyKey: string, rule: Rule, names: RuleNames, module: ModuleContext): RuleSection {
  let holds: readonly Doc[] = [];
  const printed = module.withDeclarations(() => {
    const { condition, inverted } = rule;
    const shared = names.shared && condition && conditionOfSeveral(condition, inverted, names.shared, module);
    const when = whenFunction({ condition: shared ?? condition, inverted }, module);
    const call = (name: string, argument: Doc): Doc => [`${name}.when(`, argument, ')'];
    holds = [
      ...(names.activeRole === undefined ? [] : [call(names.activeRole, mention('request'))]),
      ...(when === undefined ? [] : [call(names.own, when.isConstant ? '' : mention('request'))]),
    ];
    return ruleDeclaration(policyKey, rule, { ...names, condition: shared, when }, module);
  });
  return { ...printed, origin: makeOrigin(policyKey, rule), holds };
}

/** A rule as data, with the function that decides it. One with a condition is exported, for its filter. */
function ruleDeclaration(
  policyKey: string,
  rule: Rule,
  names: RuleNames & { readonly condition: string | undefined; readonly when: PrintedFunction | undefined },
  module: ModuleContext,
): Doc {
  const { condition } = rule;
  const everyone = rule.roles[0] === '*';
  const isPlain = condition === undefined && rule.output === undefined;
  const object = (isPlain ? shortObjectDoc : objectDoc)([
    ['name', quoted(rule.name)],
    ['effect', mention(rule.effect === 'allow' ? 'ALLOW' : 'DENY')],
    ['roles', bitsDoc(names.roles)],
    ['among', names.crowded && !everyone ? bracketed([mention('matchesAny'), '('], texts(rule.roles), ')') : undefined],
    ['actions', bracketed('[', patternDocs(rule.actions, module), ']')],
    ['resource', rule.resource === undefined ? undefined : patternDocs([rule.resource], module)],
    ['derivedRole', names.derivedRole],
    ['when', names.when?.doc],
    ['output', rule.output && ownOrShared(rule.output, names.shared, module)],
    [
      'rows',
      rule.output && needsRows(rule, names)
        ? bracketed(
            [mention('rowsOf'), '('],
            [bracketed('[', texts(rule.actions), ']'), bracketed('[', texts(rule.roles), ']')],
            ')',
          )
        : undefined,
    ],
    ['memo', rule.memo && quoted(rule.memo)],
    ['traced', names.traced === usualTracedKey(policyKey, rule) ? undefined : quoted(names.traced)],
  ]);
  const declared = condition === undefined || module.checksOnly ? `const ${names.own}` : exported(names.own, true);
  const satisfied: Doc = [' satisfies ', mention('Rule'), ';'];
  // Without a condition, the properties say everything that the comment would.
  const described = condition === undefined ? [] : [describeRule(rule, names.condition), hardLine];
  return [...described, declared, ' = ', object, satisfied];
}

/** Declares the condition of a rule that became several, once, and returns its name. */
function conditionOfSeveral(condition: Match, inverted: boolean, wish: string, module: ModuleContext): string {
  const when = whenFunction({ condition, inverted }, module) as PrintedFunction;
  return module.hoist(`${wish}Condition`, when.doc, {
    type: ['(request: ', mention('Request'), ') => boolean'],
    isCode: true,
    remark: (name) => [describeCondition(name, inverted, condition), hardLine],
  });
}

function ownOrShared(output: Output, wish: string | undefined, module: ModuleContext): Doc {
  const doc = outputDoc(output, module);
  return wish === undefined ? doc : module.hoist(`${wish}Output`, doc, { type: mention('Output'), isCode: true });
}

/** The two outputs of a rule. */
export function outputDoc({ ruleActivated, conditionNotMet, expressions }: Output, module: ModuleContext): Doc {
  return objectDoc([
    ['ruleActivated', ruleActivated && outputFunction(ruleActivated, expressions.ruleActivated, module)],
    ['conditionNotMet', conditionNotMet && outputFunction(conditionNotMet, expressions.conditionNotMet, module)],
  ]);
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
