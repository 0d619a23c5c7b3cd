import {
  type CelType,
  dyn,
  json,
  listType,
  mapType,
  optionalType,
  parameter,
  string,
  typeType,
} from '../library/types.js';
import { mapParts, listParts } from '../library/type-parts.js';
import { isDynamic, isWrapperOf, mostGeneral, sameType } from './type-algebra.js';

/**
 * How two types of one value are joined, and what a dynamic argument means for the type parameters of the formal type.
 * `static` is CEL's own rule (docs/spec/conditions.md#types), which determines the messages; `certain` never claims
 * more than evaluation guarantees.
 */
export type Reading = 'static' | 'certain';

/** A comparison that takes more steps has an artificially large type: it counts as dyn. */
const MAX_STEPS = 2000;

/** Binds type parameters during the type check of one expression, and is discarded after it. */
export class Inference {
  private readonly bindings = new Map<string, CelType>();
  /** The previous values in `bindings`, one for each change since the last decision, newest last. */
  private trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  private variables = 0;
  private steps = 0;

  constructor(private readonly reading: Reading) {}

  freshParameter(): CelType {
    const fresh = parameter(`_var${this.variables}`);
    this.variables += 1;
    return fresh;
  }

  /** Whether each actual type is assignable to the formal type at the same index. Binds parameters only if all are. */
  assignableAll(actual: readonly CelType[], formal: readonly CelType[]): boolean {
    this.steps = 0;
    const fits = actual.length === formal.length && actual.every((type, i) => this.fits(type, formal[i] as CelType));
    if (!fits) this.undo();
    this.trail = [];
    return fits;
  }

  assignable(actual: CelType, formal: CelType): boolean {
    return this.assignableAll([actual], [formal]);
  }

  /** The common type of two elements of a list: the more general one, or dyn if neither is assignable to the other. */
  join(a: CelType, b: CelType): CelType {
    const fits = this.assignable(a, b);
    if (this.reading === 'certain') return certainJoin(this.substitute(a), this.substitute(b));
    return fits ? mostGeneral(a, b) : dyn;
  }

  /** Replaces bound parameters in the type; free ones stay. */
  substitute(type: CelType): CelType {
    const budget = { left: MAX_STEPS };
    return this.put(type, budget);
  }

  private put(type: CelType, budget: { left: number }): CelType {
    budget.left -= 1;
    if (budget.left < 0) return dyn;
    const found = this.representative(type);
    return mapParts(found, (part) => this.put(part, budget));
  }

  private fits(actual: CelType, formal: CelType): boolean {
    this.steps += 1;
    if (this.steps > MAX_STEPS) return true;
    if (formal.kind === 'parameter') {
      const attempt = this.bind(actual, formal.name);
      if (attempt !== 'free') return attempt === 'bound';
    }
    if (actual.kind === 'parameter') return this.bind(formal, actual.name) === 'bound';
    if (isDynamic(actual) || isDynamic(formal)) {
      this.weaken(actual, formal);
      return true;
    }
    if (actual.kind === 'null') return takesNull(formal);
    if (formal.kind === 'null') return takesNull(actual);
    return this.fitsStructure(actual, formal);
  }

  private fitsStructure(actual: CelType, formal: CelType): boolean {
    if (actual.kind === 'type') return formal.kind === 'type';
    if (isWrapperOf(actual, formal)) return true;
    const actualParts = listParts(actual);
    const formalParts = listParts(formal);
    if (actualParts.length === 0) return sameType(actual, formal);
    return actual.kind === formal.kind && actualParts.every((part, i) => this.fits(part, formalParts[i] as CelType));
  }

  // `free`: the parameter is unbound and cannot be bound because it occurs in the type.
  private bind(type: CelType, name: string): 'bound' | 'refused' | 'free' {
    const last = this.findLast(name);
    const other = this.representative(type);
    if (other.kind === 'parameter' && other.name === last) return 'bound';
    const bound = this.bindings.get(last);
    if (bound !== undefined) return this.widen(last, bound, other);
    if (this.occurs(last, other)) return 'free';
    this.set(last, other);
    return 'bound';
  }

  // A second argument for the same parameter must be assignable to the first, or vice versa.
  private widen(name: string, bound: CelType, other: CelType): 'bound' | 'refused' {
    if (sameType(other, bound)) return 'bound';
    if (!this.fits(other, bound)) return 'refused';
    const general =
      this.reading === 'certain'
        ? certainJoin(this.substitute(other), this.substitute(bound))
        : mostGeneral(other, bound);
    if (!this.occurs(name, general)) this.set(name, general);
    return 'bound';
  }

