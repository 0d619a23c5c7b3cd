import type { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Code, MessageParameters } from '../diagnostics/messages.js';
import type { Source } from '../diagnostics/source.js';
import type { Place } from '../diagnostics/span.js';
import type { Field, Rule } from './schema/field.js';
import type { ListValue, ObjectValue, Value } from './schema/value.js';

/**
 * Structural validation (policy-language.md 2.4 phase 2, 12.3): reports every violation, sorted by line, column and path,
 * those of absent fields last. Returns whether there was none.
 */
export function validateStructure(document: ObjectValue, source: Source, report: Diagnostics): boolean {
  const violations: Violation[] = [];
  validateObject(document, '', violations);
  violations.sort(byPlace);
  for (const { place, reportTo } of violations) reportTo(report, place ?? source);
  return violations.length === 0;
}

interface Violation {
  readonly field: string;
  readonly place: Place | undefined;
  readonly reportTo: (report: Diagnostics, target: Place | Source) => void;
}

function byPlace(a: Violation, b: Violation): number {
  const last = Number.POSITIVE_INFINITY;
  const order = (a.place?.anchor ?? last) - (b.place?.anchor ?? last);
  if (order !== 0 && !Number.isNaN(order)) return order;
  return a.field < b.field ? -1 : a.field > b.field ? 1 : 0;
}

function violation<C extends Code>(code: C, place: Place | undefined, parameters: MessageParameters<C> & { readonly field: string }): Violation {
  return { field: parameters.field, place, reportTo: (report, target) => report.add(code, target, parameters) };
}

function validateObject(object: ObjectValue, path: string, violations: Violation[]): void {
  const prefix = path === '' ? '' : `${path}.`;
  for (const field of object.type.fields) validateField(field, object, `${prefix}${field.name}`, violations);
  for (const { name, of } of object.type.alternatives) {
    if (of.some((alternative) => object.fields.has(alternative))) continue;
    violations.push(violation('policy/alternative-missing', undefined, { field: `${prefix}${name}` }));
  }
}

function validateField(field: Field, object: ObjectValue, path: string, violations: Violation[]): void {
  const present = object.fields.get(field.name);
  const isRequired = field.rules.some(({ rule }) => rule === 'required');
  if (present === undefined || (isRequired && isZero(present.value))) {
    if (isRequired) violations.push(violation('policy/required', present?.place, { field: path }));
    return;
  }
  validateValue(present.value, field.rules, path, present.place, violations);
  if (field.kind.kind === 'list' && present.value.kind === 'list') validateItems(present.value, field.kind.itemRules, path, violations);
  if (present.value.kind === 'object') validateObject(present.value, path, violations);
}

function isZero(value: Value): boolean {
  switch (value.kind) {
    case 'text':
      return value.text === '';
    case 'number':
      return value.number === 0;
    case 'list':
      return value.items.length === 0;
    case 'bool':
    case 'json':
    case 'map':
    case 'object':
      return false;
  }
}

function validateItems(list: ListValue, rules: readonly Rule[], path: string, violations: Violation[]): void {
  for (const [index, { value, place }] of list.items.entries()) {
    validateValue(value, rules, `${path}[${index}]`, place, violations);
    if (value.kind === 'object') validateObject(value, `${path}[${index}]`, violations);
  }
}

function validateValue(value: Value, rules: readonly Rule[], field: string, place: Place, violations: Violation[]): void {
  for (const rule of rules) {
    const broken = brokenRule(value, rule, field, place);
    if (broken !== undefined) violations.push(broken);
  }
}

function brokenRule(value: Value, rule: Rule, field: string, place: Place): Violation | undefined {
  switch (rule.rule) {
    case 'required':
      return undefined;
    case 'not-empty':
      return value.kind === 'text' && value.text === '' ? violation('policy/empty-item', place, { field }) : undefined;
    case 'unique':
      return value.kind === 'list' && repeats(value) ? violation('policy/repeated-item', place, { field }) : undefined;
    case 'pattern':
      if (value.kind !== 'text' || rule.pattern.accepts.test(value.text)) return undefined;
      return violation('policy/pattern', place, { field, pattern: rule.pattern.text });
    case 'equals':
      if (value.kind !== 'text' || value.text === rule.text) return undefined;
      return violation('policy/exact-text', place, { field, text: rule.text });
    case 'among':
      if (value.kind !== 'number' || rule.choices.has(value.number)) return undefined;
      return violation('policy/enum-choice', place, { field, names: [...rule.choices.values()].sort() });
  }
}

function repeats(list: ListValue): boolean {
  const seen = new Set<string>();
  for (const { value } of list.items) {
    if (value.kind !== 'text') continue;
    if (seen.has(value.text)) return true;
    seen.add(value.text);
  }
  return false;
}
