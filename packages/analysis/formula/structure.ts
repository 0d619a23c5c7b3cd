import type { Module } from '../../../compiler/ir/program.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Value } from '../../../compiler/ir/value.js';
import { some } from '../../../compiler/ir/visit.js';

/**
 * The definitions of the variables and constants that values read; all of them where one reads `V` or `C` as a whole.
 */
export function listDefinitions(values: readonly Value[], { variables, constants }: Module): readonly string[] {
  const isRead = (kind: 'variable' | 'constant', name: string, within: readonly Value[]): boolean =>
    within.some((value) =>
      some(
        value,
        (part) =>
          part.kind === 'bindings' ||
          part.kind === 'part' ||
          (part.kind === kind && part.name === name) ||
          (part.kind === 'is-set' && part.binding === kind && part.name === name),
      ),
    );
  const read = [...values];
  const found: string[] = [];
  // A variable only reads variables before it.
  for (const variable of [...variables].reverse()) {
    if (!isRead('variable', variable.name, read)) continue;
    read.push(variable.value);
    found.push(
      JSON.stringify(['variable', variable.name, survives(variable.value.type), formatStructure(variable.value)]),
    );
  }
  for (const { name, value } of constants)
    if (isRead('constant', name, read)) found.push(JSON.stringify(['constant', name, exactText(value)]));
  return found;
}

/** Everything of a value but its types: equal texts are equal functions of a request, variables and constants. */
export function formatStructure(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'type' || key === 'expression') return undefined;
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part === 'number' && (Object.is(part, -0) || !Number.isFinite(part))) return `number ${part}`;
    // The names in it are the author's.
    if (isJsonLiteral(part)) return ['json', exactText(part.value)];
    return part;
  });
}

/** A JSON value as text, which tells 0 and -0 apart: divisions by them differ. */
export function exactText(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${value.map(exactText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${exactText(member)}`);
  return `{${members.join()}}`;
}

function isJsonLiteral(part: unknown): part is { readonly value: unknown } {
  return (
    typeof part === 'object' &&
    part !== null &&
    'kind' in part &&
    part.kind === 'literal' &&
    'literal' in part &&
    part.literal === 'json'
  );
}
