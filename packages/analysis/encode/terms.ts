import * as cel from '../../cel/runtime/index.js';
import type { Attributes, Request } from '../../../runtime/policy/index.js';
import { evaluate, type Surroundings } from '../../../compiler/evaluate.js';
import type { Match, Module } from '../../../compiler/ir/program.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Macro, Operator, Value } from '../../../compiler/ir/value.js';
import { some } from '../../../compiler/ir/visit.js';
import { call, uninterpretedCall } from './calls.js';
import { abstracted } from './macros.js';
import { IPV4_ADDRESSES } from './networks.js';
import { equality } from './equality.js';
import { hasContent, ofContent, optional } from './optionals.js';
import type { Script } from './script.js';
import { encodeSetCall, equivalence, normalArguments } from './set-functions.js';
import { and, apply, intConstant, not, or, stringConstant } from './smt.js';
import { dependsOnRequest, isWritten, namedToken, readsTime, textsSought } from './value-tests.js';
import { besideJson, constant, FAILURE, list, map, type Term, unknown, unlessFailed } from './values.js';

/** Where an expression stands: what its names mean. */
export interface Scope {
  readonly module: Pick<Module, 'variables' | 'constants'>;
  /** A variable that fails reads as null. */
  readonly failedIsNull: boolean;
  /** `runtime.effectiveDerivedRoles`: each role that may be in it, and where it is, as terms of the sort Bool. */
  readonly derivedRoles: () => readonly { readonly name: string; readonly isActive: string }[];
  /** The variables of macros around it, and the scope outside of all macros. */
  readonly locals: ReadonlyMap<string, Term>;
  readonly outermost?: Scope;
}

/** Something that a query leaves open, with what a bounded list makes of it. */
export interface Applied {
  /** `listed`: that an element equals a value; `macro`: a macro over a list. */
  readonly kind: 'listed' | 'macro';
  readonly result: string;
  readonly range: Term;
  readonly element?: Term;
  readonly macro?: Macro;
  readonly scope?: Scope;
}

/** A read of an entry of a map, for models: of a term, by a key. */
export interface Read {
  readonly of: string;
  readonly key: string;
}

/**
 * Expressions as terms. The depth of expressions is limited by the parser, and variables
 * read those before them.
 */
export class Terms {
  /** What a solver is not told the meaning of, as reports name it. */
  readonly uninterpreted = new Set<string>();
  readonly applied: Applied[] = [];
  readonly reads = new Map<string, Read>();
  /** Terms that are looked into as lists. */
  readonly collections = new Map<string, Term>();
  /** Strings that are parsed as times and durations: terms of the sort V. */
  readonly parsed = { timestamps: new Set<string>(), durations: new Set<string>() };
  /** The parts of the request that are read, as terms of the sort V. */
  readonly fields = new Map<string, string>();
  /**
   * String constants that conditions look for among the roles of the principal; whether one does by its text, so that
   * the role is a class of its own.
   */
  readonly roleNames = new Map<string, boolean>();
  /** What is compared: used to prefer requests whose attributes have the types that are expected. */
  readonly compared: (readonly [Term, Term])[] = [];
  /** What usual requests satisfy. */
  readonly usual: string[] = [];
  private readonly terms = new Map<Scope, Map<Value, Term>>();
  private readonly variables = new Map<Scope, Map<string, Term>>();

  /** @param known the globals; undefined if any are possible. */
  constructor(
    readonly script: Script,
    private readonly known?: Attributes,
  ) {}

  /** When a condition holds, as a term of the sort Bool. */
  holds(match: Match, scope: Scope): string {
    switch (match.kind) {
      case 'expr':
        return this.truth(match.value, scope, true);
      case 'all':
        return and(...match.of.map((part) => this.holds(part, scope)));
      case 'any':
        return or(...match.of.map((part) => this.holds(part, scope)));
      case 'none':
        return not(or(...match.of.map((part) => this.holds(part, scope))));
    }
  }

  /** That an expression is true, or that it is false; neither where it fails or is not a boolean. */
  truth(value: Value, scope: Scope, polarity: boolean): string {
    return this.script.define('Bool', this.encodeTruth(value, scope, polarity));
  }

