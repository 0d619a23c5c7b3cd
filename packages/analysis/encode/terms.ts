import * as cel from '../../cel/runtime/index.js';
import type { Attributes, Request } from '../../../runtime/policy/index.js';
import { evaluate, type Surroundings } from '../../../compiler/evaluate.js';
import type { Match } from '../../../compiler/ir/program.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Value } from '../../../compiler/ir/value.js';
import { some } from '../../../compiler/ir/visit.js';
import { encodeCall } from './calls.js';
import { encodeList, encodeMap, encodeWritten } from './literals.js';
import { encodeMacro } from './macros.js';
import { encodeMembership } from './membership.js';
import { encodeStrictOperator } from './operators.js';
import { hasContent, optional } from './optionals.js';
import { type Expressions, QueryRecord } from './query-record.js';
import type { Scope } from './scope.js';
import type { Script } from './script.js';
import { encodeHas, encodeIndex, encodeOptionalIndex, encodeOptionalSelect, encodeSelect } from './selections.js';
import { and, not, or } from './smt.js';
import { dependsOnRequest, isWritten, namedToken } from './value-tests.js';
import { constant, FAILURE, type Term, unknown } from './values.js';

/**
 * Expressions as terms. The depth of expressions is limited by the parser, and variables
 * read those before them.
 */
export class Terms extends QueryRecord implements Expressions {
  private readonly terms = new Map<Scope, Map<Value, Term>>();
  private readonly variables = new Map<Scope, Map<string, Term>>();

  /** @param known the globals; undefined if any are possible. */
  constructor(
    script: Script,
    private readonly known?: Attributes,
  ) {
    super(script);
  }

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
      return encodeWritten(this, literal as cel.Value);
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
        return encodeSelect(this, of(value.operand), value.name);
      case 'has':
        return encodeHas(this, of(value.operand), value.name);
      case 'optional-select':
        if (value.operand.kind === 'bindings' && value.operand.of === 'globals')
          return optional(this.global(value.name), NULL, this.script);
        return encodeOptionalSelect(this, of(value.operand), value.name);
      case 'index':
        return encodeIndex(this, of(value.operand), of(value.index));
      case 'optional-index': {
        return encodeOptionalIndex(this, of(value.operand), of(value.index));
      }
      case 'operator':
        return this.operator(value, scope);
      case 'call':
        return encodeCall(this, value.runtime, value.name, value.args.map(of));
      case 'list':
        return encodeList(this, value, scope);
      case 'map':
        return encodeMap(this, value, scope);
      case 'type-name':
        return this.unexplained('type', `type ${value.name}`, []);
      case 'macro':
        return encodeMacro(this, value, scope);
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
      const { text: named, isJson } = encodeSelect(this, of, name);
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
    return encodeWritten(this, definition.value as cel.Value);
  }

  private global(name: string): Term {
    if (this.known !== undefined)
      return Object.hasOwn(this.known, name) ? encodeWritten(this, this.known[name]) : FAILURE;
    return unknown(this.script.define('V', `(configured ${encodeSelect(this, this.globals(), name).text})`));
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
    if (this.known !== undefined) return encodeWritten(this, this.known);
    const text = `(Map ${this.script.uninterpreted('globals', 'M', '')})`;
    this.fields.set('globals', text);
    return unknown(text);
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
    if (operator !== 'inCollection') return encodeStrictOperator(this, operator, terms);
    const [element, collection] = operands as [Value, Value];
    return encodeMembership(
      this,
      terms[0] as Term,
      terms[1] as Term,
      isWritten(element) && collection.kind === 'field',
    );
  }
}

const NULL: Term = { text: 'Null', isJson: true };

const absent = (): cel.Result => undefined;

const NOWHERE: Surroundings = {
  request: {} as Request,
  bindings: { variable: absent, constant: absent, variables: () => ({}), constants: () => ({}) },
  locals: new Map(),
};
