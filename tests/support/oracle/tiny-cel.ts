import { type Environment, ModelError } from './context.js';

/**
 * Evaluates the family of expressions that random stores are made of: `?:`, `||`, `&&`, `!`, `==`, `!=`, `<`, `<=`,
 * `in`, `+` of strings, `has`, lists, literals and selections. Written apart from the product, for comparison with it.
 * Attributes are JSON, so every number is a double.
 */
export function tinyCel(expression: string, environment: Environment): unknown {
  return new Evaluator(tokensOf(expression), environment).evaluate();
}

/** A value not computed yet: `&&` and `||` look at the other side of a failure. */
type Lazy = () => unknown;

const TOKEN = /\s*(?:("(?:[^"\\])*"|'(?:[^'\\])*')|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(\|\||&&|==|!=|<=|[!<()[\],.+?:]))/y;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const match = pattern.exec(text);
    if (match === null) throw new Error(`not in the family: ${text}`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

class Evaluator {
  private at = 0;

  constructor(
    private readonly tokens: readonly string[],
    private readonly environment: Environment,
  ) {}

  evaluate(): unknown {
    const value = this.ternary();
    if (this.at < this.tokens.length) throw new Error(`unexpected ${this.tokens[this.at]}`);
    return value();
  }

  private ternary(): Lazy {
    const condition = this.or();
    if (!this.take('?')) return condition;
    const whenTrue = this.ternary();
    this.expect(':');
    const whenFalse = this.ternary();
    return () => {
      const value = condition();
      if (typeof value !== 'boolean') throw new ModelError('no such overload');
      return value ? whenTrue() : whenFalse();
    };
  }

  private or(): Lazy {
    let left = this.and();
    while (this.take('||')) left = logic(left, this.and(), true);
    return left;
  }

  private and(): Lazy {
    let left = this.relation();
    while (this.take('&&')) left = logic(left, this.relation(), false);
    return left;
  }

  private relation(): Lazy {
    const left = this.sum();
    const operator = ['==', '!=', '<=', '<', 'in'].find((candidate) => this.take(candidate));
    if (operator === undefined) return left;
    const right = this.sum();
    return () => compare(operator, left(), right());
  }

  private sum(): Lazy {
    let left = this.unary();
    while (this.take('+')) {
      const first = left;
      const second = this.unary();
      left = () => add(first(), second());
    }
    return left;
  }

  private unary(): Lazy {
    if (!this.take('!')) return this.primary();
    const operand = this.unary();
    return () => {
      const value = operand();
      if (typeof value !== 'boolean') throw new ModelError('no such overload');
      return !value;
    };
  }

  private primary(): Lazy {
    const token = this.next();
    if (token === '(') {
      const inner = this.ternary();
      this.expect(')');
      return inner;
    }
    if (token === '[') return this.list();
    if (/^["']/.test(token)) return () => token.slice(1, -1);
    if (/^\d/.test(token)) return () => Number(token);
    if (token === 'true' || token === 'false') return () => token === 'true';
    if (token === 'null') return () => null;
    if (token === 'has') {
      this.expect('(');
      const path = this.path(this.next());
      this.expect(')');
      return () => isPresent(this.environment, path);
    }
    const path = this.path(token);
    return () => select(this.environment, path);
  }

  private list(): Lazy {
    const items: Lazy[] = [];
    while (!this.take(']')) {
      items.push(this.ternary());
      this.take(',');
    }
    return () => items.map((item) => item());
  }

  private path(root: string): readonly string[] {
    const path = [root];
    while (this.take('.')) path.push(this.next());
    return path;
  }

  private take(token: string): boolean {
    if (this.tokens[this.at] !== token) return false;
    this.at++;
    return true;
  }

  private next(): string {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error('unexpected end');
    return token;
  }

  private expect(token: string): void {
    if (!this.take(token)) throw new Error(`expected ${token}`);
  }
}

/** `decisive` on either side decides, even beside a failure. */
function logic(left: Lazy, right: Lazy, decisive: boolean): Lazy {
  return () => {
    let failure: ModelError | undefined;
    for (const side of [left, right]) {
      try {
        const value = side();
        if (value === decisive) return decisive;
        if (typeof value !== 'boolean') failure ??= new ModelError('no such overload');
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  };
}

function compare(operator: string, left: unknown, right: unknown): boolean {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  if (operator === 'in') {
    if (Array.isArray(right)) return right.some((item) => isEqual(left, item));
    if (right !== null && typeof right === 'object' && typeof left === 'string') return Object.hasOwn(right, left);
    throw new ModelError('no such overload');
  }
  const isComparable =
    typeof left === typeof right && (typeof left === 'number' || typeof left === 'string' || typeof left === 'boolean');
  if (!isComparable) throw new ModelError('no such overload');
  const [a, b] = [left as number, right as number];
  return operator === '<' ? a < b : a <= b;
}

function add(left: unknown, right: unknown): unknown {
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  throw new ModelError('no such overload');
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function isPresent(environment: Environment, path: readonly string[]): boolean {
  const holder = select(environment, path.slice(0, -1));
  if (holder === null || typeof holder !== 'object') throw new ModelError('no such overload');
  return Object.hasOwn(holder, path.at(-1) as string);
}

function select(environment: Environment, path: readonly string[]): unknown {
  const [root = '', ...fields] = path;
  let value = rootOf(environment, root);
  for (const field of fields) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new ModelError('no such overload');
    if (!Object.hasOwn(value, field))
      throw new ModelError('VCG'.includes(root) ? `undefined field '${field}'` : `no such key: ${field}`);
    value = (value as { readonly [name: string]: unknown })[field];
  }
  return value;
}

function rootOf(environment: Environment, root: string): unknown {
  const { principal, resource, variables, constants, globals, effectiveDerivedRoles, failedDerivedRoles } = environment;
  if (root === 'P') return principal;
  if (root === 'R') return resource;
  if (root === 'V' || root === 'variables') return variables;
  if (root === 'C' || root === 'constants') return constants;
  if (root === 'G' || root === 'globals') return globals;
  if (root !== 'runtime') throw new Error(`not in the family: ${root}`);
  if (failedDerivedRoles.length > 0)
    throw new ModelError(`failed to compute effective derived roles [${failedDerivedRoles.join(', ')}]`);
  return { effectiveDerivedRoles };
}
