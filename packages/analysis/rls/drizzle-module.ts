import { digest } from './names.js';
import type { Protection, TablePolicy, TableProtection } from './protection.js';

/**
 * A module of TypeScript with the policies of each table, for the schema of Drizzle. Functions, grants and FORCE are not part
 * of a schema: they are in a script of their own, which runs first.
 */
export function drizzleModule({ tables, roles }: Protection): string {
  const names = new Map(roles.filter((role) => role !== 'PUBLIC').map((role) => [role, makeName(role, 'Role')]));
  return [
    '// Row level security, made by authzc rls. Do not edit: change the policies or the tables, and make it again.',
    "import { sql } from 'drizzle-orm';",
    `import { pgPolicy${names.size > 0 ? ', pgRole' : ''} } from 'drizzle-orm/pg-core';`,
    '',
    ...[...names].map(([role, name]) => `const ${name} = pgRole(${quoted(role)}).existing();`),
    ...tables.flatMap((table) => ['', ...tableLines(table, names)]),
    '',
  ].join('\n');
}

function tableLines({ kind, name, roles, policies }: TableProtection, names: ReadonlyMap<string, string>): string[] {
  const to = roles.map((role) => names.get(role) ?? quoted('public')).join(', ');
  return [
    `/** For the extras of the table of \`${name.replaceAll('*/', '* /').replace(/[\n\r\u2028\u2029]/g, ' ')}\`. */`,
    `export const ${makeName(kind, 'Policies')} = [`,
    ...policies.flatMap((policy) => policyLines(policy, to)),
    '];',
  ];
}

function policyLines({ name, command, using, check }: TablePolicy, to: string): string[] {
  return [
    `  pgPolicy(${quoted(name)}, {`,
    "    as: 'permissive',",
    `    for: ${quoted(command)},`,
    `    to: [${to}],`,
    ...(using === undefined ? [] : [`    using: sql\`${templateText(using)}\`,`]),
    ...(check === undefined ? [] : [`    withCheck: sql\`${templateText(check)}\`,`]),
    '  }),',
  ];
}

/** `leave-request` as `leaveRequestPolicies`; names that would be alike have some digits of a hash. */
function makeName(text: string, ending: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const [first = '', ...others] = words;
  const joined = [first, ...others.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)].join('');
  const isPlain = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(text);
  const start = /^[0-9]|^$/.test(joined) ? `of${joined}` : joined;
  return isPlain ? `${start}${ending}` : `${start}${digest(text).slice(0, 6)}${ending}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/[\n\r\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

function templateText(text: string): string {
  return text.replace(/[\\`]|\$\{/g, '\\$&').replaceAll('\r', '\\r');
}
