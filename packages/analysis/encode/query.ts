import type { Attributes } from '../../../runtime/policy/index.js';
import type { Formula, Holds } from '../formula/formula.js';
import type { Question } from '../question/question.js';
import { equality } from './equality.js';
import { encodeUnrolled } from './macros.js';
import { type ListedElement, schemaFacts } from './schemas.js';
import type { Scope } from './scope.js';
import { Script } from './script.js';
import { and, apply, intConstant, NotEncodable, not, or, stringConstant } from './smt.js';
import { Terms } from './terms.js';
import { type Term, unknown } from './values.js';

/** What a solver is asked about a question, as SMT-LIB 2.6 without options and commands that answer. */
export interface Query {
  /** Has no model only if no request makes the formula true. */
  readonly proof: string;
  /** The same for small collections, whose members are written out, so that models are requests. */
  readonly witness: () => Witness;
  /** What the proof query leaves open, as reports name it; sorted. */
  readonly uninterpreted: readonly string[];
}

/** A query whose models are read as requests. */
export interface Witness {
  readonly text: string;
  /** Further assertions that usual requests satisfy. */
  readonly natural: string;
  readonly asked: Asked;
}

/** The terms that a model is read from. */
export interface Asked {
  /** Terms of fields, by name: `principal.id`, `resource.attr`, `globals`. */
  readonly fields: ReadonlyMap<string, string>;
  readonly roles: readonly { readonly role: string; readonly text: string }[];
  readonly maps: readonly { readonly map: string; readonly key: string; readonly value: string }[];
  readonly lists: readonly { readonly list: string; readonly length: string; readonly elements: readonly string[] }[];
  /** Strings, and the times and durations that they stand for. */
  readonly parsed: readonly { readonly text: string; readonly value: string }[];
  readonly now: string;
}

/** The terms of a model, in order. */
export function askedTerms({ fields, roles, maps, lists, parsed, now }: Asked): readonly string[] {
  return [
    ...fields.values(),
    ...roles.map(({ text }) => text),
    ...maps.flatMap(({ map, key, value }) => [map, key, value]),
    ...lists.flatMap(({ list, length, elements }) => [list, length, ...elements]),
    ...parsed.flatMap(({ text, value }) => [text, value]),
    now,
  ];
}

/** The number of macros and memberships that a witness query writes out. */
const MOST_UNROLLED = 400;

/**
 * The query of a question.
 * @param most the number of elements of lists in models.
 * @throws NotEncodable if the query is too large, or names what strings of SMT-LIB cannot have.
 */
export function encodeQuery(question: Question, most: number): Query {
  const encoder = new FormulaEncoder(question.globals);
  const { script, terms } = encoder;
  script.assert(encoder.formula(question.formula));
  for (const fact of pointFacts(question)) script.assert(fact(terms));
  for (const fact of schemaFacts(question.schemas, terms)) script.assert(fact);
  // Who has the role itself has one of its class. The reverse is true of classes of one role.
  for (const role of question.roles) {
    const isAlone = terms.roleNames.get(role);
    if (isAlone === undefined) continue;
    script.assert(apply(isAlone ? '=' : '=>', `(hasRole ${stringConstant(role)})`, encoder.role(role)));
  }
  // Servers refuse requests of principals that have no role, or an empty one.
  if (terms.roleNames.has('')) script.assert('(not (hasRole ""))');
  terms.stateContents();
  return {
    proof: script.text(),
    witness: () => makeWitness(encoder, question, most),
    uninterpreted: [...terms.uninterpreted].sort(),
  };
}

/** Formulas as terms of the sort Bool. */
class FormulaEncoder {
  readonly script = new Script();
  readonly terms: Terms;
  readonly roles = new Map<string, string>();
  private readonly known = new Map<Formula, string>();
  private readonly scopes = new Map<object, Map<string, Scope>>();

  /** @param globals undefined if any are possible. */
  constructor(globals: Attributes | undefined) {
    this.terms = new Terms(this.script, globals);
  }

  /** When a formula is true. */
  formula(formula: Formula): string {
    if (typeof formula === 'boolean') return String(formula);
    const known = this.known.get(formula) ?? this.script.define('Bool', this.encode(formula));
    this.known.set(formula, known);
    return known;
  }

