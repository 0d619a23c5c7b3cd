import type { RuleOrigin, Section } from '../ir/emitted-file.js';
import type { RoleModule, RoleRule } from '../ir/program.js';
import { describeRoleRule } from './describe.js';
import { bracketed, type Doc, exported, hardLine, mention, printed } from './doc.js';
import { whenFunction } from './functions.js';
import type { ModuleContext } from './module-context.js';
import { camelCase } from './names.js';
import { objectDoc, shortObjectDoc } from './object.js';
import { quoted } from './quote.js';
import type { PolicySections } from './filters.js';
import { outputDoc } from './rule.js';
import { listUnlessEmpty, scopeDocs, texts } from './tables.js';

/** A role policy: the most that its role may do. */
export function roleSections(module: RoleModule, exportName: string, context: ModuleContext): PolicySections {
  const names = module.rules.map((rule, index) =>
    context.names.fresh(camelCase(rule.name, `rule${String(index + 1).padStart(3, '0')}`)),
  );
  const rules = module.rules.map(
    (rule, index): Section => ({
      ...context.withDeclarations(() => roleRuleDeclaration(module.role, rule, names[index] as string, context)),
      origin: makeOrigin(module, rule, index),
    }),
  );
  const policy = objectDoc([
    ['role', quoted(module.role)],
    ...scopeDocs(module),
    ['parentRoles', listUnlessEmpty(texts(module.parentRoles))],
    ['rules', listUnlessEmpty(names)],
    ['readsRuntime', module.readsRuntime ? 'true' : undefined],
  ]);
  const sections = [...rules, printed([exported(exportName, false), ' = ', mention('rolePolicy'), '(', policy, ');'])];
  const conditionals = module.rules.flatMap((rule, index) => {
    const { condition } = rule;
    if (condition === undefined) return [];
    const origin = makeOrigin(module, rule, index);
    return [{ name: names[index] as string, condition, inverted: false, shared: undefined, origin }];
  });
  return { sections, conditionals };
}

function makeOrigin({ key }: RoleModule, { name, span }: RoleRule, index: number): RuleOrigin {
  return { rule: `${key}#${name === '' ? index : name}`, span };
}

function roleRuleDeclaration(role: string, rule: RoleRule, name: string, context: ModuleContext): Doc {
  const condition = rule.condition && { condition: rule.condition, inverted: false };
  const declared = condition === undefined || context.checksOnly ? `const ${name}` : exported(name, true);
  const isPlain = condition === undefined && rule.output === undefined;
  const object = (isPlain ? shortObjectDoc : objectDoc)([
    ['name', quoted(rule.name)],
    ['covers', bracketed([mention('matchesAny'), '('], texts([rule.resource]), ')')],
    ['allows', allows(rule.allowActions)],
    ['when', condition && whenFunction(condition, context)?.doc],
    ['output', rule.output && outputDoc(rule.output, context)],
  ]);
  return [describeRoleRule(role, rule), hardLine, declared, ': ', mention('RoleRule'), ' = ', object, ';'];
}

/** An allowed action is always both itself and a glob (docs/spec/policy-language.md#where-a-string-is-a-glob). */
function allows(actions: readonly string[]): Doc {
  const matchers = actions.map((action): Doc => [mention('literalAndGlob'), '(', quoted(action), ')']);
  return matchers.length === 1 ? (matchers[0] as Doc) : bracketed([mention('anyOf'), '(['], matchers, '])');
}
