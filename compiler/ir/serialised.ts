import { dyn } from '../../packages/cel/library/types.js';
import { Source } from '../diagnostics/source.js';
import type { Span } from '../diagnostics/span.js';
import { findExtent, standsAt } from './origins.js';
import type { AuthoredText, DerivedRole, Match, Module, Program, RoleRule, Rule, Variable } from './program.js';
import { survives } from './survives.js';
import type { Value } from './value.js';
import { parts } from './visit.js';

/** Texts of files by path. */
export type PolicyTexts = readonly (readonly [path: string, text: string])[];

/**
 * The policy documents of a bundle for the admin API, sorted by id: of each the fields by which it is found, and the
 * JSON text of what GetPolicy (`policy`) and InspectPolicies (`inspected`) return for it. Without invariants and
 * disabled documents, which a bundle does not contain.
 */
export type PolicyDocuments = readonly {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly json: string;
}[];

/** A program as JSON, for bundles that explain their decisions. */
export interface SerialisedProgram {
  /** The paths of its files. */
  readonly files: string;
  /** The texts of its files, and perhaps of others. */
  readonly texts: PolicyTexts;
  /** The values of expressions, each once: policies often share them. */
  readonly values: string;
  /** One text for each module. */
  readonly modules: readonly string[];
}

/**
 * Serialises all of a program that decides a request, and the places of its rules and expressions. Left out are JSON
 * schemas, descriptions, and the types of values, except whether variables keep theirs.
 */
export function serialiseProgram({ modules }: Program): SerialisedProgram {
  const writer = new Writer();
  const texts = modules.map((module) => JSON.stringify(writer.module(module)));
  const files = writer.files();
  return {
    files: JSON.stringify(files.map(([path]) => path)),
    texts: files,
    values: JSON.stringify(writer.values),
    modules: texts,
  };
}

/**
 * The program that was serialised. Lines and columns are those of the original, and so are the places at which parts of
 * expressions begin.
 */
export function restoreProgram({ files, texts, values, modules }: SerialisedProgram): Program {
  const textOf = new Map(texts);
  const sources = (JSON.parse(files) as readonly string[]).map((path) => new Source(path, textOf.get(path) ?? ''));
  const reader = new Reader(sources, JSON.parse(values) as readonly unknown[]);
  return { modules: modules.map((text) => reader.module(JSON.parse(text) as ModuleJson)), schemas: [] };
}

type SpanJson = readonly [file: number, start: number, end: number];
/**
 * `places` are offsets of the text at which its parts begin, each with its offset in the file; if the text is in the file
 * as it is, only where it begins.
 */
type TextJson = readonly [text: string, file: number, places: number | readonly (readonly [number, number])[]];

type MatchJson =
  | { readonly kind: 'expr'; readonly expression: TextJson; readonly value: number }
  | { readonly kind: 'all' | 'any' | 'none'; readonly of: readonly MatchJson[] };

interface VariableJson {
  readonly name: string;
  readonly expression: TextJson;
  /** The index of its value. */
  readonly value: number;
  readonly survives: boolean;
}

/** What rules of all kinds and derived roles have in another form. */
interface RuleJson {
  readonly span: SpanJson;
  readonly condition?: MatchJson;
  readonly output?: object;
}

interface ModuleJson {
  readonly variables: readonly VariableJson[];
  readonly constants: unknown;
  readonly rules?: readonly RuleJson[];
  readonly definitions?: readonly RuleJson[];
}

class Writer {
  readonly values: unknown[] = [];
  private readonly valueIndexes = new Map<Value, number>();
  private readonly indexes = new Map<Source, number>();

  files(): PolicyTexts {
    return [...this.indexes.keys()].map(({ path, text }) => [path, text]);
  }

  module(module: Module): ModuleJson {
    const writeRules = (rules: readonly AnyRule[]): readonly RuleJson[] => rules.map((rule) => this.rule(rule));
    return {
      ...{ ...module, description: '' },
      variables: module.variables.map((variable) => this.variable(variable)),
      constants: plain(module.constants),
      ...('rules' in module && { rules: writeRules(module.rules) }),
      ...('definitions' in module && { definitions: writeRules(module.definitions) }),
      ...('schemas' in module && { schemas: {} }),
    } as ModuleJson;
  }

  private variable({ name, expression, value }: Variable): VariableJson {
    return { name, expression: this.text(expression, value), value: this.value(value), survives: survives(value.type) };
  }

  private rule(rule: AnyRule): RuleJson {
    return {
      ...rule,
      span: this.span(rule.span),
      ...(rule.condition && { condition: this.match(rule.condition) }),
      ...('output' in rule && rule.output !== undefined && { output: mapMembers(rule.output, plainValue) }),
    } as RuleJson;
  }

  private match(match: Match): MatchJson {
    if (match.kind !== 'expr') return { kind: match.kind, of: match.of.map((part) => this.match(part)) };
    return { kind: 'expr', expression: this.text(match.expression, match.value), value: this.value(match.value) };
  }

