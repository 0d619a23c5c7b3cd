import type {
  ActionTable,
  DerivedRole,
  Match,
  Module,
  Output,
  PrincipalModule,
  Program,
  ResourceModule,
  RoleModule,
  RoleRule,
  Rule,
} from '../../compiler/ir/program.js';
import type { Literal, Value } from '../../compiler/ir/value.js';
import { parts } from '../../compiler/ir/visit.js';

/**
 * Prints a program: the policies with every name resolved. For golden files; equal programs produce
 * equal output.
 */
export function printProgram(program: Program): string {
  return program.modules.map(printModule).join('\n');
}

/** Prints one module, with a final line break. */
function printModule(module: Module): string {
  const head = `${module.kind} ${module.key}   from ${module.sourcePath}`;
  const bindings = [
    ...module.constants.map(({ name, value }) => `constant ${name} = ${JSON.stringify(value)}`),
    ...module.variables.map(({ name, value }) => `variable ${name} = ${printValue(value)}`),
  ];
  return `${[head, ...indented([...bindings, ...printBody(module)])].join('\n')}\n`;
}

/** Prints a value: operators and calls in prefix form, with the names of the runtime's functions. */
export function printValue(value: Value): string {
  switch (value.kind) {
    case 'literal':
      return printLiteral(value);
    case 'field':
      return `${value.of}.${value.name}`;
    case 'part':
      return value.part;
    case 'variable':
      return `V.${value.name}`;
    case 'constant':
      return `C.${value.name}`;
    case 'global':
      return `G.${value.name}`;
    case 'local':
      return value.name;
    case 'is-set':
      return `isSet(${value.binding} ${value.name})`;
    case 'bindings':
      return value.of;
    case 'select':
      return `${printValue(value.operand)}.${name(value.name)}`;
    case 'optional-select':
      return `${printValue(value.operand)}.?${name(value.name)}`;
    case 'has':
      return `has(${printValue(value.operand)}.${name(value.name)})`;
    case 'index':
      return `${printValue(value.operand)}[${printValue(value.index)}]`;
    case 'optional-index':
      return `${printValue(value.operand)}[?${printValue(value.index)}]`;
    case 'operator':
      return `${value.operator}(${list(parts(value))})`;
    case 'call':
      return `${value.runtime}(${list(value.args)})`;
    case 'list':
      return `[${value.elements.map((element) => `${optionally(element.optional)}${printValue(element.value)}`).join(', ')}]`;
    case 'map': {
      const entries = value.entries.map(
        (entry) => `${optionally(entry.optional)}${printValue(entry.key)}: ${printValue(entry.value)}`,
      );
      return `{${entries.join(', ')}}`;
    }
    case 'type-name':
      return `type ${value.name}`;
    case 'macro': {
      const variables = `(${value.variables.join(', ')}) =>`;
      const functions = [value.predicate, value.body].flatMap((part) =>
        part === undefined ? [] : [`${variables} ${printValue(part)}`],
      );
      return `${value.runtime}(${[printValue(value.range), ...functions].join(', ')})`;
    }
  }
}

function printBody(module: Module): readonly string[] {
  switch (module.kind) {
    case 'resource':
      return [
        ...resourceFacts(module),
        ...module.rules.flatMap(printRule),
        ...printTable('actions', module.table, module.rules),
      ];
    case 'principal':
      return [...principalFacts(module), ...module.rules.flatMap(printRule), ...principalTables(module)];
    case 'role':
      return [...roleFacts(module), ...module.rules.flatMap(printRoleRule)];
    case 'derived-roles':
      return module.definitions.flatMap(printDerivedRole);
  }
}

function resourceFacts(module: ResourceModule): readonly string[] {
  const { roles, schemas } = module;
  return [
    `kind ${name(module.kindName)}, version ${module.version}, ${printScope(module)}`,
    ...roles.literals.map(
      ({ role, bit, alsoGlobs }) => `role ${name(role)} = ${[bit, ...alsoGlobs].map(printBit).join(' | ')}`,
    ),
    ...roles.globs.map(({ pattern, bit }) => `roles like ${name(pattern)} = ${printBit(bit)}`),
    ...(roles.crowded ? ['more roles than bits'] : []),
    ...(module.readsRuntime ? ['reads runtime'] : []),
    ...(module.readsPlace ? ['reads versions or scopes'] : []),
    ...Object.entries(schemas).flatMap(([of, schema]) =>
      schema === undefined ? [] : [`${of} schema ${schema.ref} unless [${schema.ignoredActions.join(', ')}]`],
    ),
  ];
}

function principalFacts(module: PrincipalModule): readonly string[] {
  return [
    `principal ${name(module.principal)}, version ${module.version}, ${printScope(module)}`,
    ...(module.readsRuntime ? ['reads runtime'] : []),
  ];
}

