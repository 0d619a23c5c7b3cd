import type { Section } from '../ir/emitted-file.js';
import type { PrincipalModule } from '../ir/program.js';
import { type Doc, print } from './doc.js';
import type { ModuleContext } from './module-context.js';
import { camelCase } from './names.js';
import { objectDoc } from './object.js';
import { quote } from './quote.js';
import { ruleSection } from './rule.js';
import { actionTableDocs, mapUnlessEmpty, ruleList, scopeDocs } from './tables.js';
import { tracedKeys } from './traced-keys.js';

/** A principal policy: its rules, and for each kind they name the rules each action reaches. */
export function principalSections(
  module: PrincipalModule,
  exportName: string,
  context: ModuleContext,
): readonly Section[] {
  const ruleNames = module.rules.map((rule) => context.names.fresh(camelCase(rule.name, 'rule')));
  const traced = tracedKeys(module.key, module.rules);
  const rules = module.rules.map((rule, index) => {
    const names = { own: ruleNames[index] as string, traced: traced[index] as string };
    return ruleSection(
      module.key,
      rule,
      { ...names, shared: undefined, derivedRole: undefined, roles: 'ANYONE', crowded: false },
      context,
    );
  });
  const kinds = module.kinds.map(({ kind, table }): readonly [string, Doc] => {
    const { actions, otherActions } = actionTableDocs(table, ruleNames);
    return [
      kind,
      objectDoc([
        ['actions', actions],
        ['otherActions', otherActions],
      ]),
    ];
  });
  const policy = objectDoc([
    ['principal', quote(module.principal)],
    ...scopeDocs(module),
    ['overridesParent', module.overridesParent ? undefined : 'false'],
    ['kinds', mapUnlessEmpty(kinds)],
    ['otherKinds', ruleList(module.otherKinds, ruleNames)],
    ['readsRuntime', module.readsRuntime ? 'true' : undefined],
  ]);
  return [...rules, { text: print([`export const ${exportName} = principalPolicy(`, policy, ');']) }];
}
