import type { Details, Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Code, MessageParameters } from '../diagnostics/messages.js';
import type { Source } from '../diagnostics/source.js';
import type { Place } from '../diagnostics/span.js';
import { adviseAlternatives, adviseExactText, advisePattern, adviseRequired } from './advice.js';
import { Damage } from './repair.js';
import type { Field, Kind, Rule } from './schema/field.js';
import type { ListValue, MapValue, ObjectValue, Value } from './schema/value.js';

/**
 * Structural validation (docs/spec/policy-language.md#compilation-phases.3): reports every violation, sorted by line,
 * column and path, those of absent fields last, and adds their places to the damage. Returns whether there were none.
 */
export function validateStructure(
  document: ObjectValue,
  source: Source,
  report: Diagnostics,
  damage = new Damage(),
): boolean {
  const violations: Violation[] = [];
  addViolations(document, '', violations);
  violations.sort(byPlace);
  for (const { place, reportTo } of violations) {
    reportTo(report, place ?? source);
    if (place !== undefined) damage.add(place);
  }
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

/** @param near where the object is, unless it is the document: its author adds there what it lacks. */
function addViolations(object: ObjectValue, path: string, found: Violation[], near?: Place): void {
  const prefix = path === '' ? '' : `${path}.`;
  for (const field of object.type.fields) addViolationsOfField(field, object, prefix, found, near);
  for (const { name, of } of object.type.alternatives) {
    if (of.some((alternative) => object.fields.has(alternative))) continue;
    const notes = adviseAlternatives(of).map((note) => located(note, near));
    found.push(violation('policy/alternative-missing', undefined, { field: `${prefix}${name}` }, { notes }));
  }
}

function addViolationsOfField(
  field: Field,
  object: ObjectValue,
  prefix: string,
  found: Violation[],
  near: Place | undefined,
): void {
  const present = object.fields.get(field.name);
  const isRequired = field.rules.some(({ rule }) => rule === 'required');
  if (present === undefined && !isRequired) return;
  const path = `${prefix}${field.name}`;
  if (present === undefined || (isRequired && isZero(present.value))) {
    if (isRequired) {
      const notes = adviseRequired(path).map((note) => located(note, present === undefined ? near : undefined));
      found.push(violation('policy/required', present?.place, { field: path }, { notes }));
    }
    return;
  }
  addBrokenRules(present, field.rules, path, found);
  if (field.kind.kind === 'list' && present.value.kind === 'list')
    addViolationsOfItems(present.value, field.kind.itemRules, path, found);
  if (field.kind.kind === 'map' && present.value.kind === 'map')
    addViolationsOfEntries(present.value, field.kind, path, found);
  if (present.value.kind === 'object') addViolations(present.value, path, found, present.place);
}

/** The place of what is absent would be no place of the reference PDP, so it is in the note. */
function located(note: Note, place: Place | undefined): Note {
  return place === undefined ? note : { ...note, span: place.span };
}

function isZero(value: Value): boolean {
  switch (value.kind) {
    case 'text':
      return value.text === '';
    case 'number':
      return value.number === 0;
    case 'list':
      return value.items.length === 0;
    case 'map':
      return value.entries.length === 0;
    case 'bool':
    case 'json':
    case 'object':
      return false;
  }
}

function addViolationsOfItems(list: ListValue, rules: readonly Rule[], path: string, found: Violation[]): void {
  for (const [index, item] of list.items.entries()) {
    const field = `${path}[${index}]`;
    addBrokenRules(item, rules, field, found);
    if (item.value.kind === 'object') addViolations(item.value, field, found, item.place);
  }
}

function addViolationsOfEntries(
  map: MapValue,
  { valueRules, keyRules }: MapKind,
  path: string,
  found: Violation[],
): void {
  for (const { name, value, place } of map.entries) {
    const field = `${path}[${JSON.stringify(name.value)}]`;
    for (const { rule } of keyRules)
      if (rule === 'not-empty' && name.value === '') found.push(violation('policy/empty-item', name.place, { field }));
    addBrokenRules({ value, place }, valueRules, field, found);
    if (value.kind === 'object') addViolations(value, field, found, place);
  }
}

type MapKind = Extract<Kind, { readonly kind: 'map' }>;

interface Standing {
  readonly value: Value;
  readonly place: Place;
}

function addBrokenRules(standing: Standing, rules: readonly Rule[], field: string, found: Violation[]): void {
  for (const rule of rules) {
    const broken = brokenRule(standing, rule, field);
    if (broken !== undefined) found.push(broken);
  }
}

function brokenRule({ value, place }: Standing, rule: Rule, field: string): Violation | undefined {
  switch (rule.rule) {
    case 'required':
      return undefined;
    case 'not-empty':
      return value.kind === 'text' && value.text === '' ? violation('policy/empty-item', place, { field }) : undefined;
    case 'unique':
      return value.kind === 'list' && repeats(value) ? violation('policy/repeated-item', place, { field }) : undefined;
    case 'pattern':
      if (value.kind !== 'text' || rule.pattern.accepts.test(value.text)) return undefined;
      return violation(
        'policy/pattern',
        place,
        { field, pattern: rule.pattern.text },
        { notes: advisePattern(field, value.text) },
      );
    case 'equals':
      if (value.kind !== 'text' || value.text === rule.text) return undefined;
      return violation(
        'policy/exact-text',
        place,
        { field, text: rule.text },
        adviseExactText(value.text, rule.text, place),
      );
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

function violation<C extends Code>(
  code: C,
  place: Place | undefined,
  parameters: MessageParameters<C> & { readonly field: string },
  details: Details = {},
): Violation {
  return {
    field: parameters.field,
    place,
    reportTo: (report, target) => report.add(code, target, parameters, details),
  };
}