function roleFacts(module: RoleModule): readonly string[] {
  const parents = module.parentRoles.length === 0 ? '' : `, parents [${module.parentRoles.map(name).join(', ')}]`;
  return [
    `role ${name(module.role)}, version ${module.version}, scope ${scopeName(module.scope)}${parents}`,
    ...(module.readsRuntime ? ['reads runtime'] : []),
  ];
}

function printScope({ scope, overridesParent }: ResourceModule | PrincipalModule): string {
  return `scope ${scopeName(scope)}${overridesParent ? '' : ', allows need the parent'}`;
}

function scopeName(scope: string): string {
  return scope === '' ? '(root)' : scope;
}

function printRule(rule: Rule): readonly string[] {
  const who = rule.derivedRole === undefined ? '' : ` through ${rule.derivedRole.module}#${rule.derivedRole.name}`;
  const where = rule.resource === undefined ? '' : ` on ${name(rule.resource)}`;
  const head = `rule ${name(rule.name)}: ${rule.effect} [${rule.actions.map(name).join(', ')}]${where} to [${rule.roles.map(name).join(', ')}]${who}`;
  const memo = rule.memo === undefined ? [] : [`first result kept as ${name(rule.memo)}`];
  return [
    head,
    ...indented([
      ...printCondition(rule.condition, rule.inverted ? 'unless' : 'when'),
      ...printOutput(rule.output),
      ...memo,
    ]),
  ];
}

function printRoleRule(rule: RoleRule): readonly string[] {
  const head = `rule ${name(rule.name)}: at most [${rule.allowActions.map(name).join(', ')}] on ${name(rule.resource)}`;
  return [head, ...indented([...printCondition(rule.condition, 'when'), ...printOutput(rule.output)])];
}

function printDerivedRole(role: DerivedRole): readonly string[] {
  return [
    `derived role ${name(role.name)}: a [${role.parentRoles.map(name).join(', ')}]`,
    ...indented(printCondition(role.condition, 'when')),
  ];
}

function printCondition(condition: Match | undefined, joint: string): readonly string[] {
  if (condition === undefined) return [];
  return condition.kind === 'expr'
    ? [`${joint} ${printValue(condition.value)}`]
    : [joint, ...indented(printMatch(condition))];
}

function printMatch(match: Match): readonly string[] {
  return match.kind === 'expr'
    ? [printValue(match.value)]
    : [`${match.kind} of`, ...indented(match.of.flatMap(printMatch))];
}

function printOutput(output: Output | undefined): readonly string[] {
  if (output === undefined) return [];
  const { ruleActivated, conditionNotMet } = output;
  return [
    ...(ruleActivated === undefined ? [] : [`output when it holds: ${printValue(ruleActivated)}`]),
    ...(conditionNotMet === undefined ? [] : [`output when it does not: ${printValue(conditionNotMet)}`]),
  ];
}

function printTable(title: string, table: ActionTable, rules: readonly Rule[]): readonly string[] {
  const reached = (indexes: readonly number[]): string =>
    indexes.map((index) => name(rules[index]?.name ?? '')).join(', ');
  return [
    title,
    ...indented([
      ...table.actions.map((entry) => `${name(entry.action)}: ${reached(entry.rules)}`),
      `any other: ${reached(table.otherActions)}`,
    ]),
  ];
}

function principalTables(module: PrincipalModule): readonly string[] {
  const others = module.otherKinds.map((index) => name(module.rules[index]?.name ?? '')).join(', ');
  return [
    ...module.kinds.flatMap(({ kind, table }) => printTable(`actions on ${name(kind)}`, table, module.rules)),
    `on any other kind: ${others}`,
  ];
}

function printLiteral(literal: Literal): string {
  switch (literal.literal) {
    case 'int':
      return String(literal.value);
    case 'uint':
      return `${literal.value}u`;
    case 'double':
      return Number.isInteger(literal.value) ? literal.value.toFixed(1) : String(literal.value);
    case 'bytes':
      return `bytes[${literal.value.join(' ')}]`;
    case 'null':
    case 'bool':
    case 'string':
    case 'json':
      return JSON.stringify(literal.value);
  }
}

function printBit(bit: number): string {
  return `bit ${Math.log2(bit)}`;
}

/** Prints a name as it is if it is unambiguous; quoted otherwise. */
function name(text: string): string {
  return /^[\w.:*/@~+-]+$/.test(text) ? text : JSON.stringify(text);
}

function list(values: readonly Value[]): string {
  return values.map(printValue).join(', ');
}

function optionally(optional: boolean): string {
  return optional ? '?' : '';
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