  /** The image of an expression. */
  term(value: Value, scope: Scope): Term {
    const ofScope = this.terms.get(scope) ?? new Map<Value, Term>();
    this.terms.set(scope, ofScope);
    const known = ofScope.get(value) ?? this.closed(value);
    if (known !== undefined) return known;
    const made = this.encode(value, scope);
    const named = made.value === undefined ? { ...made, text: this.script.define('V', made.text) } : made;
    ofScope.set(value, named);
    return named;
  }

  /** States what lists and maps that are written down contain, for each element and key that is asked about. */
  stateContents(): void {
    const { script } = this;
    for (const { kind, result, range, element } of this.applied) {
      if (kind !== 'listed' || element === undefined) continue;
      for (const [image, elements] of script.lists) {
        const found = elements.map((item) => `(isTrue (equal ${element.text} ${item}))`);
        script.assert(`(=> (= ${range.text} (Lst ${image})) (= ${result} ${or(...found)}))`);
      }
    }
    const keys = new Set([...this.reads.values()].map(({ key }) => key).filter((key) => key.startsWith('"')));
    for (const [image, own] of script.maps)
      for (const key of keys) if (!own.has(key)) script.assert(`(isErr (entry ${image} ${key}))`);
  }

  private encodeTruth(value: Value, scope: Scope, polarity: boolean): string {
    if (value.kind === 'operator') {
      const [first, second, third] = value.operands as [Value, Value, Value];
      const of = (part: Value, own: boolean): string => this.truth(part, scope, own);
      switch (value.operator) {
        case 'and':
        case 'or':
          return ((value.operator === 'and') === polarity ? and : or)(of(first, polarity), of(second, polarity));
        case 'not':
          return of(first, !polarity);
        case 'conditional':
          return or(and(of(first, true), of(second, polarity)), and(of(first, false), of(third, polarity)));
        default:
      }
    }
    if (value.kind === 'variable') {
      const definition = scope.module.variables.find(({ name }) => name === value.name)?.value;
      if (definition !== undefined && survives(definition.type))
        return this.truth(definition, scope.outermost ?? scope, polarity);
    }
    const { text } = this.term(value, scope);
    if (text === '(Bool true)' || text === '(Bool false)') return String(text === `(Bool ${polarity})`);
    return `(${polarity ? 'isTrue' : 'isFalse'} ${text})`;
  }

  /** The image of an expression that does not depend on the request. */
  private closed(value: Value): Term | undefined {
    if (value.kind === 'literal') {
      const literal = value.literal === 'uint' ? new cel.Uint(value.value) : value.value;
      return this.written(literal as cel.Value);
    }
    if (some(value, dependsOnRequest)) return undefined;
    const result = evaluate(value, NOWHERE);
    if (cel.isFailure(result)) return FAILURE;
    return constant(result, this.script);
  }

  private encode(value: Value, scope: Scope): Term {
    const token = namedToken(value);
    if (token !== undefined) return this.claims(token);
    const of = (part: Value): Term => this.term(part, scope);
    switch (value.kind) {
      case 'literal':
        return FAILURE;
      case 'field':
        return this.field(value, scope);
      case 'part':
        return this.unexplained(`${value.part} as a whole`, `part ${value.part}`, []);
      case 'variable':
        return this.variable(value.name, scope);
      case 'constant':
        return this.encodeConstant(value.name, scope);
      case 'global':
        return this.global(value.name);
      case 'local':
        return scope.locals.get(value.name) ?? FAILURE;
      case 'is-set':
        return unknown(`(Bool (not (isErr ${this.binding(value.binding, value.name, scope).text})))`, true);
      case 'bindings':
        return this.bindings(value, scope);
      case 'select':
        return this.select(of(value.operand), value.name);
      case 'has':
        return this.has(of(value.operand), value.name);
      case 'optional-select':
        if (value.operand.kind === 'bindings' && value.operand.of === 'globals')
          return optional(this.global(value.name), NULL, this.script);
        return this.optionalSelect(of(value.operand), value.name);
      case 'index':
        return this.index(of(value.operand), of(value.index));
      case 'optional-index': {
        return this.optionalIndex(of(value.operand), of(value.index));
      }
      case 'operator':
        return this.operator(value, scope);
      case 'call':
        return this.call(value.runtime, value.name, value.args.map(of));
      case 'list':
        return this.encodeList(value, scope);
      case 'map':
        return this.encodeMap(value, scope);
      case 'type-name':
        return this.unexplained('type', `type ${value.name}`, []);
      case 'macro':
        return this.macro(value, scope);
    }
  }

