import { invariant } from '../diagnostics/invariant.js';
import { authored, type Doc, group, hardLine, indent, line, mention, softLine, whenBroken } from './doc.js';
import { ALGEBRA, cel, residual } from './mentions.js';
import type { Span } from '../diagnostics/span.js';
import { findPlace } from '../ir/origins.js';
import type { AuthoredText } from '../ir/program.js';
import type { Value } from '../ir/value.js';
import type { Fragment } from './fragment.js';
import { type ModuleContext, PLAIN, type Style } from './module-context.js';
import { camelCase } from './names.js';

/** The parts of a request that a function may destructure, and the name of each in its body. */
const PARTS = {
  P: 'principal: P',
  R: 'resource: R',
  auxData: 'auxData',
  G: 'globals: G',
  effectiveDerivedRoles: 'effectiveDerivedRoles',
  row: 'row',
  failures: 'failures',
} as const;
export type Part = keyof typeof PARTS;

const PART_NAMES: readonly (Part | 'request')[] = [...(Object.keys(PARTS) as Part[]), 'request'];

/** The parts of a request that code has used, and the request as a whole: a bit for each. */
export class UsedParts {
  private bits = 0;

  add(part: Part | 'request'): void {
    this.bits |= 1 << PART_NAMES.indexOf(part);
  }

  addAll({ bits }: UsedParts): void {
    this.bits |= bits;
  }

  has(part: Part | 'request'): boolean {
    return (this.bits & (1 << PART_NAMES.indexOf(part))) !== 0;
  }

  /** Whether nothing else was used. */
  isOnly(part: Part | 'request'): boolean {
    return this.bits === 1 << PART_NAMES.indexOf(part);
  }

  get isEmpty(): boolean {
    return this.bits === 0;
  }

  /** What a parameter destructures of the request. */
  get destructured(): readonly string[] {
    const texts: string[] = [];
    for (const [part, text] of DESTRUCTURED) if (this.has(part)) texts.push(text);
    return texts;
  }
}

const DESTRUCTURED = Object.entries(PARTS) as readonly [Part, string][];

/** A comprehension variable in scope. */
interface Local {
  readonly name: string;
  /** How the body uses it: not at all, its value, or its properties of any type. */
  use: 'unused' | 'value' | 'any';
}

/** A function that is being printed: the parts that it has used so far decide its parameters. */
export interface FunctionContext {
  readonly module: ModuleContext;
  readonly style: Style;
  /** The expression that is being printed, if its places are marked. */
  readonly expression: AuthoredText | undefined;
  /** In filters, the expression whose parts may become constants of the module (where.ts). */
  readonly hoisting: AuthoredText | undefined;
  readonly locals: ReadonlyMap<string, Local>;
  readonly used: UsedParts;
  /** Variables of the policy that the body uses several times: each is computed once, in a statement before it. */
  readonly repeated: ReadonlySet<string>;
  /** Those statements, by variable. */
  readonly computed: Map<string, { readonly name: string; readonly call: Doc }>;
}

// Most functions have none of these.
const NO_LOCALS: FunctionContext['locals'] = new Map();
const NOTHING_REPEATED: FunctionContext['repeated'] = new Set();
const NOTHING_COMPUTED: FunctionContext['computed'] = new Map();

export function functionContext(
  module: ModuleContext,
  style: Style,
  repeated: ReadonlySet<string> = NOTHING_REPEATED,
  expression?: AuthoredText,
): FunctionContext {
  return {
    module,
    style,
    expression,
    hoisting: undefined,
    locals: NO_LOCALS,
    used: new UsedParts(),
    repeated,
    computed: repeated.size === 0 ? NOTHING_COMPUTED : new Map(),
  };
}

/**
 * A call that computes a variable of the policy, or the constant that holds its result where the body uses it several
 * times.
 */
export function computed(variable: string, call: Doc, context: FunctionContext): Doc {
  if (!context.repeated.has(variable)) return call;
  const known = context.computed.get(variable);
  if (known !== undefined) return known.name;
  const name = context.module.names.fresh(`${camelCase(variable, 'variable')}Value`);
  context.computed.set(variable, { name, call });
  return name;
}

/** Marks the code for a value of the expression that is being printed. */
export function placed(fragment: Fragment, value: Value, { expression, style }: FunctionContext): Fragment {
  if (expression === undefined) return fragment;
  return { doc: authored(fragment.doc, findPlace(value, expression), style !== PLAIN), level: fragment.level };
}

