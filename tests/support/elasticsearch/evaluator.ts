/**
 * The part of the query DSL that our adapter writes, evaluated as the engine documents it. No engine can be had from npm
 * or Debian, so this stands for one: it knows nothing of the adapter, and refuses every other query.
 */

/** The types of the fields of an index; `nested` contains the fields of its objects, by their whole path. */
export type IndexMapping = {
  readonly [path: string]:
    | { readonly type: 'keyword'; readonly ignore_above?: number }
    | { readonly type: 'long' | 'double' | 'boolean' | 'date' }
    | { readonly type: 'nested' };
};

/** A document as it was indexed: each field has its values, in no order, and null is none. */
interface Indexed {
  readonly values: { readonly [path: string]: readonly Value[] };
  readonly nested: { readonly [path: string]: readonly Indexed[] };
}

type Value = string | number | boolean;
interface Json {
  readonly [name: string]: unknown;
}

/** Indexes a document. Throws for a value that the type of its field does not accept. */
export function indexed(source: Json, mapping: IndexMapping): Indexed {
  const values: { [path: string]: Value[] } = {};
  const nested: { [path: string]: Indexed[] } = {};
  const ignored: string[] = [];
  const visit = (path: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const element of value) visit(path, element);
      return;
    }
    const field = Object.hasOwn(mapping, path) ? mapping[path] : undefined;
    if (field?.type === 'nested') {
      const fields = Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [`${path}.${name}`, part]));
      nested[path] = [...(nested[path] ?? []), indexed(fields, mapping)];
      return;
    }
    if (typeof value === 'object') {
      for (const [name, part] of Object.entries(value)) visit(`${path}.${name}`, part);
      return;
    }
    if (field === undefined) throw new Error(`no field ${path}`);
    if (field.type === 'keyword' && field.ignore_above !== undefined && String(value).length > field.ignore_above) {
      ignored.push(path);
      return;
    }
    values[path] = [...(values[path] ?? []), valueOf(field.type, value as Value)];
  };
  for (const [name, value] of Object.entries(source)) visit(name, value);
  return { values: { ...values, ...(ignored.length > 0 && { _ignored: ignored }) }, nested };
}

/** A value as a field has it. A keyword accepts every scalar, and numbers accept digits. */
function valueOf(type: string, value: Value): Value {
  if (type === 'keyword') return String(value);
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false' || value === '') return value === 'true';
    throw new Error(`no boolean: ${value}`);
  }
  if (type === 'date') {
    if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value))
      throw new Error(`no date: ${value}`);
    return Date.parse(value);
  }
  const number = typeof value === 'boolean' || value === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw new Error(`no number: ${value}`);
  return type === 'long' ? Math.trunc(number) : number;
}

/** Whether a query selects a document. */
export function matches(query: Json, document: Indexed, mapping: IndexMapping): boolean {
  const entries = Object.entries(query);
  const [[kind, body]] = entries as [[string, Json]];
  if (entries.length !== 1) throw new Error(`a query has one type: ${Object.keys(query).join(', ')}`);
  const inner = (part: Json): boolean => matches(part, document, mapping);
  const values = (field: string): readonly Value[] => document.values[field] ?? [];
  const single = (): readonly [field: string, options: Json] => {
    const all = Object.entries(body);
    if (all.length !== 1) throw new Error(`${kind} has one field`);
    return all[0] as [string, Json];
  };
  switch (kind) {
    case 'match_all':
      return true;
    case 'match_none':
      return false;
    case 'bool':
      return isBool(body, inner);
    case 'exists':
      return values(body.field as string).length > 0;
    case 'term': {
      const [field, { value, case_insensitive: isAnyCase }] = single();
      if (isAnyCase !== undefined && mapping[field]?.type !== 'keyword') throw new Error(`the case of ${field}`);
      return values(field).some((one) =>
        isAnyCase === true
          ? lowered(one) === lowered(value as string)
          : isEqual(one, value as Value, mapping[field]?.type),
      );
    }
    case 'terms': {
      const [field, list] = single() as unknown as [string, readonly Value[]];
      if (!Array.isArray(list)) throw new Error('terms has a list');
      return values(field).some((one) => list.some((value) => isEqual(one, value, mapping[field]?.type)));
    }
    case 'range': {
      const [field, bounds] = single();
      return values(field).some((one) => isWithin(one, bounds, mapping[field]?.type));
    }
    case 'prefix': {
      const [field, { value, case_insensitive: isAnyCase }] = single();
      const cased = isAnyCase === true ? lowered : String;
      return values(field).some((one) => typeof one === 'string' && cased(one).startsWith(cased(value as string)));
    }
    case 'wildcard': {
      const [field, { value, case_insensitive: isAnyCase }] = single();
      const cased = isAnyCase === true ? lowered : String;
      const pattern = wildcardOf(cased(value as string));
      return values(field).some((one) => typeof one === 'string' && pattern.test(cased(one)));
    }
    case 'nested': {
      const { path, query: part } = body as { readonly path: string; readonly query: Json };
      if (mapping[path]?.type !== 'nested') throw new Error(`${path} is not nested`);
      return (document.nested[path] ?? []).some((one) => matches(part, one, mapping));
    }
    default:
      throw new Error(`an unknown query: ${kind}`);
  }
}

