import { type Environment, ModelError } from './context.js';
import { evaluate, type WireOperand } from './operands.js';

/**
 * Evaluates the family of expressions that random stores are made of: `?:`, `||`, `&&`, `!`, `==`, `!=`, `<`, `<=`,
 * `in`, `+` of strings, `has`, lists, literals and selections. Written apart from the product, for comparison with it:
 * a parser of its own in front of the interpreter of filters. Attributes are JSON, so every number is a double.
 */
export function tinyCel(expression: string, environment: Environment): unknown {
  let operand = parsed.get(expression);
  if (operand === undefined) {
    operand = new Parser(tokensOf(expression)).parse();
    parsed.set(expression, operand);
  }
  return evaluate(operand, (root) => rootOf(environment, root));
}

/** Texts are few and evaluated often. */
const parsed = new Map<string, WireOperand>();

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

class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  parse(): WireOperand {
    const operand = this.ternary();
    if (this.at < this.tokens.length) throw new Error(`unexpected ${this.tokens[this.at]}`);
    return operand;
  }

  private ternary(): WireOperand {
    const condition = this.or();
    if (!this.take('?')) return condition;
    const whenTrue = this.ternary();
    this.expect(':');
    return call('if', condition, whenTrue, this.ternary());
  }

  private or(): WireOperand {
    let left = this.and();
    while (this.take('||')) left = call('or', left, this.and());
    return left;
  }

  private and(): WireOperand {
    let left = this.relation();
    while (this.take('&&')) left = call('and', left, this.relation());
    return left;
  }

  private relation(): WireOperand {
    const left = this.sum();
    const operator = Object.keys(RELATIONS).find((candidate) => this.take(candidate));
    return operator === undefined ? left : call(RELATIONS[operator] as string, left, this.sum());
  }

  private sum(): WireOperand {
    let left = this.unary();
    while (this.take('+')) left = call('add', left, this.unary());
    return left;
  }

  private unary(): WireOperand {
    return this.take('!') ? call('not', this.unary()) : this.primary();
  }

  private primary(): WireOperand {
    const token = this.next();
    if (token === '(') {
      const inner = this.ternary();
      this.expect(')');
      return inner;
    }
    if (token === '[') return this.list();
    if (/^["']/.test(token)) return { value: token.slice(1, -1) };
    if (/^\d/.test(token)) return { value: Number(token) };
    if (token === 'true' || token === 'false') return { value: token === 'true' };
    if (token === 'null') return { value: null };
    if (token === 'has') {
      this.expect('(');
      const selection = this.path(this.next());
      this.expect(')');
      return call('has', selection);
    }
    return this.path(token);
  }

  private list(): WireOperand {
    const items: WireOperand[] = [];
    while (!this.take(']')) {
      items.push(this.ternary());
      this.take(',');
    }
    return call('list', ...items);
  }

  private path(root: string): WireOperand {
    const path = [root];
    while (this.take('.')) path.push(this.next());
    return { variable: path.join('.') };
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

const RELATIONS: { readonly [token: string]: string } = { '==': 'eq', '!=': 'ne', '<=': 'le', '<': 'lt', in: 'in' };

function call(operator: string, ...operands: readonly WireOperand[]): WireOperand {
  return { expression: { operator, operands } };
}

function rootOf(environment: Environment, root: string): unknown {
  const { principal, resource, variables, constants, globals, effectiveDerivedRoles, failedDerivedRoles } = environment;
  if (root === 'P') return principal;
  if (root === 'R') return resource;
  if (root === 'V' || root === 'variables') return variables;
  if (root === 'C' || root === 'constants') return constants;
  if (root === 'G' || root === 'globals') return globals;
  if (root !== 'runtime') return undefined;
  if (failedDerivedRoles.length > 0)
    throw new ModelError(`failed to compute effective derived roles [${failedDerivedRoles.join(', ')}]`);
  return { effectiveDerivedRoles };
}
