import { COMPARISONS } from '../../../compiler/ir/comparisons.js';
import type { Value } from '../../../compiler/ir/value.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { type Formula, type Holds, withRoles } from '../formula/formula.js';
import type { ClientKind, ClientProjection } from './project.js';
import type { ClientView } from './view.js';
import { readsOf } from './visible.js';

/**
 * The module of a projection, which imports only functions of expressions. It has the names of the view, and of the
 * policies only the roles, strings and numbers that certain answers need.
 * @param hash of the bundle that the projection is of.
 */
export function emitClient({ kinds }: Pick<ClientProjection, 'kinds'>, view: ClientView, hash: string): string {
  const leaves = new Leaves(view);
  const tables = Object.entries(view.kinds).map(([kind, { actions }]) => {
    const scopes = kinds.flatMap((one) =>
      one.kind === kind ? [`[${quoted(one.scope)}, ${scopeText(one, leaves)}]`] : [],
    );
    return `[${quoted(kind)}, { actions: [${actions.map(quoted).join(', ')}], scopes: new Map([${scopes.join(', ')}]) }]`;
  });
  return `import * as c from 'authz/runtime/cel';
import * as k from 'authz/runtime/client';
const leaves = [${leaves.texts.join(', ')}];
export const bundleHash = ${quoted(hash)};
export const capabilities = k.createClient(leaves, new Map([${tables.join(', ')}]), bundleHash);
`;
}

function scopeText({ kind, roles }: Pick<ClientKind, 'kind' | 'roles'>, leaves: Leaves): string {
  const text = (role: string | undefined): string =>
    `[${(roles.get(role) ?? []).map(({ sure, never }) => `[${leaves.test(sure, kind, role)}, ${leaves.test(never, kind, role)}]`).join(', ')}]`;
  const usual = text(undefined);
  // A role that is like any other is not named: it may be one of which a browser should not know.
  const named = [...roles.keys()].flatMap((role) => {
    const own = text(role);
    return role === undefined || own === usual ? [] : [`[${quoted(role)}, ${own}]`];
  });
  return `{ roles: new Map([${named.join(', ')}]), others: ${usual} }`;
}

/** The conditions that formulas test, each once. */
class Leaves {
  readonly texts: string[] = [];
  private readonly positions = new Map<string, number>();

  constructor(private readonly view: ClientView) {}

  /** A function of a formula: the conditions that are true, false, not true and not false. */
  test(formula: Formula, kind: string, role: string | undefined): string {
    // The formula is about a principal that has the role.
    return `(t, f, n, g) => ${this.text(
      withRoles(formula, (one) => one === role),
      kind,
    )}`;
  }

  private text(formula: Formula, kind: string): string {
    if (typeof formula === 'boolean') return String(formula);
    switch (formula.kind) {
      case 'and':
      case 'or':
        return `(${formula.operands.map((part) => this.text(part, kind)).join(formula.kind === 'and' ? ' && ' : ' || ')})`;
      case 'holds':
        return this.leaf(formula, kind, ['t', 'f']);
      case 'not': {
        const { operand } = formula;
        if (typeof operand !== 'boolean' && operand.kind === 'holds') return this.leaf(operand, kind, ['n', 'g']);
        return invariant('certain formulas only negate conditions');
      }
      case 'role':
        return invariant('the roles of certain formulas are known');
    }
  }

  private leaf({ condition }: Holds, kind: string, [whenTrue, whenFalse]: readonly [string, string]): string {
    if (condition.kind !== 'expr') return invariant('certain formulas have conditions taken apart');
    const { value } = condition;
    const isNegated = value.kind === 'operator' && value.operator === 'not';
    const tested = isNegated ? (value.operands[0] as Value) : value;
    const view = this.view.kinds[kind];
    const reads = view && readsOf(tested, { ...this.view, kind: view });
    if (reads === undefined) return invariant('certain formulas have visible conditions');
    const paths = reads.map(
      (path) => `, [${path.map((step) => (typeof step === 'string' ? quoted(step) : step)).join(', ')}]`,
    );
    const text = `[(A, B, I, P, T) => ${isOfJson(tested) ? jsonText(tested) : expressionText(tested, NO_LOCALS)}${paths.sort().join('')}]`;
    const position = this.positions.get(text) ?? this.texts.push(text) - 1;
    this.positions.set(text, position);
    return `${isNegated ? whenFalse : whenTrue}(${position})`;
  }
}