  private field({ of, name }: Value & { readonly kind: 'field' }, scope: Scope): Term {
    if (of === 'runtime') return this.derivedRoles(scope);
    if (of === 'auxData' && name === 'jwts') return this.unexplained('jwts', 'jwts', []);
    const own = `${of}.${name}`;
    if (name === 'roles') {
      this.script.assert('(< 0 (length roles))');
      return { text: '(Lst roles)', isJson: true, isRoles: true };
    }
    const isMap = name === 'attr' || name === 'jwt';
    const constructor = isMap ? 'Map' : 'Str';
    const text = `(${constructor} ${this.script.uninterpreted(own, isMap ? 'M' : 'String', '')})`;
    this.fields.set(own, text);
    return unknown(text, true);
  }

  /** `request.auxData.jwts.NAME.claims`: tokens as a map of maps, which conditions do not see as such. */
  private claims(token: string): Term {
    const text = `(Map ${this.script.uninterpreted('auxData.jwts', 'M', '')})`;
    this.fields.set('auxData.jwts', text);
    const part = (of: Term, name: string): Term => {
      const { text: named, isJson } = this.select(of, name);
      return unknown(this.script.define('V', named), isJson);
    };
    return part(part(unknown(this.script.define('V', text), true), token), 'claims');
  }

  /** The list as a whole depends on which of its roles are active. */
  private derivedRoles(scope: Scope): Term {
    const roles = scope.derivedRoles();
    const name = `derived roles ${JSON.stringify(roles.map((role) => role.name))}`;
    const active = roles.map(({ isActive }) => isActive);
    return {
      text: `(Lst ${this.script.uninterpreted(name, 'L', active.map(() => 'Bool').join(' '), ...active)})`,
      isJson: true,
      candidates: roles.map((role) => ({
        element: constant(role.name, this.script) as Term,
        isIn: role.isActive,
      })),
    };
  }

  private binding(kind: 'variable' | 'constant' | 'global', name: string, scope: Scope): Term {
    if (kind === 'global') return this.global(name);
    return kind === 'variable' ? this.variable(name, scope) : this.encodeConstant(name, scope);
  }

  private variable(name: string, scope: Scope): Term {
    const definition = scope.module.variables.find((variable) => variable.name === name)?.value;
    if (definition === undefined) return FAILURE;
    // Variables do not see those of macros.
    const within = scope.outermost ?? scope;
    const ofScope = this.variables.get(within) ?? new Map<string, Term>();
    this.variables.set(within, ofScope);
    const known = ofScope.get(name) ?? this.definition(definition, within);
    ofScope.set(name, known);
    return known;
  }

  private definition(definition: Value, scope: Scope): Term {
    const own = this.term(definition, scope);
    const kept = survives(definition.type) ? own : this.stored(own);
    if (!scope.failedIsNull) return kept;
    return unknown(this.script.define('V', `(ite (isErr ${kept.text}) Null ${kept.text})`), kept.isJson);
  }

  /** What a variable keeps of a value whose type does not survive: of an optional, its content or null. */
  private stored(own: Term): Term {
    if (!own.content?.isJson) return this.unexplained('a stored value', 'stored', [own]);
    const { text } = own.content;
    return unknown(this.script.define('V', `(ite (isErr ${own.text}) Err (ite (isErr ${text}) Null ${text}))`), true);
  }

  private encodeConstant(name: string, scope: Scope): Term {
    const definition = scope.module.constants.find((own) => own.name === name);
    if (definition === undefined) return FAILURE;
    return this.written(definition.value as cel.Value);
  }

  /** A constant; one that has no image is known by name. */
  private written(value: cel.Value): Term {
    const name = `literal ${JSON.stringify(value, (_, part: unknown) => plain(part))}`;
    const image = constant(value, this.script);
    if (image !== undefined) return image;
    const isBytes = value instanceof Uint8Array;
    const text = this.script.uninterpreted(name, isBytes ? 'O' : 'V', '');
    return unknown(isBytes ? `(Oth ${text})` : text);
  }

