import type { DerivedRoleReference, ResourceModule, Rule } from '../ir/program.js';
import { decideDoc } from './decide.js';
import { type Doc, exported, mention, printed } from './doc.js';
import type { PolicySections } from './filters.js';
import type { ModuleContext } from './module-context.js';
import { camelCase, upperFirst } from './names.js';
import { objectDoc } from './object.js';
import { quoted } from './quote.js';
import { roleBitNames } from './role-bits.js';
import { conditionalRules, type RuleNames, ruleSection } from './rule.js';
import { schemasDoc, type UsedSchemas } from './schemas.js';
import { severalTimes } from './several.js';
import { listUnlessEmpty, mapUnlessEmpty, scopeDocs } from './tables.js';
import { tracedKeys } from '../ir/traced-keys.js';

/** The name of a derived role in a module, and whether it has a condition. */
export type RoleNames = (role: DerivedRoleReference) => { readonly name: string; readonly isConditional: boolean };

/**
 * A resource policy: its roles as bits, its rules, and `decide`.
 * @param roleNames the identifier of each derived role, as imported, and of each with a condition.
 */
export function resourceSections(
  module: ResourceModule,
  exportName: string,
  context: ModuleContext,
  { roleNames, schemas }: { readonly roleNames: RoleNames; readonly schemas: UsedSchemas },
): PolicySections {
  const bits = roleBitNames(module.roles, context);
  const { literals, globs } = module.roles;
  const sharesBits = new Set([...literals, ...globs].map(({ bit }) => bit)).size < literals.length + globs.length;
  const several = severalTimes(module.rules);
  const traced = tracedKeys(module.key, module.rules);
  const ruleNames = module.rules.map((rule) => context.names.fresh(nameRule(rule, several.has(rule.name))));
  const names = module.rules.map((rule, index): RuleNames => {
    const role = rule.derivedRole && roleNames(rule.derivedRole);
    return {
      own: ruleNames[index] as string,
      shared: several.has(rule.name) ? camelCase(rule.name, 'rule') : undefined,
      derivedRole: role?.name,
      activeRole: role?.isConditional ? role.name : undefined,
      roles: bits.of([rule]),
      crowded: module.roles.crowded,
      sharesBits,
      traced: traced[index] as string,
    };
  });
  const rules = module.rules.map((rule, index) => ruleSection(module.key, rule, names[index] as RuleNames, context));
  const decide = decideDoc(module, names, rules, context);
  const policy = objectDoc([
    ['kind', quoted(module.kindName)],
    ...scopeDocs(module),
    ['overridesParent', module.overridesParent ? undefined : 'false'],
    ['roles', mapUnlessEmpty(module.roles.literals.map(({ role }) => [role, bits.all(role)]))],
    [
      'roleGlobs',
      listUnlessEmpty(
        module.roles.globs.map(
          ({ pattern }): Doc => [
            '{ matches: ',
            mention('glob'),
            '(',
            quoted(pattern),
            `), bits: ${bits.own(pattern)} }`,
          ],
        ),
      ),
    ],
    ['rules', listUnlessEmpty(ruleNames)],
    ['decide', decide],
    ['readsPlace', decide !== undefined && module.readsPlace ? 'true' : undefined],
    ['readsRuntime', module.readsRuntime ? 'true' : undefined],
    ['schemas', schemasDoc(module.schemas, schemas, context.checksOnly)],
  ]);
  const sections = [
    ...(bits.declarations === undefined ? [] : [bits.declarations]),
    ...rules,
    printed([exported(exportName, false), ' = ', mention('resourcePolicy'), '(', policy, ');']),
  ];
  return { sections, conditionals: conditionalRules(module.key, module.rules, names) };
}

/** `owners`; a rule for plain and derived roles becomes several: `edit`, `editAsOwner`. */
function nameRule(rule: Rule, isOneOfSeveral: boolean): string {
  const name = camelCase(rule.name, 'rule');
  return isOneOfSeveral && rule.derivedRole !== undefined
    ? `${name}As${upperFirst(camelCase(rule.derivedRole.name, 'role'))}`
    : name;
}
