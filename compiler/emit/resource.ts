import type { Section } from '../ir/emitted-file.js';
import type { ResourceModule, RoleBits, Rule } from '../ir/program.js';
import { bracketed, type Doc, print } from './doc.js';
import type { ModuleContext } from './module-context.js';
import { camelCase, constantCase } from './names.js';
import { objectDoc } from './object.js';
import { quote } from './quote.js';
import { ruleSection } from './rule.js';
import { schemasDoc, type UsedSchemas } from './schemas.js';
import { actionTableDocs, mapDoc } from './tables.js';

/**
 * A resource policy: its roles as bits, its rules, the rules each action reaches.
 *
 * @param roleNames the identifier of each derived role, as imported.
 */
export function resourceSections(
  module: ResourceModule,
  exportName: string,
  context: ModuleContext,
  { roleNames, schemas }: { readonly roleNames: (module: string, role: string) => string; readonly schemas: UsedSchemas },
): readonly Section[] {
  const bits = bitNames(module.roles, context);
  const ruleNames = module.rules.map((rule) => context.names.fresh(identifierOf(rule, module.rules)));
  const rules = module.rules.map((rule, index) =>
    ruleSection(
      module.key,
      rule,
      {
        own: ruleNames[index] as string,
        derivedRole: rule.derivedRole && roleNames(rule.derivedRole.module, rule.derivedRole.name),
        roles: rolesOf(rule.roles, bits),
        crowded: module.roles.crowded,
      },
      context,
    ),
  );
  const table = actionTableDocs(module.table, ruleNames);
  const policy = objectDoc([
    ['key', quote(module.key)],
    ['kind', quote(module.kindName)],
    ['version', quote(module.version)],
    ['scope', quote(module.scope)],
    ['overridesParent', String(module.overridesParent)],
    ['roles', mapDoc(module.roles.literals.map(({ role }) => [role, bits.all.get(role) as string]))],
    ['roleGlobs', bracketed('[', module.roles.globs.map(({ pattern }): Doc => `{ matches: glob(${quote(pattern)}), bits: ${bits.own.get(pattern)} }`), ']')],
    ['reach', reachOf(module.rules, bits)],
    ['actions', table.actions],
    ['otherActions', table.otherActions],
    ['derivedRoles', bracketed('[', module.derivedRoles.map((role) => roleNames(role.module, role.name)), ']')],
    ['hasOutputs', String(module.rules.some(({ output }) => output !== undefined))],
    ['readsRuntime', String(module.readsRuntime)],
    ['schemas', schemasDoc(module.schemas, schemas)],
  ]);
  return [
    ...(bits.text === '' ? [] : [{ text: bits.text }]),
    ...rules,
    { text: print([`export const ${exportName}: ResourcePolicy = `, policy, ';']) },
  ];
}

/** The name of each role's bit, and the declarations of those names. */
interface BitNames {
  readonly text: string;
  /** A role or glob text -> its own bit. */
  readonly own: ReadonlyMap<string, string>;
  /** A role -> all its bits: its own and those of the globs that match it. */
  readonly all: ReadonlyMap<string, string>;
}

function bitNames({ literals, globs }: RoleBits, context: ModuleContext): BitNames {
  const own = new Map<string, string>();
  const named = new Map<number, string>();
  const lines: string[] = [];
  for (const { text, bit } of [...literals.map(({ role, bit }) => ({ text: role, bit })), ...globs.map(({ pattern, bit }) => ({ text: pattern, bit }))]) {
    const known = named.get(bit);
    if (known !== undefined) {
      own.set(text, known);
      continue;
    }
    const name = context.names.fresh(constantCase(text.replaceAll('*', ' ANY '), 'ROLE'));
    named.set(bit, name);
    own.set(text, name);
    lines.push(`const ${name} = 1 << ${Math.log2(bit)};`);
  }
  const all = new Map(
    literals.map(({ role, bit, alsoGlobs }) => [role, [...new Set([bit, ...alsoGlobs])].map((other) => named.get(other)).join(' | ')]),
  );
  const text = lines.length === 0 ? '' : `// The roles this policy tells apart, a bit each; \`*\` reaches every role.\n${lines.join('\n')}`;
  return { text, own, all };
}

function rolesOf(roles: readonly string[], bits: BitNames): string {
  if (roles[0] === '*') return 'ANYONE';
  return [...new Set(roles.map((role) => bits.own.get(role)))].join(' | ');
}

function reachOf(rules: readonly Rule[], bits: BitNames): string {
  if (rules.some((rule) => rule.roles[0] === '*')) return 'ANYONE';
  const names = new Set(rules.flatMap((rule) => rule.roles.map((role) => bits.own.get(role))));
  return names.size === 0 ? '0' : [...names].join(' | ');
}

/** `owners`; a rule for plain and derived roles is several: `edit`, `editAsOwner`. */
function identifierOf(rule: Rule, rules: readonly Rule[]): string {
  const name = camelCase(rule.name, 'rule');
  const several = rules.filter((other) => other.name === rule.name).length > 1;
  return several && rule.derivedRole !== undefined ? `${name}As${camelCase(rule.derivedRole.name, 'role').replace(/^./, (first) => first.toUpperCase())}` : name;
}