  private global(name: string): Term {
    if (this.known !== undefined) return Object.hasOwn(this.known, name) ? this.written(this.known[name]) : FAILURE;
    return unknown(this.script.define('V', `(configured ${this.select(this.globals(), name).text})`));
  }

  private bindings({ of, before }: Value & { readonly kind: 'bindings' }, scope: Scope): Term {
    if (of === 'globals') return this.unexplained('G', 'all globals', [this.globals()]);
    const { variables, constants } = scope.module;
    const names = (of === 'variables' ? variables : constants).map(({ name }) => name);
    const listed = before === undefined ? names : names.slice(0, names.indexOf(before));
    const terms = listed.map((name) => this.binding(of === 'variables' ? 'variable' : 'constant', name, scope));
    return this.unexplained(of === 'variables' ? 'V' : 'C', `${of} ${JSON.stringify(listed)}`, terms);
  }

  private globals(): Term {
    if (this.known !== undefined) return this.written(this.known);
    const text = `(Map ${this.script.uninterpreted('globals', 'M', '')})`;
    this.fields.set('globals', text);
    return unknown(text);
  }

  private select(operand: Term, name: string): Term {
    if (hasContent(operand)) return this.optionalSelect(operand, name);
    if (operand.entries !== undefined && operand.value !== undefined) return operand.entries.get(name) ?? FAILURE;
    const key = stringConstant(name);
    this.read(operand, key);
    return unknown(apply(operand.isJson ? 'selectJson' : 'selectKey', operand.text, key), operand.isJson);
  }

  private has(operand: Term, name: string): Term {
    if (hasContent(operand)) {
      const { content } = operand;
      const isThere = `(ite (isErr ${content.text}) (Bool false) ${this.has(content, name).text})`;
      return unknown(`(ite (isErr ${operand.text}) Err ${isThere})`, true);
    }
    if (operand.entries !== undefined && operand.value !== undefined)
      return constant(operand.entries.has(name), this.script) as Term;
    const key = stringConstant(name);
    this.read(operand, key);
    return unknown(apply(operand.isJson ? 'hasJson' : 'has', operand.text, key), true);
  }

  private optionalSelect(operand: Term, name: string): Term {
    const { script } = this;
    const failing = ({ text }: Term): string => `(ite ((_ is Lst) ${text}) Err ${text})`;
    if (operand.isJson)
      return optional(this.select(operand, name), unknown(script.define('V', failing(operand))), script);
    if (hasContent(operand) && operand.content.isJson)
      return ofContent(operand, (content) => this.select(content, name), failing, script);
    return this.unexplained('.?', `optionalSelect ${JSON.stringify(name)}`, [operand]);
  }

  private optionalIndex(operand: Term, index: Term): Term {
    if (typeof index.value === 'string') return this.optionalSelect(operand, index.value);
    const { script } = this;
    const failing = ({ text }: Term): string => apply('indexable', text, index.text);
    if (operand.isJson)
      return optional(this.index(operand, index), unknown(script.define('V', failing(operand))), script);
    if (hasContent(operand) && operand.content.isJson) {
      // Of none, too, an index has to be one.
      const indexed = { ...operand, text: `(ite (isKey ${index.text}) ${operand.text} Err)` };
      return ofContent(indexed, (content) => this.index(content, index), failing, script);
    }
    return this.unexplained('[?]', 'optionalIndex', [operand, index]);
  }

  private index(operand: Term, index: Term): Term {
    if (hasContent(operand)) return this.optionalIndex(operand, index);
    if (typeof index.value === 'string') return this.select(operand, index.value);
    this.read(operand, `(str ${index.text})`);
    this.collections.set(operand.text, operand);
    return unknown(apply(operand.isJson ? 'indexJson' : 'index', operand.text, index.text), operand.isJson);
  }

  private read(operand: Term, key: string): void {
    this.reads.set(`${operand.text} ${key}`, { of: operand.text, key });
  }

