import { Duration, exactDurationText, Timestamp, timestampText } from '../../cel/runtime/index.js';
import type { AuxDataInput } from '../../../runtime/engine/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { Asked } from '../encode/query.js';
import { withRequired } from '../witness/schema-example.js';
import { idOfAnyone } from '../witness/replay.js';
import type { Situation } from '../question/situation.js';
import type { Question } from '../question/question.js';
import type { SExpression } from './reply.js';

/** A value of a model: a scalar as JavaScript has it, or the name of a list, a map or another object. */
type ModelValue =
  | { readonly kind: 'scalar'; readonly value: null | boolean | number | string }
  | { readonly kind: 'time'; readonly instant: bigint; readonly offset: number }
  | { readonly kind: 'duration'; readonly nanos: bigint }
  | { readonly kind: 'list' | 'map'; readonly name: string }
  | { readonly kind: 'failure' }
  | { readonly kind: 'other' };

/**
 * The request of a model: maps and lists of the model have what the query reads of them, and attributes what schemas
 * require besides. Undefined if it
 * has no time, or claims of a token and of named ones.
 */
export function readSituation(asked: Asked, values: readonly SExpression[], question: Question): Situation | undefined {
  const reader = new ModelReader(asked, values.map(readValue));
  const text = (field: string, otherwise: string): string => reader.string(field) ?? otherwise;
  const { kind, version, scope, principal } = question.point;
  const roles = reader.roles();
  const now = reader.now();
  const [jwt, jwts] = [reader.attributes('auxData.jwt'), readTokens(reader.attributes('auxData.jwts'))];
  const hasTokens = Object.keys(jwts).length > 0;
  // A call has one token, or named ones.
  if (now === undefined || (hasTokens && Object.keys(jwt).length > 0)) return undefined;
  return {
    request: {
      principal: {
        id: text('principal.id', principal?.id ?? idOfAnyone(question.principals)),
        roles,
        attr: withRequired(reader.attributes('principal.attr'), 'principal', question.schemas),
        ...(principal === undefined ? {} : { scope: principal.scope }),
        ...(principal?.version === undefined ? {} : { policyVersion: principal.version }),
      },
      resource: {
        kind: text('resource.kind', kind),
        id: text('resource.id', 'r1'),
        attr: withRequired(reader.attributes('resource.attr'), 'resource', question.schemas),
        policyVersion: version,
        scope,
      },
      action: question.action,
      auxData: hasTokens ? { jwts } : { jwt },
    },
    globals: question.globals ?? reader.attributes('globals'),
    now,
  };
}

/** Named tokens, each with its claims. */
function readTokens(maps: Attributes): NonNullable<AuxDataInput['jwts']> {
  return Object.fromEntries(
    Object.entries(maps).flatMap(([name, token]) =>
      isMap(token) ? [[name, { claims: isMap(token['claims']) ? token['claims'] : {} }]] : [],
    ),
  );
}

