import type { RuleOrigin } from '../ir/emitted-file.js';
import type { DerivedRole, DerivedRolesModule } from '../ir/program.js';
import { readsVariables, listValues } from '../ir/visit.js';
import { describeDerivedRole } from './describe.js';
import { bracketed, type Doc, exported, hardLine, mention } from './doc.js';
import { whenFunction } from './functions.js';
import { LISTED, type ModuleContext } from './module-context.js';
import { objectDoc } from './object.js';
import { quoted } from './quote.js';
import type { PolicySections } from './filters.js';
import { texts } from './tables.js';

/** A set of derived roles, each a constant that policies import when they name it. */
export function derivedRolesSections(
  module: DerivedRolesModule,
  names: ReadonlyMap<string, string>,
  context: ModuleContext,
): PolicySections {
  const findName = ({ name }: DerivedRole): string => names.get(name) as string;
  const makeOrigin = ({ name, span }: DerivedRole): RuleOrigin => ({ rule: `${module.key}#${name}`, span });
  const sections = module.definitions.map((role) => ({
    ...context.withDeclarations(() => declaration(module, role, findName(role), context)),
    origin: makeOrigin(role),
  }));
  const conditionals = module.definitions.flatMap((role) => {
    const { condition } = role;
    if (condition === undefined) return [];
    return [{ name: findName(role), condition, inverted: false, shared: undefined, origin: makeOrigin(role) }];
  });
  return { sections, conditionals };
}

function declaration(module: DerivedRolesModule, role: DerivedRole, name: string, context: ModuleContext): Doc {
  const applies = { condition: role.condition, inverted: false };
  const isListedApart = listValues(role.condition).some(readsVariables);
  const object = objectDoc([
    ['set', quoted(module.name)],
    ['name', quoted(role.name)],
    ['parentRoles', bracketed('[', texts(role.parentRoles), ']')],
    ['when', whenFunction(applies, context)?.doc],
    ['whenListed', isListedApart ? whenFunction(applies, context, LISTED)?.doc : undefined],
  ]);
  const call: Doc = [mention('derivedRole'), '(', object, ');'];
  return [describeDerivedRole(role), hardLine, exported(name, false), ' = ', call];
}