  private operator(value: Value & { readonly kind: 'operator' }, scope: Scope): Term {
    const { operator, operands } = value;
    if (operator === 'and' || operator === 'or' || operator === 'not') {
      const [yes, no] = [true, false].map((polarity) => this.truth(value, scope, polarity));
      return unknown(`(truth ${yes} ${no})`, true);
    }
    if (operator === 'conditional') {
      const [condition, yes, no] = operands as [Value, Value, Value];
      const [whenTrue, whenFalse] = [this.term(yes, scope), this.term(no, scope)];
      const [isTrue, isFalse] = [true, false].map((polarity) => this.truth(condition, scope, polarity));
      const chosen = (one: Term, other: Term): Term =>
        unknown(
          this.script.define('V', `(ite ${isTrue} ${one.text} (ite ${isFalse} ${other.text} Err))`),
          one.isJson && other.isJson,
        );
      const result = chosen(whenTrue, whenFalse);
      if (!hasContent(whenTrue) || !hasContent(whenFalse)) return result;
      return { ...result, content: chosen(whenTrue.content, whenFalse.content) };
    }
    const terms = operands.map((operand) => this.term(operand, scope));
    if (operator !== 'inCollection') return this.strict(operator, terms);
    const [element, collection] = operands as [Value, Value];
    return this.membership(terms[0] as Term, terms[1] as Term, isWritten(element) && collection.kind === 'field');
  }

  /** An operator that evaluates its operands. */
  private strict(operator: Exclude<Operator, Logical>, operands: readonly Term[]): Term {
    const { script } = this;
    const [a, b] = operands as [Term, Term];
    switch (operator) {
      case 'equals':
        this.compared.push([a, b]);
        return equality(a, b, script);
      case 'notEquals':
        this.compared.push([a, b]);
        return unknown(`(notEquals ${a.text} ${b.text} ${equality(a, b, script).text})`, true);
      case 'lessThan':
      case 'atMost':
      case 'greaterThan':
      case 'atLeast':
        this.compared.push([a, b]);
        return unknown(apply(operator, a.text, b.text), true);
      case 'multiply': {
        const [factor, other] = typeof a.value === 'bigint' ? [a.value, b] : [b.value, a];
        if (typeof factor === 'bigint') return unknown(`(multiplyBy ${other.text} ${intConstant(factor)})`);
        return this.arithmetic(operator, operands);
      }
      case 'add':
      case 'subtract':
      case 'divide':
      case 'modulo':
      case 'negate':
        return this.arithmetic(operator, operands);
    }
  }

  private arithmetic(operator: string, operands: readonly Term[]): Term {
    if (operator !== 'negate') this.uninterpreted.add(`${operator} of some numbers`);
    const isJson = operator === 'add' && operands.every((operand) => operand.isJson);
    const term = apply(operator, ...operands.map(({ text }) => text));
    // A sum of JSON is a string, a list or a double, and doubles may leave what JSON has.
    return unknown(term, isJson && operands.some(isString));
  }

  /** @param isWritten whether the text of the condition has both. */
  private membership(sought: Term, collection: Term, isWritten: boolean): Term {
    const { script } = this;
    // Of values that are equal, such as [0.0] and [-0.0], all are in a list or none is.
    const isCompound = sought.elements !== undefined || sought.entries !== undefined;
    const element = isCompound && collection.isJson ? besideJson(sought, script) : sought;
    const texts = `${element.text} ${collection.text}`;
    if (collection.isRoles) {
      const { value } = element;
      if (typeof value === 'string') this.roleNames.set(value, isWritten || this.roleNames.get(value) === true);
      return unknown(`(inRoles ${element.text})`, true);
    }
    if (collection.elements !== undefined) {
      const found = collection.elements.map((item) => `(isTrue ${equality(element, item, script).text})`);
      for (const item of collection.elements) this.compared.push([element, item]);
      return unknown(unlessFailed([element, collection], `(Bool ${or(...found)})`), true);
    }
    if (collection.candidates !== undefined) {
      const found = collection.candidates.map(({ element: item, isIn }) =>
        and(isIn, `(isTrue ${equality(element, item, script).text})`),
      );
      return unknown(unlessFailed([element, collection], `(Bool ${or(...found)})`), true);
    }
    if (collection.contains !== undefined)
      return unknown(unlessFailed([element, collection], `(Bool ${collection.contains(element)})`), true);
    this.collections.set(collection.text, collection);
    this.read(collection, typeof element.value === 'string' ? stringConstant(element.value) : `(str ${element.text})`);
    const result = `(isListed ${element.text} (lst ${collection.text}))`;
    this.applied.push({ kind: 'listed', result, range: collection, element });
    const isIn = `(${collection.isJson ? 'inJson' : 'in'} ${texts})`;
    if (element.isJson) return unknown(isIn, true);
    // Bytes as a key are an error in a map of a policy, and in JSON they are not found.
    const other = script.uninterpreted(`key ${texts}`, 'V', '');
    const isOther = `(and ((_ is Oth) ${element.text}) ((_ is Map) ${collection.text}))`;
    return unknown(`(ite ${isOther} (boolOf ${other}) ${isIn})`, true);
  }

