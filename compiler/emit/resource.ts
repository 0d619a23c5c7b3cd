import type { Section } from '../ir/emitted-file.js';
import type { ResourceModule, Rule } from '../ir/program.js';
import { type Doc, print } from './doc.js';
import type { ModuleContext } from './module-context.js';
import { camelCase, upperFirst } from './names.js';
import { objectDoc } from './object.js';
import { quote } from './quote.js';
import { roleBitNames } from './role-bits.js';
import { ruleSection } from './rule.js';
import { schemasDoc, type UsedSchemas } from './schemas.js';
import { severalTimes } from './several.js';
import { actionTableDocs, listUnlessEmpty, mapUnlessEmpty, scopeDocs } from './tables.js';
import { tracedKeys } from './traced-keys.js';

/**
 * A resource policy: its roles as bits, its rules, the rules each action reaches.
 *
 * @param roleNames the identifier of each derived role, as imported.
 */
export function resourceSections(
  module: ResourceModule,
  exportName: string,
  context: ModuleContext,
  {
    roleNames,
    schemas,
  }: { readonly roleNames: (module: string, role: string) => string; readonly schemas: UsedSchemas },
): readonly Section[] {
  const bits = roleBitNames(module.roles, context);
  const several = severalTimes(module.rules);
  const traced = tracedKeys(module.key, module.rules);
  const ruleNames = module.rules.map((rule) => context.names.fresh(identifierOf(rule, several.has(rule.name))));
  const rules = module.rules.map((rule, index) =>
    ruleSection(
      module.key,
      rule,
      {
        own: ruleNames[index] as string,
        shared: several.has(rule.name) ? camelCase(rule.name, 'rule') : undefined,
        derivedRole: rule.derivedRole && roleNames(rule.derivedRole.module, rule.derivedRole.name),
        roles: bits.of([rule]),
        crowded: module.roles.crowded,
        traced: traced[index] as string,
      },
      context,
    ),
  );
  const table = actionTableDocs(module.table, ruleNames);
  const policy = objectDoc([
    ['kind', quote(module.kindName)],
    ...scopeDocs(module),
    ['overridesParent', module.overridesParent ? undefined : 'false'],
    ['roles', mapUnlessEmpty(module.roles.literals.map(({ role }) => [role, bits.all(role)]))],
    [
      'roleGlobs',
      listUnlessEmpty(
        module.roles.globs.map(
          ({ pattern }): Doc => `{ matches: glob(${quote(pattern)}), bits: ${bits.own(pattern)} }`,
        ),
      ),
    ],
    ['actions', table.actions],
    ['otherActions', table.otherActions],
    ['readsRuntime', module.readsRuntime ? 'true' : undefined],
    ['schemas', schemasDoc(module.schemas, schemas, context.checksOnly)],
  ]);
  return [
    ...(bits.declarations === undefined ? [] : [{ text: bits.declarations }]),
    ...rules,
    { text: print([`export const ${exportName} = resourcePolicy(`, policy, ');']) },
  ];
}

/** `owners`; a rule for plain and derived roles is several: `edit`, `editAsOwner`. */
function identifierOf(rule: Rule, isOneOfSeveral: boolean): string {
  const name = camelCase(rule.name, 'rule');
  return isOneOfSeveral && rule.derivedRole !== undefined
    ? `${name}As${upperFirst(camelCase(rule.derivedRole.name, 'role'))}`
    : name;
}
