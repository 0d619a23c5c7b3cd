import type { CelFunction, Overload } from '../../packages/cel/library/function.js';
import { functions } from '../../packages/cel/library/functions.js';
import {
  bool,
  type CelType,
  dyn,
  int,
  json,
  listType,
  mapType,
  optionalType,
  string,
} from '../../packages/cel/library/types.js';
import { macroForms } from '../../packages/cel/check/names.js';
import type { Random } from '../support/oracle/random.js';

/** The number of names for each kind of attribute: `s0`, `s1` ... */
export const ATTRIBUTES_OF_A_KIND = 3;

/** How often the variables double their value: `V.s30` would be a string a billion times as long as `R.attr.s0`. */
const DOUBLINGS = 30;

/** Variables that share their values: each is twice the previous one. */
export const VARIABLES: { readonly [name: string]: string } = Object.fromEntries([
  ['s0', 'R.attr.s0'],
  ['l0', 'R.attr.l0'],
  ...Array.from({ length: DOUBLINGS }, (_, index) => [`s${index + 1}`, `V.s${index} + V.s${index}`]),
  ...Array.from({ length: DOUBLINGS }, (_, index) => [`l${index + 1}`, `V.l${index} + V.l${index}`]),
]);

/** The core of a condition: each function of the language with each of its overloads, and each form of each macro. */
export type Core = { readonly name: string } & ({ readonly overload: Overload } | { readonly form: readonly string[] });

/** Taken from the compiler's tables, so that new functions and macros are included automatically. */
export const CORES: readonly Core[] = [
  ...functions.flatMap(({ name, overloads }: CelFunction) => overloads.map((overload) => ({ name, overload }))),
  ...[...macroForms].flatMap(([name, forms]) =>
    forms.split(' or ').map((form) => ({ name, form: form.slice(1, -1).split(', ') })),
  ),
];

/** A random condition around a function or macro, nested up to `depth` levels. Not all of them pass the checker. */
export function randomCondition(random: Random, core: Core, depth: number): string {
  const writer = new Writer(random);
  const inner = random.chance(0.4) ? writer.range() : undefined;
  const locals = inner === undefined ? [] : ['e'];
  const text = writer.core(core, depth, locals);
  const result =
    'overload' in core && core.overload.result.kind === 'bool'
      ? text
      : `dyn(${text}) ${random.pick(['==', '!=', '<', 'in'])} ${writer.write(dyn, random.below(2), locals)}`;
  return inner === undefined ? result : `${inner}.${random.pick(['exists', 'all'])}(e, ${result})`;
}

class Writer {
  #names = 0;

  constructor(private readonly random: Random) {}

  /** Something that macros can iterate over. */
  range(): string {
    return this.random.pick([
      'R.attr.l0',
      'R.attr.l1',
      'R.attr.l2',
      'R.attr.m0',
      'P.roles',
      'R.attr.s0.split("")',
      'R.attr.s1.split("a")',
      'lists.range(100000)',
    ]);
  }

  write(type: CelType, depth: number, locals: readonly string[]): string {
    const { random } = this;
    if (depth <= 0 || random.chance(0.15)) return this.leaf(type, locals);
    if (random.chance(0.15)) return this.operator(type, depth, locals);
    if (random.chance(0.1))
      return `cel.bind(${this.local()}, ${this.write(dyn, depth - 1, locals)}, ${this.write(type, depth - 1, [...locals, this.last()])})`;
    const fitting = CORES.filter((core) => fits(resultOf(core), type));
    return fitting.length === 0 ? this.leaf(type, locals) : this.core(random.pick(fitting), depth, locals);
  }

  core(core: Core, depth: number, locals: readonly string[]): string {
    const inner = (type: CelType): string => this.write(type, depth - 1, locals);
    if ('form' in core) return this.macro(core.name, core.form, depth, locals);
    const { form, parameters } = core.overload;
    const written = parameters.map(inner);
    return form === 'global'
      ? `${core.name}(${written.join(', ')})`
      : `(${written[0]}).${core.name}(${written.slice(1).join(', ')})`;
  }

  /** The last argument is an expression; those before it are the names of elements, or a condition. */
  private macro(name: string, form: readonly string[], depth: number, locals: readonly string[]): string {
    if (name === 'has') return `has(${this.random.pick(['R.attr.s0', 'R.attr.m0.key1', 'R.attr.o0.a'])})`;
    const inside = [...locals];
    const args = form.map((word, index) => {
      if (word === 'condition') return this.write(bool, depth - 1, inside);
      if (word === 'entries') return `{string(${this.write(dyn, depth - 1, inside)}): 1}`;
      if (index === form.length - 1)
        return this.write(name === 'optFlatMap' ? optionalType(dyn) : dyn, depth - 1, inside);
      inside.push(this.local());
      return this.last();
    });
    const range = name.startsWith('opt')
      ? this.write(optionalType(dyn), depth - 1, locals)
      : this.random.chance(0.5)
        ? this.range()
        : this.write(this.random.pick([listType(dyn), mapType(string, dyn)]), depth - 1, locals);
    return `(${range}).${name}(${args.join(', ')})`;
  }