function isMap(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Models may be cyclic. */
const MOST_DEPTH = 8;

class ModelReader {
  private readonly fields = new Map<string, ModelValue>();
  private readonly heldRoles = new Map<string, boolean>();
  private readonly maps = new Map<string, Map<string, ModelValue>>();
  private readonly lists = new Map<string, readonly ModelValue[]>();
  /** What strings of the model stand for: times and durations as text. */
  private readonly texts = new Map<string, string>();
  private readonly instant: ModelValue;

  constructor(asked: Asked, values: readonly ModelValue[]) {
    let at = 0;
    const next = (): ModelValue => values[at++] as ModelValue;
    for (const field of asked.fields.keys()) this.fields.set(field, next());
    for (const { role } of asked.roles) this.addRole(role, next());
    for (const _ of asked.maps) this.addEntry(next(), next(), next());
    for (const { elements } of asked.lists) {
      const [list, length] = [next(), next()];
      this.addList(
        list,
        length,
        elements.map(() => next()),
      );
    }
    for (const _ of asked.parsed) this.addText(next(), next());
    this.instant = next();
  }

  string(field: string): string | undefined {
    const value = this.fields.get(field);
    return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
  }

  attributes(field: string): Attributes {
    const value = this.fields.get(field);
    return (value === undefined ? {} : (this.json(value, 0) ?? {})) as Attributes;
  }

  roles(): readonly string[] {
    return [...this.heldRoles].filter(([, held]) => held).map(([role]) => role);
  }

  now(): string | undefined {
    return timeText(this.instant);
  }

  /** A role of several classes, or of a class and a text, is one that the principal has if any of them says so. */
  private addRole(role: string, value: ModelValue): void {
    const held = value.kind === 'scalar' && value.value === true;
    this.heldRoles.set(role, held || this.heldRoles.get(role) === true);
  }

  private addEntry(map: ModelValue, key: ModelValue, value: ModelValue): void {
    if (map.kind !== 'map' || key.kind !== 'scalar' || typeof key.value !== 'string') return;
    const entries = this.maps.get(map.name) ?? new Map<string, ModelValue>();
    entries.set(key.value, value);
    this.maps.set(map.name, entries);
  }

  private addList(list: ModelValue, length: ModelValue, elements: readonly ModelValue[]): void {
    if (list.kind !== 'list' || length.kind !== 'scalar') return;
    this.lists.set(list.name, elements.slice(0, Number(length.value)));
  }

  private addText(text: ModelValue, value: ModelValue): void {
    if (text.kind !== 'scalar' || typeof text.value !== 'string') return;
    const meant = value.kind === 'duration' ? exactDurationText(new Duration(value.nanos)) : timeText(value);
    if (meant !== undefined) this.texts.set(text.value, meant);
  }

  /** Undefined for what is not there. */
  private json(value: ModelValue, depth: number): unknown {
    switch (value.kind) {
      case 'scalar':
        return typeof value.value === 'string' ? (this.texts.get(value.value) ?? value.value) : value.value;
      case 'list':
        return depth > MOST_DEPTH
          ? []
          : (this.lists.get(value.name) ?? []).map((element) => this.json(element, depth + 1) ?? null);
      case 'map': {
        if (depth > MOST_DEPTH) return {};
        const entries = [...(this.maps.get(value.name) ?? [])].map(
          ([key, of]) => [key, this.json(of, depth + 1)] as const,
        );
        return Object.fromEntries(entries.filter(([, of]) => of !== undefined));
      }
      case 'time':
      case 'duration':
      case 'failure':
      case 'other':
        return undefined;
    }
  }
}

function timeText(value: ModelValue): string | undefined {
  if (value.kind !== 'time') return undefined;
  const nanos = ((value.instant % SECOND) + SECOND) % SECOND;
  return timestampText(new Timestamp(Number((value.instant - nanos) / SECOND), Number(nanos), value.offset));
}

const SECOND = 1_000_000_000n;

function readValue(expression: SExpression): ModelValue {
  if (typeof expression === 'string') {
    if (expression === 'Null') return { kind: 'scalar', value: null };
    return expression === 'Err' ? { kind: 'failure' } : { kind: 'other' };
  }
  const [constructor, first, second] = expression;
  switch (constructor) {
    case 'Bool':
      return { kind: 'scalar', value: first === 'true' };
    case 'Str':
      return typeof first === 'string' ? { kind: 'scalar', value: unescaped(first.slice(1)) } : { kind: 'other' };
    case 'Dbl':
    case 'Int':
    case 'Uint':
      return { kind: 'scalar', value: readNumber(first) };
    case 'Lst':
    case 'Map':
      return { kind: constructor === 'Lst' ? 'list' : 'map', name: JSON.stringify(first) };
    case 'Ts':
      return { kind: 'time', instant: readInteger(first), offset: Number(readInteger(second)) };
    case 'Dur':
      return { kind: 'duration', nanos: readInteger(first) };
    default:
      return { kind: 'other' };
  }
}

/** A number such as `1.0`, `(- 2)` and `(/ 1.0 3.0)`; NaN for anything else. */
function readNumber(expression: SExpression | undefined): number {
  if (typeof expression === 'string') return Number(expression);
  const [operator, a, b] = expression ?? [];
  if (operator === '-') return -readNumber(a);
  return operator === '/' ? readNumber(a) / readNumber(b) : Number.NaN;
}

function readInteger(expression: SExpression | undefined): bigint {
  if (typeof expression === 'string' && /^\d+$/.test(expression)) return BigInt(expression);
  const [operator, inner] = typeof expression === 'object' ? expression : [];
  return operator === '-' ? -readInteger(inner) : 0n;
}

/** A string constant as a string. */
function unescaped(text: string): string {
  return text.replace(/\\u(?:\{([0-9a-fA-F]{1,5})\}|([0-9a-fA-F]{4}))/g, (_, long?: string, short?: string) =>
    String.fromCodePoint(Number.parseInt((long ?? short) as string, 16)),
  );
}