  /** That the principal has a role. */
  role(role: string): string {
    const text = this.script.uninterpreted(`role ${role}`, 'Bool', '');
    this.roles.set(role, text);
    return text;
  }

  private encode(formula: Exclude<Formula, boolean>): string {
    switch (formula.kind) {
      case 'and':
        return and(...formula.operands.map((operand) => this.formula(operand)));
      case 'or':
        return or(...formula.operands.map((operand) => this.formula(operand)));
      case 'not':
        return not(this.formula(formula.operand));
      case 'holds':
        return this.terms.holds(formula.condition, this.makeScope(formula));
      case 'role':
        return this.role(formula.role);
    }
  }

  private makeScope({ module, failedIsNull, derivedRoles }: Holds): Scope {
    const listed = derivedRoles?.map(({ name, isActive }) => ({ name, isActive: this.formula(isActive) }));
    const key = JSON.stringify([failedIsNull, listed]);
    const ofModule = this.scopes.get(module) ?? new Map<string, Scope>();
    this.scopes.set(module, ofModule);
    const scope = ofModule.get(key) ?? {
      module,
      failedIsNull,
      derivedRoles: () => {
        if (listed === undefined) throw new NotEncodable('the list of derived roles is not known');
        return listed;
      },
      locals: new Map(),
    };
    ofModule.set(key, scope);
    return scope;
  }
}

/** A sanitized name that only one name gives (docs/spec/policy-language.md#sanitized-names). */
const UNCHANGED = /^[0-9A-Za-z.]*$/;

/** What a point says about the parts of a request that conditions read. */
function pointFacts({ point }: Question): readonly ((terms: Terms) => string)[] {
  const is = (field: string, text: string): ((terms: Terms) => string) => {
    return (terms) =>
      terms.fields.has(field) ? `(= ${terms.fields.get(field)} (Str ${stringConstant(text)}))` : 'true';
  };
  const { kind, isNamedKind, principal } = point;
  return [
    ...(isNamedKind && UNCHANGED.test(kind) ? [is('resource.kind', kind)] : []),
    ...(principal === undefined ? [] : [is('principal.id', principal.id)]),
  ];
}

/** What the request of a witness has, where a proof admits more. */
function witnessFacts({ point, principals }: Question, terms: Terms): readonly string[] {
  const { kind, version, scope, principal } = point;
  const wanted: readonly (readonly [string, string])[] = [
    ['resource.kind', kind],
    ['resource.policyVersion', version],
    ['resource.scope', scope],
    ...(principal === undefined
      ? []
      : [['principal.id', principal.id] as const, ['principal.scope', principal.scope] as const]),
    ...(principal?.version === undefined ? [] : [['principal.policyVersion', principal.version] as const]),
  ];
  const ids = ['principal.id', 'resource.id'].filter((field) => terms.fields.has(field));
  return [
    ...wanted.flatMap(([field, text]) =>
      terms.fields.has(field) ? [`(= ${terms.fields.get(field)} (Str ${stringConstant(text)}))`] : [],
    ),
    ...ids.map((field) => `(not (= ${terms.fields.get(field)} (Str "")))`),
    ...(principal === undefined && terms.fields.has('principal.id')
      ? [...principals].map((id) => `(not (= ${terms.fields.get('principal.id')} (Str ${stringConstant(id)})))`)
      : []),
  ];
}