  private call(runtime: string, name: string, args: readonly Term[]): Term {
    const known = call(runtime, args, this.script);
    const [first] = args;
    if (known !== undefined) {
      if (runtime === 'toTimestamp' && first !== undefined) this.parsed.timestamps.add(first.text);
      if (runtime === 'toDuration' && first !== undefined) this.parsed.durations.add(first.text);
      if (runtime === 'size' && first !== undefined) this.collections.set(first.text, first);
      if (runtime === 'inIPAddrRange' && first !== undefined) {
        this.uninterpreted.add('inIPAddrRange of other than IPv4 addresses');
        this.usual.push(`(or (not ((_ is Str) ${first.text})) (str.in_re (str ${first.text}) ${IPV4_ADDRESSES}))`);
      }
      return known;
    }
    const { script } = this;
    const isIn = (element: Term, list: Term): Term => this.membership(element, list, false);
    const ofSets =
      encodeSetCall(runtime, args, isIn, script) ??
      equivalence(runtime, args, (all, some_) => this.call('setsContains', name, [all, some_]), script);
    if (ofSets !== undefined) return ofSets;
    this.uninterpreted.add(name);
    return uninterpretedCall(runtime, normalArguments(runtime, args, this.script), this.script);
  }

  /** Something of which nothing is known but what it depends on. It may fail. */
  private unexplained(shown: string, name: string, args: readonly Term[]): Term {
    this.uninterpreted.add(shown);
    return unknown(
      this.script.uninterpreted(name, 'V', args.map(() => 'V').join(' '), ...args.map(({ text }) => text)),
    );
  }

  private encodeList({ elements }: Value & { readonly kind: 'list' }, scope: Scope): Term {
    const terms = elements.map(({ value }) => this.term(value, scope));
    if (elements.every(({ optional: isOptional }) => !isOptional)) return list(terms, this.script);
    const shape = elements.map(({ optional: isOptional }) => (isOptional ? '?' : '.')).join('');
    return this.unexplained('[?]', `list ${shape}`, terms);
  }

  private encodeMap({ entries }: Value & { readonly kind: 'map' }, scope: Scope): Term {
    const terms = entries.map(({ key, value }) => [this.term(key, scope), this.term(value, scope)] as const);
    const isPlain = entries.every(({ optional: isOptional }) => !isOptional);
    if (isPlain && terms.every(([key]) => typeof key.value === 'string')) {
      const named = terms.map(([key, value]) => [key.value as string, value] as const);
      const last = map(new Map(named), this.script);
      // An entry that another one replaces may fail, too.
      return {
        ...last,
        text: unlessFailed(
          terms.map(([, value]) => value),
          last.text,
        ),
      };
    }
    const shape = entries.map(({ optional: isOptional }) => (isOptional ? '?' : '.')).join('');
    this.uninterpreted.add('a map with keys that are no constant strings');
    const image = this.script.uninterpreted(
      `map ${shape}`,
      'V',
      terms.flatMap(() => ['V', 'V']).join(' '),
      ...terms.flatMap(([key, value]) => [key.text, value.text]),
    );
    return unknown(`(mapOf ${image})`);
  }

