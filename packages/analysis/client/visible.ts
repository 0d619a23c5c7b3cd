import type { CelType } from '../../cel/library/types.js';
import type { Module } from '../../../compiler/ir/program.js';
import type { Macro, Value } from '../../../compiler/ir/value.js';
import type { ClientView, KindView } from './view.js';

/**
 * A value that an expression reads: the side (resource, principal, or the id of the resource), and the names on the way.
 * `EACH` and `WHOLE` stand for what `runtime/client` says.
 */
export type ReadPath = readonly [side: 0 | 1 | 2, ...steps: (string | number)[]];

/** Every element of a list. Of a map, the keys have to be known. */
const EACH = 0;
/** All of a value: a map in it may lack keys. */
const WHOLE = 1;

/** Functions that give every engine the same result and load no large library: none is about patterns or zones. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'startsWith',
  'endsWith',
  'contains',
  'size',
  'lowerAscii',
  'upperAscii',
  'hasIntersection',
  'isSubset',
  'toTimestamp',
  'toDuration',
]);
const OF_CLOCK: ReadonlySet<string> = new Set(['now', 'timeSince']);
/** Those that read lists and maps, not only strings. */
const OF_COLLECTIONS: ReadonlySet<string> = new Set(['size', 'hasIntersection', 'isSubset']);
const MACROS: ReadonlySet<string> = new Set(['exists', 'all', 'existsOne']);
const SCALARS: ReadonlySet<CelType['kind']> = new Set([
  'bool',
  'int',
  'double',
  'string',
  'null',
  'timestamp',
  'duration',
]);

/** What a browser may know of one kind. */
export type Shown = Pick<ClientView, 'principal' | 'clock'> & { readonly kind: KindView };

/**
 * What an expression reads, if all of it is in a view; undefined otherwise. An attribute as a whole side, by a computed
 * name or from a place that the view does not list is not.
 */
export function readsOf(value: Value, view: Shown): readonly ReadPath[] | undefined {
  const reader = new Reader(view);
  return reader.isVisible(value, new Map(), true) ? [...reader.found.values()] : undefined;
}

/**
 * Whether an expression of a policy may be in a client: the view lists all that it reads, and it is not in a policy of a
 * principal or a role, which is only for the server.
 */
export function isShownBy(view: Shown): (value: Value, module: Module) => boolean {
  return (value, { kind }) => kind !== 'principal' && kind !== 'role' && readsOf(value, view) !== undefined;
}

/** Variables of macros, each with the value that it stands for if that can have parts. */
type Locals = ReadonlyMap<string, ReadPath | undefined>;

class Reader {
  readonly found = new Map<string, ReadPath>();

  constructor(private readonly view: Shown) {}

  /** @param isWhole whether the result depends on all of the value, not only on what a scalar could be. */
  isVisible(value: Value, locals: Locals, isWhole: boolean): boolean {
    const all = (parts: readonly Value[], areWhole: boolean): boolean =>
      parts.every((part) => this.isVisible(part, locals, areWhole));
    switch (value.kind) {
      case 'literal':
        return value.literal !== 'bytes' && value.literal !== 'uint' && value.literal !== 'json';
      case 'field':
        if (value.of === 'resource' && value.name === 'id') this.add([2]);
        return value.of === 'principal' ? value.name === 'id' || value.name === 'roles' : this.isId(value);
      case 'local':
        if (!locals.has(value.name)) return false;
        this.add(locals.get(value.name), isWhole);
        return true;
      case 'select':
      case 'has':
      case 'index': {
        const path = this.readPath(value, locals);
        this.add(path, isWhole && value.kind !== 'has');
        return path !== undefined;
      }
      case 'operator': {
        const { operator, operands } = value;
        if (operator === 'conditional') return all(operands.slice(0, 1), false) && all(operands.slice(1), isWhole);
        if (operator === 'inCollection' || operator === 'equals' || operator === 'notEquals')
          return operands.every((operand, index) =>
            this.isVisible(operand, locals, !isScalar(operands[1 - index] as Value, operator === 'inCollection')),
          );
        return all(operands, false);
      }
      case 'call':
        return (
          (FUNCTIONS.has(value.runtime) || (this.view.clock === 'trusted' && OF_CLOCK.has(value.runtime))) &&
          all(value.args, OF_COLLECTIONS.has(value.runtime))
        );
      case 'list':
        return value.elements.every((element) => !element.optional && this.isVisible(element.value, locals, true));
      case 'macro':
        return MACROS.has(value.runtime) && this.isMacroVisible(value, locals);
      default:
        return false;
    }
  }

  private isMacroVisible({ range, variables, predicate, body }: Macro, locals: Locals): boolean {
    const path = this.readPath(range, locals);
    const each: ReadPath | undefined = path && [...path, EACH];
    this.add(each);
    if (path === undefined && !this.isVisible(range, locals, true)) return false;
    const inner = new Map([
      ...locals,
      ...variables.map((name, index) => [name, index === variables.length - 1 ? each : undefined] as const),
    ]);
    const parts = [predicate, body].filter((part) => part !== undefined);
    return parts.every((part) => this.isVisible(part, inner, false));
  }

  /** The place of a value in what the view lists, if it has one. */
  private readPath(value: Value, locals: Locals): ReadPath | undefined {
    switch (value.kind) {
      case 'local':
        return locals.get(value.name);
      case 'select':
      case 'has': {
        const { operand, name } = value;
        if (operand.kind === 'field' && operand.name === 'attr') return this.pathOfAttribute(operand.of, name);
        const path = this.readPath(operand, locals);
        return path && [...path, name];
      }
      case 'index': {
        const { operand, index } = value;
        const path = this.readPath(operand, locals);
        if (path === undefined || !this.isVisible(index, locals, false)) return undefined;
        return [...path, index.kind === 'literal' && index.literal === 'string' ? index.value : EACH];
      }
      default:
        return undefined;
    }
  }

  private pathOfAttribute(side: string, name: string): ReadPath | undefined {
    const { kind, principal } = this.view;
    if (side === 'resource') return kind.attributes.includes(name) ? [0, name] : undefined;
    return side === 'principal' && principal.attributes.includes(name) ? [1, name] : undefined;
  }

  private isId(value: Value): boolean {
    return value.kind === 'field' && value.of === 'resource' && value.name === 'id';
  }

  private add(path: ReadPath | undefined, isWhole = false): void {
    if (path === undefined) return;
    const read: ReadPath = isWhole ? [...path, WHOLE] : path;
    this.found.set(JSON.stringify(read), read);
  }
}

/** Whether a value, or each element of a list, is surely no list and no map. */
function isScalar({ type, ...value }: Value, isList: boolean): boolean {
  if (!isList) return SCALARS.has(type.kind);
  return value.kind === 'list' && value.elements.every((element) => isScalar(element.value, false));
}