/** Without `must` and `filter`, one clause of `should` must match, unless `minimum_should_match` says otherwise. */
function isBool(body: Json, inner: (part: Json) => boolean): boolean {
  const {
    must = [],
    filter = [],
    should = [],
    must_not = [],
    minimum_should_match: minimum,
    ...others
  } = body as {
    readonly [clause: string]: readonly Json[];
  } & { readonly minimum_should_match?: number };
  if (Object.keys(others).length > 0) throw new Error(`an unknown clause: ${Object.keys(others).join(', ')}`);
  const required = minimum ?? (should.length > 0 && must.length + filter.length === 0 ? 1 : 0);
  return must.every(inner) && filter.every(inner) && !must_not.some(inner) && should.filter(inner).length >= required;
}

function isEqual(one: Value, value: Value, type: string | undefined): boolean {
  if (type === undefined || type === 'keyword') return one === String(value);
  if (type === 'boolean') return one === (value === true || value === 'true');
  // A term of a number with a fraction is in no field of integers.
  return Object.is(one, Number(value));
}

/** `case_insensitive` is about the letters of ASCII. */
function lowered(text: Value): string {
  return String(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Keywords are in the order of their bytes, and -0.0 is before 0.0. */
function compare(one: Value, bound: Value, type: string | undefined): number {
  if (type === 'keyword') return Buffer.compare(Buffer.from(one as string), Buffer.from(String(bound)));
  const [a, b] = [one as number, Number(bound)];
  if (Number.isNaN(b)) throw new Error(`no number: ${bound}`);
  if (a === 0 && b === 0 && type === 'double') return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return a < b ? -1 : a > b ? 1 : 0;
}

function isWithin(one: Value, { format, ...bounds }: Json, type: string | undefined): boolean {
  if ((type === 'date') !== (format === 'strict_date_time')) throw new Error(`a format of ${type}`);
  return Object.entries(bounds).every(([operator, bound]) => {
    const order = compare(one, type === 'date' ? Date.parse(bound as string) : (bound as Value), type);
    switch (operator) {
      case 'lt':
        return order < 0;
      case 'lte':
        return order <= 0;
      case 'gt':
        return order > 0;
      case 'gte':
        return order >= 0;
      default:
        throw new Error(`an unknown bound: ${operator}`);
    }
  });
}

/** `*` is any string, `?` any character, and a backslash makes the next one literal. */
function wildcardOf(pattern: string): RegExp {
  const source = pattern.replace(
    /\\([\s\S])|([\s\S])/gu,
    (_, escaped: string | undefined, plain: string | undefined) => {
      if (plain === '*') return '[\\s\\S]*';
      if (plain === '?') return '[\\s\\S]';
      return (escaped ?? plain ?? '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    },
  );
  return new RegExp(`^${source}$`, 'u');
}