  /** Macros over what is written down are unrolled; others are functions of all that they read from outside. */
  private macro(macro: Macro, scope: Scope): Term {
    const range = this.term(macro.range, scope);
    const [local = ''] = macro.variables;
    if (macro.runtime === 'bind') return this.term(macro.body, withLocals(scope, [[local, range]]));
    if (hasContent(range) && (macro.runtime === 'optMap' || macro.runtime === 'optFlatMap')) {
      const mapped = this.optMap(macro, range, scope);
      if (mapped !== undefined) return mapped;
    }
    if (range.elements !== undefined && isQuantifier(macro))
      return unknown(unlessFailed([range], this.unrolled(macro, range.elements, scope)), true);
    const isUnrolled = isQuantifier(macro) && macro.variables.length === 1;
    if (range.candidates !== undefined && isUnrolled && !(range.mayRepeat && macro.runtime === 'existsOne')) {
      const elements = range.candidates.map(({ element }) => element);
      const counts = range.candidates.map(({ isIn }) => isIn);
      return unknown(unlessFailed([range], this.unrolled(macro, elements, scope, counts)), true);
    }
    const sought = range.isRoles === true && isQuantifier(macro) ? textsSought(macro) : undefined;
    if (sought !== undefined) return this.overRoles(macro, sought, scope);
    const { shape, outside } = abstracted(macro);
    const args = [
      range,
      ...outside.map((part) => this.term(part, scope)),
      ...(readsTime(macro) ? [unknown('now')] : []),
    ];
    this.uninterpreted.add(`macro ${macro.runtime}`);
    const image = this.script.define(
      'V',
      this.script.uninterpreted(`macro ${shape}`, 'V', args.map(() => 'V').join(' '), ...args.map(({ text }) => text)),
    );
    this.collections.set(range.text, range);
    if (isQuantifier(macro)) this.applied.push({ kind: 'macro', result: image, range, macro, scope });
    const limit = MACRO_RESULTS[macro.runtime];
    const result = unknown(`(ite (isErr ${range.text}) Err ${limit === undefined ? image : `(${limit} ${image})`})`);
    const named = { ...result, text: this.script.define('V', result.text) };
    return this.search(macro, range, named, scope) ?? named;
  }

  /**
   * `exists` and `all` over the roles of the principal: what is sought among them, and one that stands for all others.
   */
  private overRoles(macro: Macro, sought: readonly string[], scope: Scope): Term {
    const { script } = this;
    const name = JSON.stringify(sought);
    const other = script.uninterpreted(`other role than ${name}`, 'String', '');
    for (const role of sought) {
      script.assert(`(not (= ${other} ${stringConstant(role)}))`);
      this.roleNames.set(role, macro.range.kind === 'field' || this.roleNames.get(role) === true);
    }
    const elements = [...sought.map((role) => constant(role, script) as Term), unknown(`(Str ${other})`, true)];
    const counts = [
      ...sought.map((role) => `(hasRole ${stringConstant(role)})`),
      script.uninterpreted(`has other role than ${name}`, 'Bool', ''),
    ];
    return unknown(this.unrolled(macro, elements, scope, counts), true);
  }

  /**
   * `list.exists(x, x == e)` and `list.all(x, x != e)`, which ask as `e in list` does; undefined for other macros.
   * @param otherwise where e fails: that does not matter for an empty list.
   */
  private search(
    { runtime, variables, range: source, body }: Macro,
    range: Term,
    otherwise: Term,
    scope: Scope,
  ): Term | undefined {
    const operator = { exists: 'equals', all: 'notEquals' }[runtime];
    const [local = ''] = variables;
    if (body.kind !== 'operator' || body.operator !== operator || !range.isJson) return undefined;
    const isLocal = (part: Value): boolean => part.kind === 'local' && part.name === local;
    const sought = body.operands.find((operand) => !some(operand, isLocal));
    if (sought === undefined || !body.operands.some(isLocal)) return undefined;
    const element = besideJson(this.term(sought, scope), this.script);
    if (!element.isJson) return undefined;
    const { text } = this.membership(element, range, isWritten(sought) && source.kind === 'field');
    const isExists = runtime === 'exists';
    const found = isExists ? text : `(ite (isErr ${text}) Err (Bool (isFalse ${text})))`;
    // Without an element to compare with, nothing is found.
    const failed = `(ite (${isExists ? 'isTrue' : 'isFalse'} ${otherwise.text}) Err ${otherwise.text})`;
    return unknown(`(ite (isErr ${element.text}) ${failed} ${found})`, true);
  }

