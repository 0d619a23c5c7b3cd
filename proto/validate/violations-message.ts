import type { FieldElement, Violation } from './violation.js';

/** `validation error: PATH: TEXT`, or all of them, a line each. */
export function violationsMessage(violations: readonly Violation[]): string {
  const lines = violations.map((violation) => {
    const path = pathText(violation.field);
    return path === '' ? violation.rule.message : `${path}: ${violation.rule.message}`;
  });
  if (lines.length === 1) return `validation error: ${lines[0]}`;
  return `validation errors:${lines.map((line) => `\n - ${line}`).join('')}`;
}

function pathText(path: readonly FieldElement[]): string {
  return path.map((element) => element.name + subscript(element)).join('.');
}

function subscript(element: FieldElement): string {
  if (element.index !== undefined) return `[${element.index}]`;
  if (element.key !== undefined) return `[${JSON.stringify(element.key)}]`;
  return '';
}