  // A dynamic argument can have any type, so the parts of the formal type are unknown too.
  private weaken(actual: CelType, formal: CelType): void {
    if (this.reading === 'static') return;
    if (isDynamic(actual)) this.weakenParts(formal, isJson(actual));
    else this.weakenParts(actual, isJson(formal));
  }

  private weakenParts(type: CelType, plain: boolean): void {
    this.steps += 1;
    if (this.steps > MAX_STEPS) return;
    if (type.kind === 'parameter') {
      this.bind(plain ? json : dyn, type.name);
      return;
    }
    if (type.kind === 'map' && plain) this.weakenKey(type.key);
    else if (type.kind === 'map') this.weakenParts(type.key, plain);
    for (const part of type.kind === 'map' ? [type.value] : listParts(type)) this.weakenParts(part, plain);
  }

  private weakenKey(key: CelType): void {
    if (key.kind === 'parameter') this.bind(string, key.name);
  }

  private occurs(name: string, within: CelType): boolean {
    this.steps += 1;
    if (this.steps > MAX_STEPS) return true;
    const found = this.representative(within);
    if (found.kind === 'parameter') return found.name === name;
    return listParts(found).some((part) => this.occurs(name, part));
  }

  private representative(type: CelType): CelType {
    if (type.kind !== 'parameter') return type;
    const last = this.findLast(type.name);
    return this.bindings.get(last) ?? parameter(last);
  }

  // The last parameter of a chain. Long expressions make long chains, so the chain is walked without recursion and
  // shortened.
  private findLast(name: string): string {
    const passed: string[] = [];
    let last = name;
    for (let next = this.bindings.get(last); next?.kind === 'parameter'; next = this.bindings.get(last)) {
      passed.push(last);
      last = next.name;
    }
    const end = parameter(last);
    for (const link of passed.slice(0, -1)) this.set(link, end);
    return last;
  }

  private set(name: string, type: CelType): void {
    this.trail.push({ name, before: this.bindings.get(name) });
    this.bindings.set(name, type);
  }

  private undo(): void {
    for (const { name, before } of this.trail.reverse()) {
      if (before === undefined) this.bindings.delete(name);
      else this.bindings.set(name, before);
    }
    this.trail = [];
  }
}

function isJson(type: CelType): boolean {
  return type.kind === 'dyn' && type.json;
}

function takesNull(type: CelType): boolean {
  switch (type.kind) {
    case 'null':
    case 'message':
    case 'opaque':
    case 'optional':
    case 'timestamp':
    case 'duration':
      return true;
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'list':
    case 'map':
    case 'type':
    case 'dyn':
    case 'error':
    case 'parameter':
      return false;
  }
}

/**
 * What is certain of a value that has one type or the other. The join of plain JSON with plain JSON is plain JSON;
 * everything else becomes dyn.
 */
function certainJoin(a: CelType, b: CelType): CelType {
  if (sameType(a, b)) return a;
  // A free parameter belongs to an empty list or map, which has no such element.
  if (a.kind === 'parameter') return b;
  if (b.kind === 'parameter') return a;
  if (a.kind === 'list' && b.kind === 'list') return listType(certainJoin(a.element, b.element));
  if (a.kind === 'map' && b.kind === 'map') return mapType(certainJoin(a.key, b.key), certainJoin(a.value, b.value));
  if (a.kind === 'optional' && b.kind === 'optional') return optionalType(certainJoin(a.value, b.value));
  if (a.kind === 'type' && b.kind === 'type') return typeType(dyn);
  return isPlainJson(a) && isPlainJson(b) ? json : dyn;
}

// A literal may have created the map, and then it is not a plain object.
function isPlainJson(type: CelType): boolean {
  switch (type.kind) {
    case 'null':
    case 'bool':
    case 'double':
    case 'string':
      return true;
    case 'dyn':
      return type.json;
    case 'list':
      return isPlainJson(type.element);
    case 'int':
    case 'uint':
    case 'bytes':
    case 'timestamp':
    case 'duration':
    case 'map':
    case 'optional':
    case 'type':
    case 'error':
    case 'message':
    case 'opaque':
    case 'parameter':
      return false;
  }
}
