import type { FieldElement, Violation, Violations } from './violation.js';

/** `validation error: PATH: TEXT`, or a line for each violation and one that says how many more there are. */
export function violationsMessage({ first, count }: Violations): string {
  if (count === 1) return `validation error: ${lineOf(first[0] as Violation)}`;
  const lines = first.map(lineOf);
  if (count > first.length) lines.push(`and ${count - first.length} more`);
  return `validation errors:${lines.map((line) => `\n - ${line}`).join('')}`;
}

/** `PATH: TEXT`; without a path when the rule is about the whole request. */
export function lineOf({ field, rule }: Violation): string {
  const path = pathText(field);
  return path === '' ? rule.message : `${path}: ${rule.message}`;
}

function pathText(path: readonly FieldElement[]): string {
  return path.map((element) => element.name + subscript(element)).join('.');
}

function subscript(element: FieldElement): string {
  if (element.index !== undefined) return `[${element.index}]`;
  if (element.key !== undefined) return `[${JSON.stringify(element.key)}]`;
  return '';
}
