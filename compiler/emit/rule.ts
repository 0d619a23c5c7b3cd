import type { Section } from '../ir/emitted-file.js';
import type { Output, Rule } from '../ir/program.js';
import { describeRule } from './describe.js';
import { bracketed, type Doc, print } from './doc.js';
import { outputFunction, whenFunction } from './functions.js';
import type { ModuleContext } from './module-context.js';
import { objectDoc } from './object.js';
import { quote } from './quote.js';
import { texts } from './tables.js';

/** What a rule needs to know of the module it stands in. */
export interface RuleNames {
  /** The identifier of the rule. */
  readonly own: string;
  /** The identifier of its derived role. */
  readonly derivedRole: string | undefined;
  /** Its roles as bits: `USER | CONTRACTOR`. */
  readonly roles: string;
  /** In a policy that tells too many roles apart. */
  readonly crowded: boolean;
}

/** A rule, after what it needs declared. */
export function ruleSection(policyKey: string, rule: Rule, names: RuleNames, module: ModuleContext): Section {
  return {
    text: module.withDeclarations(() => ruleDeclaration(rule, names, module)),
    origin: { rule: `${policyKey}#${rule.name}`, span: rule.span },
  };
}

/** A rule as data with its functions side by side: `when` decides; `where`, the filter it leaves, stands below it (design 6.3). */
function ruleDeclaration(rule: Rule, names: RuleNames, module: ModuleContext): string {
  const { condition, inverted } = rule;
  const everyone = rule.roles[0] === '*';
  const object = objectDoc([
    ['name', quote(rule.name)],
    ['effect', rule.effect === 'allow' ? 'ALLOW' : 'DENY'],
    ['roles', names.roles],
    ['among', names.crowded && !everyone ? bracketed('matchesAny(', texts(rule.roles), ')') : undefined],
    ['reaches', reachesDoc(rule)],
    ['derivedRole', names.derivedRole],
    ['when', whenFunction({ condition, derivedRole: names.derivedRole, inverted }, module)],
    ['output', rule.output && outputDoc(rule.output, module)],
    ['rows', rule.output && bracketed('rowsOf(', [bracketed('[', texts(rule.actions), ']'), bracketed('[', texts(rule.roles), ']')], ')')],
    ['memo', rule.memo && quote(rule.memo)],
  ]);
  const declaration = `const ${names.own}: Rule = `;
  return `${describeRule(rule)}\n${print([declaration, object, ';'])}`;
}

/** The two outputs of a rule. */
export function outputDoc(output: Output, module: ModuleContext): Doc {
  return objectDoc([
    ['ruleActivated', output.ruleActivated && outputFunction(output.ruleActivated, module)],
    ['conditionNotMet', output.conditionNotMet && outputFunction(output.conditionNotMet, module)],
  ]);
}

/** Only a rule with a glob can reach what no table names. */
function reachesDoc(rule: Rule): Doc | undefined {
  if (rule.resource?.includes('*')) return bracketed('reaches(', texts([rule.resource, ...rule.actions]), ')');
  if (rule.actions.some((action) => action.includes('*'))) return bracketed('matchesAny(', texts(rule.actions), ')');
  return undefined;
}