/** Whether the small functions for JSON suffice. */
function isOfJson(value: Value): boolean {
  switch (value.kind) {
    case 'literal':
    case 'field':
      return true;
    case 'has':
      return value.operand.kind === 'field' && value.operand.name === 'attr';
    case 'select':
      return isOfJson(value.operand);
    case 'list':
      // An element that fails would make the list fail.
      return value.elements.every((element) => element.value.kind === 'literal');
    case 'operator':
      return COMPARISONS.has(value.operator) && value.operands.every(isOfJson);
    default:
      return false;
  }
}

/** The same expression by those functions. */
function jsonText(value: Value): string {
  switch (value.kind) {
    case 'field':
      if (value.name === 'attr') return value.of === 'resource' ? 'A' : 'B';
      return expressionText(value, NO_LOCALS);
    case 'select':
    case 'has':
      return `k.${value.kind}(${jsonText(value.operand)}, ${quoted(value.name)})`;
    case 'operator':
      return `k.${value.operator}(${value.operands.map(jsonText).join(', ')})`;
    case 'list':
      return `[${value.elements.map((element) => jsonText(element.value)).join(', ')}]`;
    default:
      return expressionText(value, NO_LOCALS);
  }
}

/** The names of the variables of macros. An inner one hides an outer one of its name, which keeps its own name. */
interface Locals {
  readonly names: ReadonlyMap<string, string>;
  readonly count: number;
}

const NO_LOCALS: Locals = { names: new Map(), count: 0 };

/** A visible expression as JavaScript, by the functions that every engine has for expressions. */
function expressionText(value: Value, locals: Locals): string {
  const of = (part: Value): string => expressionText(part, locals);
  switch (value.kind) {
    case 'literal':
      if (typeof value.value === 'bigint') return `${value.value}n`;
      if (typeof value.value === 'number') return Object.is(value.value, -0) ? '-0' : String(value.value);
      return typeof value.value === 'string' ? quoted(value.value) : String(value.value);
    case 'local':
      return locals.names.get(value.name) ?? invariant(`a projection has no variable \`${value.name}\``);
    case 'field':
      if (value.name === 'attr') return `c.json(${value.of === 'resource' ? 'A' : 'B'})`;
      if (value.of === 'resource') return 'I';
      return value.name === 'id' ? 'P.id' : 'P.roles';
    case 'select':
    case 'has':
      return `c.${value.kind}(${of(value.operand)}, ${quoted(value.name)})`;
    case 'index':
      return `c.index(${of(value.operand)}, ${of(value.index)})`;
    case 'operator':
      return `c.${value.operator}(${value.operands.map(of).join(', ')})`;
    case 'call':
      return `c.${value.runtime}(${[...value.args.map(of), ...(value.pure ? [] : ['T'])].join(', ')})`;
    case 'list':
      return `c.listOf([${value.elements.map((element) => of(element.value)).join(', ')}])`;
    case 'macro': {
      const names = value.variables.map((_, index) => `v${locals.count + index}`);
      const own = value.variables.map((name, index) => [name, names[index] as string] as const);
      const inner = { names: new Map([...locals.names, ...own]), count: locals.count + names.length };
      const parts = [value.predicate, value.body].filter((part) => part !== undefined);
      const functions = parts.map((part) => `(${names.join(', ')}) => ${expressionText(part, inner)}`);
      return `c.${value.runtime}(${[of(value.range), ...functions].join(', ')})`;
    }
    default:
      return invariant(`a projection has the expression \`${value.kind}\``);
  }
}

/** A string that is also safe in HTML and in scripts of any age. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[<\u2028\u2029\p{Surrogate}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
