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
    ['P', omitEmpty(parts.principal)],
    ['R', omitEmpty(parts.resource)],
    ['request.auxData', omitEmpty(parts.auxData)],
    ['C', constants],
    ['V', variables],
    ['G', omitEmpty(globals)],
  ];
  const lines = [
    ...[...names].map(([name, value]) => `${name} = ${printValue(value)}`),
    ...set.flatMap(([name, value]) =>
      value === undefined || Object.keys(value).length === 0 ? [] : [`${name} = ${visibleJson(value)}`],
    ),
    ...(policy === undefined
      ? []
      : [
          ...(constants === undefined ? listConstants(policy) : []),
          ...(variables === undefined ? listVariables(policy) : []),
        ]),
  ];
  return joinLines(lines);
}

/** The loaded policy: its id, its constants and variables, and its conditional rules. */
export function listPolicy(policy: LoadedPolicy): string {
  return `${joinLines([`loaded ${visible(policy.key)}`, ...listConstants(policy), ...listVariables(policy)])}${listRules(policy)}`;
}

/** The conditional rules by number, with their conditions. */
export function listRules({ rules }: LoadedPolicy): string {
  if (rules.length === 0) return 'no rule has a condition\n';
  return joinLines(
    rules.flatMap(({ title, condition }, index) => [
      `#${index} ${visible(title)}`,
      ...conditionTree(condition.match, undefined).map((line) => `   ${line}`),
    ]),
  );
}

function listConstants({ constants }: LoadedPolicy): readonly string[] {
  return [...constants].map(([name, value]) => `C.${visible(name)} = ${visibleJson(value)}`);
}

function listVariables({ variables }: LoadedPolicy): readonly string[] {
  return [...variables].map(([name, { text }]) => `V.${visible(name)} = ${visible(text.trim())}`);
}

/** The fields that have a value. */
function omitEmpty(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== '' && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  );
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