function makeWitness({ script, terms, roles }: FormulaEncoder, question: Question, most: number): Witness {
  const positions = Array.from({ length: most }, (_, at) => at);
  const readElement = (range: Term, at: number): Term => {
    const text = `(${range.isJson ? 'elemJson' : 'elem'} (lst ${range.text}) ${at})`;
    return unknown(script.define('V', text), range.isJson);
  };
  const counts = (range: Term): readonly string[] => positions.map((at) => `(< ${at} (length (lst ${range.text})))`);
  for (const fact of witnessFacts(question, terms)) script.assert(fact);
  // Bodies that are written out may contain more.
  for (let at = 0; at < terms.applied.length; at += 1) {
    if (at === MOST_UNROLLED) throw new NotEncodable('a witness has too many collections');
    const { kind, result, range, element, macro, scope } = terms.applied[at] as (typeof terms.applied)[number];
    const elements = positions.map((position) => readElement(range, position));
    if (kind === 'listed' && element !== undefined) {
      const found = elements.map((item, position) =>
        and(counts(range)[position] as string, `(isTrue ${equality(element, item, script).text})`),
      );
      script.assert(`(=> ((_ is Lst) ${range.text}) (= ${result} ${or(...found)}))`);
    }
    if (kind === 'macro' && macro !== undefined && scope !== undefined) {
      script.assert(`(not ((_ is Map) ${range.text}))`);
      script.assert(
        `(=> ((_ is Lst) ${range.text}) (= ${result} ${encodeUnrolled(terms, macro, elements, scope, counts(range))}))`,
      );
    }
  }
  for (const { text } of terms.collections.values())
    script.assert(`(=> ((_ is Lst) ${text}) (<= (length (lst ${text})) ${most}))`);
  // Bodies that are written out read more.
  const listElements = (list: string): readonly ListedElement[] => {
    const range = terms.collections.get(list);
    if (range === undefined) return [];
    return counts(range).map((isThere, at) => ({ text: readElement(range, at).text, isThere }));
  };
  for (const fact of schemaFacts(question.schemas, terms, listElements)) script.assert(fact);
  const lists = [...terms.collections.values()].map((range) => ({
    list: range.text,
    length: `(Int (length (lst ${range.text})))`,
    elements: positions.map((at) => readElement(range, at).text),
  }));
  const asked: Asked = {
    fields: terms.fields,
    roles: [
      ...[...roles].map(([role, text]) => ({ role, text: `(Bool ${text})` })),
      ...[...terms.roleNames.keys()].map((role) => ({ role, text: `(Bool (hasRole ${stringConstant(role)}))` })),
    ],
    maps: [...terms.reads.values()].map(({ of, key }) => ({
      map: of,
      key: `(Str ${key})`,
      value: `(entry (map ${of}) ${key})`,
    })),
    lists,
    parsed: [
      ...[...terms.parsed.timestamps].map((text) => ({ text, value: apply('toTimestamp', text) })),
      ...[...terms.parsed.durations].map((text) => ({ text, value: apply('toDuration', text) })),
    ],
    now: 'now',
  };
  const natural = naturalFacts(terms);
  return { text: script.text(...natural, ...askedTerms(asked)), natural: natural.join('\n'), asked };
}

/** 2025-01-01T00:00:00Z, in nanoseconds since 1970. */
const USUAL_TIME = 1_735_689_600_000_000_000n;

/** Attributes that are compared have the types that the comparison expects, and the parts of a request differ. */
function naturalFacts({ fields, compared, collections, parsed, usual }: Terms): readonly string[] {
  const maps = [...fields.values()].filter((text) => text.startsWith('(Map '));
  const typed = compared.flatMap(([a, b]) => [...typeLike(a, b), ...typeLike(b, a)]);
  return [
    ...(maps.length > 1 ? [`(assert (distinct ${maps.join(' ')}))`] : []),
    `(assert (= now (Ts ${intConstant(USUAL_TIME)} 0)))`,
    ...[...parsed.timestamps].map((text) => `(assert (=> ((_ is Str) ${text}) (= 0 (offset (toTimestamp ${text})))))`),
    ...usual.map((fact) => `(assert ${fact})`),
    ...new Set([
      ...typed.map((fact) => `(assert ${fact})`),
      ...[...collections.values()].map(({ text }) => `(assert (or (isErr ${text}) ((_ is Lst) ${text})))`),
    ]),
  ];
}

/** That a value is missing, or of the type of a constant. */
function typeLike({ text, value }: Term, { value: other }: Term): readonly string[] {
  if (value !== undefined || other === undefined) return [];
  const constructor = { string: 'Str', number: 'Dbl', bigint: 'Dbl', boolean: 'Bool' }[typeof other as string];
  return constructor === undefined ? [] : [`(or (isErr ${text}) ((_ is ${constructor}) ${text}))`];
}
