import { findExtent } from '../../../compiler/ir/origins.js';
import type { AuthoredText, Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import type { Leaf } from '../../../runtime/policy/index.js';

/** What a value is a part of, and where that is written: reading the value reads the path. */
export interface Reference {
  readonly path: readonly string[];
  readonly line: string;
}

/** Takes the paths that expressions read. */
export interface PathCollector {
  /** Whether lines are wanted. */
  readonly listsLines: boolean;
  add(path: readonly string[], leaf: Leaf, line: string): void;
  /** The time is read. */
  addNow(): void;
}

/** Macros that tell of the elements of their range only what their bodies read, besides its length or keys. */
const READ_BY_BODY: ReadonlySet<string> = new Set([
  'all',
  'all2',
  'exists',
  'exists2',
  'existsOne',
  'existsOne2',
  'mapEach',
  'mapWhere',
  'transformList',
  'transformListWhere',
  'transformMap',
  'transformMapWhere',
]);

type Locals = ReadonlyMap<string, readonly Reference[]>;

/**
 * Collects what the expressions of a module read (docs/spec/analysis.md#read-sets). A part of the request that is only
 * passed on, by a variable, `cel.bind` or `c ? x : y`, is read where something is done with it.
 */
export class PathReader {
  private readonly variables = new Map<string, readonly Reference[]>();

  constructor(
    private readonly module: Pick<Module, 'variables'>,
    private readonly into: PathCollector,
  ) {}

  condition(match: Match | undefined): void {
    if (match === undefined) return;
    if (match.kind === 'expr') this.expression(match.value, match.expression);
    else for (const part of match.of) this.condition(part);
  }

  expression(value: Value, text: AuthoredText): void {
    this.consume(new ExpressionReader(this, text, this.into).read(value, NO_LOCALS));
  }

  consume(references: readonly Reference[]): void {
    for (const { path, line } of references) this.into.add(path, 'value', line);
  }

  /** What a variable passes on; what its definition does with other parts is read in any case. */
  variable(name: string): readonly Reference[] {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    this.variables.set(name, []);
    const definition = this.module.variables.find((variable) => variable.name === name);
    const references =
      definition === undefined
        ? []
        : new ExpressionReader(this, definition.expression, this.into).read(definition.value, NO_LOCALS);
    this.variables.set(name, references);
    return references;
  }

  allVariables(): readonly Reference[] {
    return this.module.variables.flatMap(({ name }) => this.variable(name));
  }
}

const NO_LOCALS: Locals = new Map();

class ExpressionReader {
  constructor(
    private readonly reader: PathReader,
    private readonly text: AuthoredText,
    private readonly into: PathCollector,
  ) {}

  /** The parts of the request that a value may be. What else is read on the way is collected. */
  read(value: Value, locals: Locals): readonly Reference[] {
    switch (value.kind) {
      case 'literal':
      case 'constant':
      case 'global':
      case 'type-name':
        return [];
      case 'field':
        if (value.of === 'runtime') return [];
        return [{ path: [value.of, value.name], line: this.findLine(value) }];
      case 'part':
        if (value.part === 'runtime') return [];
        return [{ path: value.part === 'request' ? [] : [value.part], line: this.findLine(value) }];
      case 'variable':
        return this.reader.variable(value.name);
      case 'local':
        return locals.get(value.name) ?? [];
      case 'is-set':
        // Whether it fails matters, which reading it tells.
        if (value.binding === 'variable') this.reader.consume(this.reader.variable(value.name));
        return [];
      case 'bindings':
        if (value.of === 'variables') this.reader.consume(this.reader.allVariables());
        return [];
      case 'select':
      case 'optional-select':
        return below(this.read(value.operand, locals), value.name);
      case 'has':
        for (const { path, line } of below(this.read(value.operand, locals), value.name))
          this.into.add(path, 'has', line);
        return [];
      case 'index':
      case 'optional-index':
        return this.element(value.operand, value.index, locals);
      case 'operator':
        return this.operator(value, locals);
      case 'call':
        return this.call(value, locals);
      case 'list':
        return this.useAll(
          value.elements.map(({ value: element }) => element),
          locals,
        );
      case 'map':
        return this.useAll(
          value.entries.flatMap((entry) => [entry.key, entry.value]),
          locals,
        );
      case 'macro':
        return this.macro(value, locals);
    }
  }

  private use(value: Value, locals: Locals): void {
    this.reader.consume(this.read(value, locals));
  }

  private useAll(values: readonly Value[], locals: Locals): readonly Reference[] {
    for (const value of values) this.use(value, locals);
    return [];
  }

  private element(operand: Value, index: Value, locals: Locals): readonly Reference[] {
    const references = this.read(operand, locals);
    const name = textOf(index);
    if (name !== undefined) return below(references, name);
    this.use(index, locals);
    return below(references, '*');
  }

  private operator({ operator, operands }: Extract<Value, { kind: 'operator' }>, locals: Locals): readonly Reference[] {
    if (operator === 'conditional') {
      const [condition, ...branches] = operands;
      if (condition !== undefined) this.use(condition, locals);
      return branches.flatMap((branch) => this.read(branch, locals));
    }
    const [key, map] = operands;
    if (operator !== 'inCollection' || key === undefined || map === undefined) return this.useAll(operands, locals);
    const name = textOf(key);
    if (name === undefined) this.use(key, locals);
    for (const { path, line } of this.read(map, locals)) {
      // Only a side is certainly no list.
      const isSide = name !== undefined && name !== '*' && path.length === 2 && path[1] === 'attr';
      if (isSide) this.into.add([...path, name], 'has', line);
      else this.into.add(path, 'value', line);
    }
    return [];
  }

  private call({ runtime, pure, args }: Extract<Value, { kind: 'call' }>, locals: Locals): readonly Reference[] {
    if (!pure) this.into.addNow();
    if (runtime !== 'size') return this.useAll(args, locals);
    for (const arg of args) for (const { path, line } of this.read(arg, locals)) this.into.add(path, 'shape', line);
    return [];
  }

  private macro(
    { runtime, range, variables, predicate, body }: Extract<Value, { kind: 'macro' }>,
    locals: Locals,
  ): readonly Reference[] {
    const references = this.read(range, locals);
    const [first = '', second] = variables;
    if (runtime === 'bind') return this.read(body, new Map([...locals, [first, references]]));
    // What an optional has is no element of it.
    if (runtime === 'optMap' || runtime === 'optFlatMap') this.reader.consume(references);
    else for (const { path, line } of references) this.into.add(path, 'shape', line);
    const elements = below(references, '*');
    // The first of two variables is an index or a key, which the shape tells.
    const own: readonly (readonly [string, readonly Reference[]])[] =
      second === undefined
        ? [[first, elements]]
        : [
            [first, []],
            [second, elements],
          ];
    const inner = new Map([...locals, ...own]);
    for (const part of [predicate, body]) if (part !== undefined) this.use(part, inner);
    if (READ_BY_BODY.has(runtime)) return [];
    if (runtime === 'filter') return references;
    this.reader.consume(references);
    return [];
  }

  private findLine(value: Value): string {
    if (!this.into.listsLines) return '';
    const { start } = findExtent(value) ?? { start: 0 };
    const { source, start: offset } = this.text.spanOf(start, start);
    return `${source.path}:${source.lineAndColumn(offset).line}`;
  }
}

function below(references: readonly Reference[], name: string): readonly Reference[] {
  return references.map(({ path, line }) => ({
    path: [...path, path.length === 0 && name === 'aux_data' ? 'auxData' : name],
    line,
  }));
}

function textOf(value: Value): string | undefined {
  return value.kind === 'literal' && value.literal === 'string' ? value.value : undefined;
}
