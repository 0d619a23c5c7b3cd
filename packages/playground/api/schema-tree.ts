import { element } from '../dom.js';
import { at, toItems, type Json, toMembers, textOf } from '../json.js';

/** Replaces a reference within the document by what it refers to. */
export type Resolve = (value: Json) => Json;

export function createResolver(document: Json): Resolve {
  const resolve: Resolve = (value) => {
    const reference = textOf(at(value, ['$ref']));
    if (!reference.startsWith('#/')) return value;
    const steps = reference
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    return at(document, steps) ?? value;
  };
  return resolve;
}

export interface SchemaTreeOptions {
  readonly resolve: Resolve;
  readonly isRequired?: boolean;
  /** Replaces the description of the schema. */
  readonly description?: string;
  readonly isOpen?: boolean;
}

/** A schema as a line, with its fields below it: those are made when they are opened, as messages contain each other. */
export function schemaTree(
  name: string,
  schema: Json,
  { resolve, isRequired = false, description, isOpen = false }: SchemaTreeOptions,
): HTMLElement {
  const resolved = resolve(schema);
  const facts = [typeText(schema, resolve), ...constraintTexts(schema, resolved), ...(isRequired ? ['required'] : [])];
  const line = [
    ...(name === '' ? [] : [element('span', { class: 'variable' }, name), ' ']),
    element('span', { class: 'operator' }, facts.filter((fact) => fact !== '').join(', ')),
    element('span', { class: 'meaning' }, ` ${description ?? describedBy(schema, resolved)}`),
  ];
  const fields = (): readonly HTMLElement[] => renderFields(resolved, resolve);
  if (!hasFields(resolved, resolve)) return element('span', {}, ...line);
  const list = element('ul', {}, ...(isOpen ? fields() : []));
  const details = element('details', { open: isOpen }, element('summary', {}, ...line), list);
  details.addEventListener('toggle', () => {
    if (details.open && list.childElementCount === 0) list.append(...fields());
  });
  return details;
}

function describedBy(schema: Json, resolved: Json): string {
  return textOf(at(schema, ['description'])) || textOf(at(resolved, ['description']));
}

/** The object that a schema is about: for a list or a map, that of its items. */
function objectIn(schema: Json, resolve: Resolve): Json {
  const inner = at(schema, ['items']) ?? at(schema, ['additionalProperties']);
  return inner === undefined || typeof inner === 'boolean' ? schema : objectIn(resolve(inner), resolve);
}

const CHOICES = ['oneOf', 'anyOf'] as const;

function listChoices(schema: Json): readonly Json[] {
  return CHOICES.flatMap((choice) => toItems(at(schema, [choice])));
}

function hasFields(schema: Json, resolve: Resolve): boolean {
  const object = objectIn(schema, resolve);
  return (
    toMembers(at(object, ['properties'])).length > 0 ||
    listChoices(object).some((one) => hasFields(resolve(one), resolve))
  );
}

function renderFields(schema: Json, resolve: Resolve): readonly HTMLElement[] {
  const object = objectIn(schema, resolve);
  const required = toItems(at(object, ['required']));
  const item = (name: string, field: Json, isRequired: boolean): HTMLElement =>
    element('li', {}, schemaTree(name, field, { resolve, isRequired }));
  const properties = toMembers(at(object, ['properties']));
  if (properties.length > 0) return properties.map(([name, field]) => item(name, field, required.includes(name)));
  return listChoices(object).map((choice) => item('or', choice, false));
}

/** `list of ResourceEntry` */
function typeText(schema: Json, resolve: Resolve): string {
  const reference = textOf(at(schema, ['$ref']));
  if (reference !== '') {
    const resolved = resolve(schema);
    const own = typeText(resolved, resolve);
    return own === 'object' ? (reference.split(/[./]/).at(-1) ?? '') : own;
  }
  const items = at(schema, ['items']);
  if (items !== undefined) return `list of ${typeText(items, resolve)}`;
  const values = at(schema, ['additionalProperties']);
  if (values !== undefined && typeof values !== 'boolean') return `map of ${typeText(values, resolve) || 'any'}`;
  const allowed = toItems(at(schema, ['enum']));
  if (allowed.length > 0) return allowed.map((value) => JSON.stringify(value)).join(' | ');
  const choices = listChoices(schema);
  if (choices.length > 0) return [...new Set(choices.map((choice) => typeText(choice, resolve)))].join(' | ');
  const type = at(schema, ['type']);
  return Array.isArray(type) ? type.join(' | ') : textOf(type) || 'any';
}

const CONSTRAINTS = [
  ['format', textOf],
  ['minLength', (value: Json) => `at least ${counted(value, 'character')}`],
  ['maxLength', (value: Json) => `at most ${counted(value, 'character')}`],
  ['minimum', (value: Json) => `at least ${JSON.stringify(value)}`],
  ['maximum', (value: Json) => `at most ${JSON.stringify(value)}`],
  ['minItems', (value: Json) => `at least ${counted(value, 'item')}`],
  ['maxItems', (value: Json) => `at most ${counted(value, 'item')}`],
  ['uniqueItems', (value: Json) => (value === true ? 'unique items' : '')],
  ['minProperties', (value: Json) => `at least ${counted(value, 'member')}`],
  ['pattern', (value: Json) => `matches ${textOf(value)}`],
  ['deprecated', (value: Json) => (value === true ? 'deprecated' : '')],
] as const;

function constraintTexts(schema: Json, resolved: Json): readonly string[] {
  return CONSTRAINTS.flatMap(([name, text]) => {
    const value = at(schema, [name]) ?? at(resolved, [name]);
    return value === undefined ? [] : [text(value)];
  });
}

function counted(count: Json, noun: string): string {
  return `${JSON.stringify(count)} ${noun}${count === 1 ? '' : 's'}`;
}
