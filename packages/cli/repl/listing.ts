import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { conditionTree } from './condition-tree.js';
import type { LoadedPolicy } from './loaded-policy.js';
import { printValue } from './print-value.js';
import type { State } from './state.js';

/**
 * All named values, one per line: values as CEL, parts that were set as the JSON that sets them, variables of the
 * policy as written.
 */
export function listNames({ names, parts, variables, constants, globals, policy }: State): string {
  const set: readonly (readonly [string, object | undefined])[] = [
    ['P', setOf(parts.principal)],
    ['R', setOf(parts.resource)],
    ['request.auxData', setOf(parts.auxData)],
    ['C', constants],
    ['V', variables],
    ['G', setOf(globals)],
  ];
  const lines = [
    ...[...names].map(([name, value]) => `${name} = ${printValue(value)}`),
    ...set.flatMap(([name, value]) =>
      value === undefined || Object.keys(value).length === 0 ? [] : [`${name} = ${visibleJson(value)}`],
    ),
    ...(policy === undefined
      ? []
      : [
          ...(constants === undefined ? constantsOf(policy) : []),
          ...(variables === undefined ? variablesOf(policy) : []),
        ]),
  ];
  return textOf(lines);
}

/** The loaded policy: its id, its constants and variables, and its conditional rules. */
export function listPolicy(policy: LoadedPolicy): string {
  return `${textOf([`loaded ${visible(policy.key)}`, ...constantsOf(policy), ...variablesOf(policy)])}${listRules(policy)}`;
}

/** The conditional rules by number, with their conditions. */
export function listRules({ rules }: LoadedPolicy): string {
  if (rules.length === 0) return 'no rule has a condition\n';
  return textOf(
    rules.flatMap(({ title, condition }, index) => [
      `#${index} ${visible(title)}`,
      ...conditionTree(condition.match, undefined).map((line) => `   ${line}`),
    ]),
  );
}

function constantsOf({ constants }: LoadedPolicy): readonly string[] {
  return [...constants].map(([name, value]) => `C.${visible(name)} = ${visibleJson(value)}`);
}

function variablesOf({ variables }: LoadedPolicy): readonly string[] {
  return [...variables].map(([name, { text }]) => `V.${visible(name)} = ${visible(text.trim())}`);
}

/** The fields that have a value. */
function setOf(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== '' && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  );
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
