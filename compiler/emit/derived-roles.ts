import type { Section } from '../ir/emitted-file.js';
import type { DerivedRole, DerivedRolesModule } from '../ir/program.js';
import { readsVariables, valuesOf } from '../ir/visit.js';
import { describeDerivedRole } from './describe.js';
import { bracketed, print } from './doc.js';
import { whenFunction, whereFunction } from './functions.js';
import { LISTED, type ModuleContext } from './module-context.js';
import { objectDoc } from './object.js';
import { quote } from './quote.js';
import { texts } from './tables.js';

/** A set of derived roles, each a constant that the policies which name it import. */
export function derivedRolesSections(
  module: DerivedRolesModule,
  names: ReadonlyMap<string, string>,
  context: ModuleContext,
): readonly Section[] {
  return module.definitions.map((role) => ({
    text: context.withDeclarations(() => declaration(module, role, names.get(role.name) as string, context)),
    origin: { rule: `${module.key}#${role.name}`, span: role.span },
  }));
}

function declaration(module: DerivedRolesModule, role: DerivedRole, name: string, context: ModuleContext): string {
  const applies = { condition: role.condition, derivedRole: undefined, inverted: false };
  const isListedApart = valuesOf(role.condition).some(readsVariables);
  const object = objectDoc([
    ['set', quote(module.name)],
    ['name', quote(role.name)],
    ['parentRoles', bracketed('[', texts(role.parentRoles), ']')],
    ['when', whenFunction(applies, context)],
    ['where', whereFunction(applies, context)],
    ['whenListed', isListedApart ? whenFunction(applies, context, LISTED) : undefined],
    ['whereListed', isListedApart ? whereFunction(applies, context, LISTED) : undefined],
  ]);
  return `${describeDerivedRole(role)}\n${print([`export const ${name} = derivedRole(`, object, ');'])}`;
}