/** Marks a part as used and returns its name. */
export function use(context: FunctionContext, part: Part | 'request'): string {
  context.used.add(part);
  return part;
}

/** The name of a comprehension variable. */
export function localName(variable: string, context: FunctionContext): string {
  const local = findLocal(variable, context);
  if (local.use === 'unused') local.use = 'value';
  return local.name;
}

/** The name of a comprehension variable whose properties are read, regardless of its type. */
export function untypedLocal(variable: string, context: FunctionContext): string {
  const local = findLocal(variable, context);
  local.use = 'any';
  return local.name;
}

function findLocal(variable: string, context: FunctionContext): Local {
  return context.locals.get(variable) ?? invariant(`variable ${variable} is not bound`);
}

/** An arrow function of a macro's variables; inner variables shadow outer ones, but have different names. */
export function localFunction(
  variables: readonly string[],
  context: FunctionContext,
  body: (inner: FunctionContext) => Doc,
): Doc {
  const outer = new Set([...context.locals.values()].map(({ name }) => name));
  const locals = variables.map((variable): Local => {
    const name = context.module.names.local(camelCase(variable, 'item'), outer);
    outer.add(name);
    return { name, use: 'unused' };
  });
  const bound = variables.map((variable, index) => [variable, locals[index] as Local] as const);
  const result = body({ ...context, locals: new Map([...context.locals, ...bound]) });
  return group([`(${listParameters(locals)}) =>`, indent([line, result])]);
}

/** An unused parameter is omitted, or marked as unused if a used one follows. */
function listParameters(locals: readonly Local[]): string {
  const last = locals.findLastIndex(({ use }) => use !== 'unused');
  return locals
    .slice(0, last + 1)
    .map(({ name, use }) => (use === 'any' ? `${name}: any` : use === 'value' ? name : `_${name}`))
    .join(', ');
}

/**
 * An arrow function of one request: it destructures the request in its parameter if it needs only the parts, and in a
 * statement if it needs the request as well.
 * @param form whether to write the parameter's type, where nothing implies it; a filter has an algebra as second parameter.
 * @param span what the function translates. Its head leads to the end of that: if head and body led to the same place, a
 *   breakpoint there could stop where the function is declared.
 */
export function requestFunction(
  context: FunctionContext,
  body: Fragment,
  form: 'with types' | 'types implied' | 'with algebra',
  span?: Span,
): Doc {
  const isCopy = context.style !== PLAIN;
  const head = (doc: Doc): Doc => authored(doc, span && { ...span, start: span.end }, isCopy);
  const parts = context.used.destructured;
  const isQuery = context.style.residual;
  const isTyped = form === 'with types';
  const type: Doc = isTyped ? [': ', mention(isQuery ? 'Query' : 'Request')] : '';
  const result: Doc = isTyped ? [': ', isQuery ? residual('Term') : cel('Result')] : '';
  const needsRequest = context.used.has('request');
  const withAlgebra = (request: Doc): Doc =>
    form === 'with algebra' ? [request === '' ? '_' : request, `, ${ALGEBRA}`] : request;
  const constants = [...context.computed.values()].map(({ name, call }): Doc => [`const ${name} = `, call, ';']);
  if (constants.length > 0 || (needsRequest && parts.length > 0)) {
    const taken = parts.length === 0 ? [] : [`const { ${parts.join(', ')} } = request;`];
    const statements = [
      ...[...taken, ...constants].flatMap((statement): Doc[] => [statement, hardLine]),
      returned(body),
    ];
    const request: Doc = needsRequest || parts.length > 0 ? ['request', type] : '';
    return [
      head(['(', withAlgebra(request), ')', result, ' => {']),
      indent([hardLine, authored(statements, span, isCopy)]),
      hardLine,
      '}',
    ];
  }
  const parameter: Doc = needsRequest ? ['request', type] : parts.length > 0 ? [`{ ${parts.join(', ')} }`, type] : '';
  return group([
    head(['(', withAlgebra(parameter), ')', result, ' =>']),
    indent([line, authored(body.doc, span, isCopy)]),
  ]);
}

/**
 * A return statement. Parentheses only where operators break: `return` followed by a new line would return nothing.
 */
export function returned({ doc, level }: Fragment): Doc {
  if (level === 'primary' || level === 'unary') return ['return ', doc, ';'];
  return group(['return ', whenBroken('('), indent([softLine, doc]), softLine, whenBroken(')'), ';']);
}