  private operator(type: CelType, depth: number, locals: readonly string[]): string {
    const { random } = this;
    const inner = (of: CelType): string => this.write(of, depth - 1, locals);
    switch (type.kind) {
      case 'bool':
        return random.pick([
          () => `(${inner(dyn)} ${random.pick(['==', '!=', '<', '>='])} ${inner(dyn)})`,
          () => `(${inner(dyn)} in ${inner(random.pick([listType(dyn), mapType(string, dyn)]))})`,
          () => `(${inner(bool)} ${random.pick(['&&', '||'])} ${inner(bool)})`,
        ])();
      case 'string':
      case 'bytes':
      case 'list':
        return `(${inner(type)} + ${inner(type)})`;
      case 'int':
      case 'uint':
      case 'double':
        return random.pick([
          () => `(${inner(type)} ${random.pick(['+', '-', '*', '/'])} ${inner(type)})`,
          () => `math.greatest(${inner(listType(type))})`,
        ])();
      case 'map':
        return `{string(${inner(dyn)}): ${inner(dyn)}, ${inner(string)}: ${inner(dyn)}}`;
      case 'optional':
        return `${random.pick(['R.attr.m0', 'R.attr.l0'])}[?${inner(random.pick([string, int]))}]`;
      default:
        return random.pick([
          () => `[${inner(dyn)}, ${inner(dyn)}]`,
          () => `R.attr.m0[${inner(string)}]`,
          () => `R.attr.l1[${inner(int)}]`,
        ])();
    }
  }

  private leaf(type: CelType, locals: readonly string[]): string {
    const { random } = this;
    // The type of an element is unknown, so it fits everywhere.
    if (locals.length > 0 && random.chance(0.4)) return random.pick(locals);
    const attribute = (kind: string): string => `R.attr.${kind}${random.below(ATTRIBUTES_OF_A_KIND)}`;
    switch (type.kind) {
      case 'string':
        return random.pick([
          () => attribute('s'),
          () => attribute('s'),
          () => attribute('s'),
          () => attribute('p'),
          () => attribute('t'),
          () => `V.s${random.below(DOUBLINGS + 1)}`,
          () => random.pick(['"a"', '"."', '"/"', '""', '"Europe/Berlin"', '"%s%x%.9f"', '"(a|b)*"']),
        ])();
      case 'list':
        return random.pick([
          () => attribute('l'),
          () => attribute('l'),
          () => `V.l${random.below(DOUBLINGS + 1)}`,
          () => 'P.roles',
          () => '[]',
          () => `[${this.leaf(type.element, locals)}, ${this.leaf(type.element, locals)}]`,
        ])();
      case 'map':
        return random.pick([
          () => attribute('m'),
          () => attribute('o'),
          () => `{${this.leaf(string, locals)}: ${this.leaf(json, locals)}}`,
        ])();
      case 'int':
        return random.pick(['0', '1', '100', '1000000', `int(${attribute('n')})`, `size(${attribute('s')})`]);
      case 'uint':
        return random.pick(['1u', '18446744073709551615u', `uint(${attribute('n')})`]);
      case 'double':
        return random.pick(['0.0', '1e308', attribute('n')]);
      case 'bool':
        return random.pick(['true', 'false', `${attribute('s')} == ${attribute('s')}`]);
      case 'bytes':
        return `bytes(${this.leaf(string, locals)})`;
      case 'timestamp':
        return random.pick(['timestamp("2024-05-06T07:08:09.123456789Z")', `timestamp(${attribute('t')})`]);
      case 'duration':
        return random.pick(['duration("1h2m3.456s")', `duration(${attribute('t')})`]);
      case 'optional':
        return `optional.of(${this.leaf(dyn, locals)})`;
      case 'opaque': {
        const makers = CORES.filter(
          (core) => 'overload' in core && fits(core.overload.result, type) && core.overload.form === 'global',
        );
        const maker = random.pick(makers);
        return 'overload' in maker
          ? `${maker.name}(${maker.overload.parameters.map((parameter) => this.leaf(parameter, locals)).join(', ')})`
          : 'null';
      }
      case 'null':
      case 'type':
      case 'error':
      case 'message':
        return 'null';
      case 'dyn':
      case 'parameter':
        return random.pick([
          () => attribute('s'),
          () => attribute('l'),
          () => attribute('m'),
          () => attribute('d'),
          () => attribute('o'),
          () => attribute('n'),
          () => `V.l${random.below(DOUBLINGS + 1)}`,
        ])();
    }
  }

  private local(): string {
    this.#names++;
    return this.last();
  }

  private last(): string {
    return `v${this.#names}`;
  }
}

/** Only the checker knows the result type of a macro. */
function resultOf(core: Core): CelType {
  if ('overload' in core) return core.overload.result;
  if (/^(all|exists|has)/.test(core.name)) return bool;
  if (/^opt/.test(core.name)) return optionalType(dyn);
  return /Map/.test(core.name) ? mapType(string, dyn) : listType(dyn);
}

function fits(result: CelType, wanted: CelType): boolean {
  if (wanted.kind === 'dyn' || wanted.kind === 'parameter') return true;
  return (
    result.kind === wanted.kind &&
    (result.kind !== 'opaque' || (wanted.kind === 'opaque' && result.name === wanted.name))
  );
}