  private text({ text, spanOf }: AuthoredText, value: Value): TextJson {
    const starts = [...new Set([0, ...startsIn(value)])];
    const places = starts.map((start) => [start, spanOf(start, text.length).start] as const);
    const { source, start: base } = spanOf(0, text.length);
    const isVerbatim = places.every(([start, offset]) => offset === base + start);
    return [text, this.findIndex(source), isVerbatim ? base : places];
  }

  private value(value: Value): number {
    const index = this.valueIndexes.get(value) ?? this.values.length;
    if (index === this.values.length) {
      this.valueIndexes.set(value, index);
      this.values.push(plainValue(value));
    }
    return index;
  }

  private span({ source, start, end }: Span): SpanJson {
    return [this.findIndex(source), start, end];
  }

  private findIndex(source: Source): number {
    const index = this.indexes.get(source) ?? this.indexes.size;
    this.indexes.set(source, index);
    return index;
  }
}

type AnyRule = Rule | RoleRule | DerivedRole;

function startsIn(value: Value): readonly number[] {
  return [findExtent(value)?.start ?? 0, ...parts(value).flatMap(startsIn)];
}

class Reader {
  private readonly values: readonly Value[];

  constructor(
    private readonly sources: readonly Source[],
    values: readonly unknown[],
  ) {
    this.values = values.map((value) => restoredValue(value) as Value);
  }

  module(json: ModuleJson): Module {
    const { variables, constants, rules, definitions } = json;
    return {
      ...json,
      variables: variables.map((variable) => this.variable(variable)),
      constants: restored(constants),
      ...(rules && { rules: rules.map((rule) => this.rule(rule)) }),
      ...(definitions && { definitions: definitions.map((role) => this.rule(role)) }),
    } as unknown as Module;
  }

  private variable({ name, expression, value, survives: json }: VariableJson): Variable {
    const definition = this.values[value] as Value;
    const typed: Value = { ...definition, type: { kind: 'dyn', json } };
    return { name, expression: this.text(expression), value: standsAt(typed, findExtent(definition)) };
  }

  private rule({ span: [file, start, end], condition, output, ...rest }: RuleJson): unknown {
    return {
      ...rest,
      span: { source: this.sources[file], start, end },
      ...(condition && { condition: this.match(condition) }),
      ...(output !== undefined && { output: mapMembers(output, restoredValue) }),
    };
  }

  private match(json: MatchJson): Match {
    if (json.kind !== 'expr') return { kind: json.kind, of: json.of.map((part) => this.match(part)) };
    return { kind: 'expr', expression: this.text(json.expression), value: this.values[json.value] as Value };
  }

  private text([text, file, places]: TextJson): AuthoredText {
    const source = this.sources[file] as Source;
    const offsets = typeof places === 'number' ? undefined : new Map(places);
    const base = typeof places === 'number' ? places : 0;
    return {
      text,
      spanOf: (from, to) => {
        const start = offsets?.get(from) ?? base + from;
        return { source, start, end: start + to - from };
      },
    };
  }
}

/** A value, or a part of one, without its types; `at` is its extent. */
function plainValue(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plainValue);
  if (typeof node !== 'object' || node === null) return node;
  const { type: _, ...members } = node as Value;
  const extent = findExtent(node as Value);
  return {
    ...(members.kind === 'literal' ? { ...members, value: plain(members.value) } : mapMembers(members, plainValue)),
    ...(extent && { at: [extent.start, extent.end] }),
  };
}

function restoredValue(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(restoredValue);
  if (typeof node !== 'object' || node === null) return node;
  const { at, ...members } = node as Value & { readonly at?: readonly [number, number] };
  const value = {
    ...(members.kind === 'literal'
      ? { ...members, value: restored(members.value) }
      : mapMembers(members, restoredValue)),
    type: dyn,
  };
  return standsAt(value as Value, at && { start: at[0], end: at[1] });
}

/**
 * What an author wrote, as JSON: integers and bytes, and numbers that JSON does not have, are objects with a name that
 * begins with `$`. Names of the author that do so get another one.
 */
function plain(data: unknown): unknown {
  if (typeof data === 'bigint') return { $int: String(data) };
  if (typeof data === 'number' && (!Number.isFinite(data) || Object.is(data, -0)))
    return { $number: Object.is(data, -0) ? '-0' : String(data) };
  if (data instanceof Uint8Array) return { $bytes: [...data] };
  if (Array.isArray(data)) return data.map(plain);
  if (typeof data !== 'object' || data === null) return data;
  return mapMembers(data, plain, (name) => (name.startsWith('$') ? `$${name}` : name));
}

function restored(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(restored);
  if (typeof json !== 'object' || json === null) return json;
  if ('$int' in json) return BigInt(json.$int as string);
  if ('$number' in json) return Number(json.$number);
  if ('$bytes' in json) return Uint8Array.from(json.$bytes as readonly number[]);
  return mapMembers(json, restored, (name) => (name.startsWith('$') ? name.slice(1) : name));
}

function mapMembers(
  object: object,
  of: (member: unknown) => unknown,
  nameOf = (name: string): string => name,
): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [nameOf(name), of(member)]));
}
