import type { PrincipalModule } from '../ir/program.js';
import { exported, mention, printed } from './doc.js';
import type { ModuleContext } from './module-context.js';
import { camelCase } from './names.js';
import { objectDoc } from './object.js';
import { quoted } from './quote.js';
import type { PolicySections } from './filters.js';
import { ANYONE } from './role-bits.js';
import { conditionalRules, type RuleNames, ruleSection } from './rule.js';
import { listUnlessEmpty, scopeDocs } from './tables.js';
import { tracedKeys } from '../ir/traced-keys.js';

/** A principal policy and its rules. */
export function principalSections(module: PrincipalModule, exportName: string, context: ModuleContext): PolicySections {
  const ruleNames = module.rules.map((rule) => context.names.fresh(camelCase(rule.name, 'rule')));
  const traced = tracedKeys(module.key, module.rules);
  const names = module.rules.map(
    (_, index): RuleNames => ({
      own: ruleNames[index] as string,
      shared: undefined,
      derivedRole: undefined,
      activeRole: undefined,
      roles: ANYONE,
      crowded: false,
      sharesBits: false,
      traced: traced[index] as string,
    }),
  );
  const rules = module.rules.map((rule, index) => ruleSection(module.key, rule, names[index] as RuleNames, context));
  const policy = objectDoc([
    ['principal', quoted(module.principal)],
    ...scopeDocs(module),
    ['overridesParent', module.overridesParent ? undefined : 'false'],
    ['rules', listUnlessEmpty(ruleNames)],
    ['readsRuntime', module.readsRuntime ? 'true' : undefined],
  ]);
  const sections = [
    ...rules,
    printed([exported(exportName, false), ' = ', mention('principalPolicy'), '(', policy, ');']),
  ];
  return { sections, conditionals: conditionalRules(module.key, module.rules, names) };
}