  /** Undefined where what `optFlatMap` gives is not known to be an optional. */
  private optMap(
    { runtime, variables: [local = ''], body }: Macro,
    range: Term & { readonly content: Term },
    scope: Scope,
  ): Term | undefined {
    const result = this.term(body, withLocals(scope, [[local, range.content]]));
    const content = runtime === 'optMap' ? result : result.content;
    if (content === undefined) return undefined;
    return ofContent(
      range,
      () => content,
      () => result.text,
      this.script,
    );
  }

  /** `a == b`. */
  equal(a: Term, b: Term): Term {
    return equality(a, b, this.script);
  }

  /** `exists`, `all` and `exists_one` over elements; each counts where its condition is true. */
  unrolled(macro: Macro, elements: readonly Term[], scope: Scope, counts?: readonly string[]): string {
    const items = elements.map((element, at) => {
      const position = constant(BigInt(at), this.script) as Term;
      const values = macro.variables.length === 2 ? [position, element] : [element];
      const inner = withLocals(
        scope,
        macro.variables.map((name, index) => [name, values[index] as Term] as const),
      );
      const [yes, no] = [true, false].map((polarity) => this.truth(macro.body, inner, polarity)) as [string, string];
      return { yes, no, is: counts?.[at] ?? 'true' };
    });
    const some_ = (of: 'yes' | 'no'): string => or(...items.map((item) => and(item.is, item[of])));
    const every = (of: 'yes' | 'no'): string => and(...items.map((item) => or(not(item.is), item[of])));
    if (macro.runtime.startsWith('existsOne')) {
      const decided = items.map((item) => or(not(item.is), item.yes, item.no));
      const exactlyOne = items.map((item, at) =>
        and(
          item.is,
          item.yes,
          ...items.flatMap((other, otherAt) => (otherAt === at ? [] : [not(and(other.is, other.yes))])),
        ),
      );
      return `(ite ${and(...decided)} (Bool ${or(...exactlyOne)}) Err)`;
    }
    return macro.runtime.startsWith('exists')
      ? `(truth ${some_('yes')} ${every('no')})`
      : `(truth ${every('yes')} ${some_('no')})`;
  }
}

/** Macros whose result is limited, by the function of the prelude that limits it. */
const MACRO_RESULTS: { readonly [runtime: string]: string } = {
  all: 'boolOf',
  all2: 'boolOf',
  exists: 'boolOf',
  exists2: 'boolOf',
  existsOne: 'boolOf',
  existsOne2: 'boolOf',
  filter: 'listOf',
  mapEach: 'listOf',
  mapWhere: 'listOf',
  transformList: 'listOf',
  transformListWhere: 'listOf',
  transformMap: 'mapOf',
  transformMapWhere: 'mapOf',
  transformMapEntry: 'mapOf',
  transformMapEntryWhere: 'mapOf',
  sortBy: 'listOf',
};

/** Operators that do not need all of their operands, and the one that classes of roles depend on. */
type Logical = 'and' | 'or' | 'not' | 'conditional' | 'inCollection';

const NULL: Term = { text: 'Null', isJson: true };

function isQuantifier({ runtime }: Macro): boolean {
  return MACRO_RESULTS[runtime] === 'boolOf';
}

function isString({ text, value }: Term): boolean {
  return typeof value === 'string' || text.startsWith('(Str ');
}

function withLocals(scope: Scope, locals: readonly (readonly [string, Term])[]): Scope {
  return { ...scope, locals: new Map([...scope.locals, ...locals]), outermost: scope.outermost ?? scope };
}

const absent = (): cel.Result => undefined;

const NOWHERE: Surroundings = {
  request: {} as Request,
  bindings: { variable: absent, constant: absent, variables: () => ({}), constants: () => ({}) },
  locals: new Map(),
};

/** A constant of a policy as JSON that differs where the constants do. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { double: Object.is(value, -0) ? '-0' : String(value) };
  if (value instanceof cel.Uint) return { uint: String(value.value) };
  return value;
}
