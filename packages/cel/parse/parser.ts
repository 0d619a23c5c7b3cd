import type { CallExpr, Expr, LiteralExpr, MapExpr, MessageExpr, Operator } from '../ast/expr.js';
import type { SyntaxError } from '../ast/syntax-error.js';
import { maxNesting } from './limits.js';
import { type Decoded, decodeBytes, decodeDouble, decodeInt, decodeString, decodeUint } from './literals.js';
import { expandMacro } from './macros.js';
import { reservedWords, type Token, type TokenType } from './tokens.js';

/**
 * The outcome of parsing: a tree with the errors in its literals, names and macro arguments; an expression that does
 * not match the grammar; or one that is nested too deep.
 */
export type Parsed =
  | { readonly kind: 'tree'; readonly ast: Expr; readonly errors: readonly SyntaxError[] }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'too-deep'; readonly at: number };

/**
 * Parses an expression by recursive descent (docs/spec/conditions.md#productions). Stops at the first unexpected token;
 * `reportSyntax` then produces the messages. Chains are parsed in loops; only nesting recurses, and its depth is
 * limited (docs/spec/conditions.md#compile-time-messages).
 */
export function parseTokens(text: string, tokens: readonly Token[]): Parsed {
  const parser = new Parser(text, tokens);
  try {
    const ast = parser.parse();
    return { kind: 'tree', ast, errors: parser.errors };
  } catch (thrown) {
    if (thrown instanceof Stop) return thrown.reason;
    throw thrown;
  }
}

class Stop {
  constructor(readonly reason: Exclude<Parsed, { kind: 'tree' }>) {}
}

const relations: ReadonlyMap<TokenType, Operator> = new Map<TokenType, Operator>([
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['in', '@in'],
]);
const calculations: ReadonlyMap<TokenType, { readonly operator: Operator; readonly precedence: 1 | 2 }> = new Map<
  TokenType,
  { readonly operator: Operator; readonly precedence: 1 | 2 }
>([
  ['+', { operator: '_+_', precedence: 1 }],
  ['-', { operator: '_-_', precedence: 1 }],
  ['*', { operator: '_*_', precedence: 2 }],
  ['/', { operator: '_/_', precedence: 2 }],
  ['%', { operator: '_%_', precedence: 2 }],
]);

/** A cursor over the tokens. The range of an operand includes its parentheses, that of its node does not. */
class Parser {
  readonly errors: SyntaxError[] = [];
  private position = 0;
  private readonly depths = { expr: 0, relation: 0, calc: 0 };

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
  ) {}

  parse(): Expr {
    const ast = this.parseExpr();
    this.expect('EOF');
    return ast;
  }

  private parseExpr(): Expr {
    this.descend('expr');
    const start = this.here();
    const condition = this.parseLogic('||');
    const sign = this.accept('?');
    let result = condition;
    if (sign !== undefined) {
      const then = this.parseLogic('||');
      this.expect(':');
      const otherwise = this.parseExpr();
      result = this.operator('_?_:_', sign, start, [condition, then, otherwise]);
    }
    this.depths.expr--;
    return result;
  }

  private parseLogic(sign: '||' | '&&'): Expr {
    const terms: Term[] = [this.parseTerm(sign)];
    const signs: Token[] = [];
    for (let found = this.accept(sign); found !== undefined; found = this.accept(sign)) {
      signs.push(found);
      terms.push(this.parseTerm(sign));
    }
    return balance(sign === '||' ? '_||_' : '_&&_', terms, signs).expr;
  }

  private parseTerm(sign: '||' | '&&'): Term {
    const start = this.here();
    const expr = sign === '||' ? this.parseLogic('&&') : this.parseRelation();
    return { expr, start, end: this.behind() };
  }

  private parseRelation(): Expr {
    this.descend('relation');
    const start = this.here();
    let left = this.parseCalc(1);
    for (
      let relation = relations.get(this.peek().type);
      relation !== undefined;
      relation = relations.get(this.peek().type)
    ) {
      const sign = this.next();
      this.descend('relation');
      const right = this.parseCalc(1);
      this.depths.relation--;
      left = this.operator(relation, sign, start, [left, right]);
    }
    this.depths.relation--;
    return left;
  }

  private parseCalc(least: 1 | 2 | 3): Expr {
    this.descend('calc');
    const start = this.here();
    let left = this.parseUnary();
    for (
      let found = calculations.get(this.peek().type);
      found !== undefined;
      found = calculations.get(this.peek().type)
    ) {
      if (found.precedence < least) break;
      const sign = this.next();
      const right = this.parseCalc(found.precedence === 1 ? 2 : 3);
      left = this.operator(found.operator, sign, start, [left, right]);
    }
    this.depths.calc--;
    return left;
  }

  private parseUnary(): Expr {
    const first = this.peek();
    if (first.type !== '!' && (first.type !== '-' || this.isNumber(this.peek(1)))) return this.parseMember();
    let count = 0;
    while (this.accept(first.type) !== undefined) count++;
    const operand = this.parseMember();
    return count % 2 === 0 ? operand : this.operator(first.type === '!' ? '!_' : '-_', first, first.start, [operand]);
  }

  private parseMember(): Expr {
    const start = this.here();
    let member = this.parsePrimary();
    for (;;) {
      if (this.accept('.') !== undefined) member = this.parseSelection(start, member);
      else if (this.accept('[') !== undefined) {
        const optional = this.accept('?') !== undefined;
        const index = this.parseExpr();
        this.expect(']');
        member = { kind: 'index', start, end: this.behind(), operand: member, index, optional };
      } else return member;
    }
  }

  private parseSelection(start: number, operand: Expr): Expr {
    const optional = this.accept('?') !== undefined;
    const field = this.parseField();
    if (!optional && field.type === 'IDENTIFIER' && this.accept('(') !== undefined) {
      return this.call({ start, name: field, target: operand, rooted: false });
    }
    return {
      kind: 'select',
      start,
      end: field.end,
      operand,
      field: this.fieldName(field),
      fieldStart: field.start,
      optional,
    };
  }

  private parsePrimary(): Expr {
    const token = this.peek();
    switch (token.type) {
      case '(':
        return this.parseParenthesised();
      case '[':
        return this.parseList();
      case '{':
        return this.parseMap();
      case '.':
      case 'IDENTIFIER':
        return this.isMessage() ? this.parseMessage() : this.parseName();
    }
    return this.parseLiteral();
  }

  private parseParenthesised(): Expr {
    this.expect('(');
    const inner = this.parseExpr();
    this.expect(')');
    return inner;
  }

  private parseList(): Expr {
    const start = this.expect('[').start;
    const elements = this.parseItems(']', () => {
      const optional = this.accept('?') !== undefined;
      return { optional, value: this.parseExpr() };
    });
    return { kind: 'list', start, end: this.behind(), elements };
  }

  private parseMap(): MapExpr {
    const start = this.expect('{').start;
    const entries = this.parseItems('}', () => {
      const optional = this.accept('?') !== undefined;
      const key = this.parseExpr();
      this.expect(':');
      return { optional, key, value: this.parseExpr() };
    });
    return { kind: 'map', start, end: this.behind(), entries };
  }

  private parseMessage(): MessageExpr {
    const start = this.here();
    let typeName = '';
    for (let token = this.next(); token.type !== '{'; token = this.next()) typeName += this.readText(token);
    const fields = this.parseItems('}', () => {
      const optional = this.accept('?') !== undefined;
      const name = this.fieldName(this.parseField());
      this.expect(':');
      return { optional, name, value: this.parseExpr() };
    });
    return { kind: 'message', start, end: this.behind(), typeName, fields };
  }

  private parseItems<T>(closing: ']' | '}', parseItem: () => T): T[] {
    const items: T[] = [];
    let more = this.peek().type !== ',';
    while (more && this.peek().type !== closing) {
      items.push(parseItem());
      more = this.accept(',') !== undefined;
    }
    // A lone comma is allowed: `[,]` is the empty list.
    if (items.length === 0) this.accept(',');
    this.expect(closing);
    return items;
  }

  private parseName(): Expr {
    const start = this.here();
    const rooted = this.accept('.') !== undefined;
    const token = this.expect('IDENTIFIER');
    const name = this.readText(token);
    const called = this.accept('(') !== undefined;
    const expr: Expr = called
      ? this.call({ start, name: token, target: undefined, rooted })
      : { kind: 'ident', start, end: token.end, name, rooted };
    return reservedWords.has(name) ? this.fail(`reserved identifier: ${name}`, expr, token) : expr;
  }

  private call(written: { start: number; name: Token; target: Expr | undefined; rooted: boolean }): Expr {
    const { start, name, target, rooted } = written;
    const args: Expr[] = [];
    if (this.peek().type !== ')') {
      do args.push(this.parseExpr());
      while (this.accept(',') !== undefined);
    }
    const end = this.expect(')').end;
    const call: CallExpr = {
      kind: 'call',
      start,
      end,
      function: this.readText(name),
      isOperator: false,
      rooted,
      target,
      args,
      nameStart: name.start,
    };
    const expansion = rooted ? undefined : expandMacro(call);
    if (expansion === undefined) return call;
    return 'macro' in expansion ? expansion.macro : this.fail(expansion.error.message, call, expansion.error);
  }

  private parseLiteral(): Expr {
    const sign = this.isNumber(this.peek(1)) ? this.accept('-') : undefined;
    const token = this.next();
    const range = { kind: 'literal', start: sign?.start ?? token.start, end: token.end } as const;
    const text = this.readText(token);
    const signed = sign === undefined ? text : `-${text}`;
    switch (token.type) {
      case 'null':
        return { ...range, type: 'null', value: null };
      case 'true':
      case 'false':
        return { ...range, type: 'bool', value: token.type === 'true' };
      case 'NUM_INT':
        return this.literal(range, decodeInt(signed), (value) => ({ ...range, type: 'int', value }));
      case 'NUM_UINT':
        return this.literal(range, decodeUint(text), (value) => ({ ...range, type: 'uint', value }));
      case 'NUM_FLOAT':
        return this.literal(range, decodeDouble(signed), (value) => ({ ...range, type: 'double', value }));
      case 'STRING':
        return this.literal(range, decodeString(text), (value) => ({ ...range, type: 'string', value }));
      case 'BYTES':
        return this.literal(range, decodeBytes(text), (value) => ({ ...range, type: 'bytes', value }));
    }
    throw new Stop({ kind: 'malformed' });
  }

  private literal<T>(range: Range, decoded: Decoded<T>, toLiteral: (value: T) => LiteralExpr): Expr {
    return decoded.ok ? toLiteral(decoded.value) : this.fail(decoded.message, range, range);
  }

  private parseField(): Token {
    const token = this.next();
    if (token.type !== 'IDENTIFIER' && token.type !== 'ESC_IDENTIFIER') throw new Stop({ kind: 'malformed' });
    return token;
  }

  private fieldName(token: Token): string {
    return token.type === 'ESC_IDENTIFIER' ? this.text.slice(token.start + 1, token.end - 1) : this.readText(token);
  }

  /** Looks ahead past a dotted name for the brace that makes it a message type. */
  private isMessage(): boolean {
    let ahead = this.peek().type === '.' ? 1 : 0;
    if (this.peek(ahead).type !== 'IDENTIFIER') return false;
    while (this.peek(ahead + 1).type === '.' && this.peek(ahead + 2).type === 'IDENTIFIER') ahead += 2;
    return this.peek(ahead + 1).type === '{';
  }

  private isNumber(token: Token): boolean {
    return token.type === 'NUM_INT' || token.type === 'NUM_FLOAT';
  }

  private operator(operator: Operator, sign: Token, start: number, args: readonly Expr[]): CallExpr {
    return operatorCall(operator, sign, { start, end: this.behind() }, args);
  }

  /**
   * Records an error and returns a placeholder call that is not a macro, so that an enclosing macro can report its own
   * errors.
   */
  private fail(message: string, place: Range, error: Range): Expr {
    this.errors.push({ message, start: error.start, end: error.end });
    const { start, end } = place;
    return {
      kind: 'call',
      start,
      end,
      function: '',
      isOperator: false,
      rooted: false,
      target: undefined,
      args: [],
      nameStart: start,
    };
  }

  private descend(rule: 'expr' | 'relation' | 'calc'): void {
    this.depths[rule]++;
    if (this.depths[rule] > maxNesting) throw new Stop({ kind: 'too-deep', at: this.here() });
  }

  private expect(type: TokenType): Token {
    const token = this.next();
    if (token.type !== type) throw new Stop({ kind: 'malformed' });
    return token;
  }

  private accept(type: TokenType): Token | undefined {
    return this.peek().type === type ? this.next() : undefined;
  }

  private next(): Token {
    const token = this.peek();
    this.position++;
    return token;
  }

  private peek(ahead = 0): Token {
    return this.tokens[this.position + ahead] ?? { type: 'EOF', start: this.text.length, end: this.text.length };
  }

  private here(): number {
    return this.peek().start;
  }

  private behind(): number {
    return this.tokens[this.position - 1]?.end ?? 0;
  }

  private readText(token: Token): string {
    return this.text.slice(token.start, token.end);
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** An operand of a chain with its range, parentheses included. */
interface Term extends Range {
  readonly expr: Expr;
}

/** Builds a chain of `&&` or `||` as a tree of logarithmic depth, splitting at the middle operator. */
function balance(operator: '_&&_' | '_||_', terms: readonly Term[], signs: readonly Token[]): Term {
  const build = (low: number, high: number): Term | undefined => {
    if (low > high) return terms[low];
    const middle = (low + high + 1) >> 1;
    const left = build(low, middle - 1);
    const right = build(middle + 1, high);
    const sign = signs[middle];
    if (left === undefined || right === undefined || sign === undefined) return undefined;
    const range = { start: left.start, end: right.end };
    return { ...range, expr: operatorCall(operator, sign, range, [left.expr, right.expr]) };
  };
  const root = build(0, signs.length - 1);
  if (root === undefined) throw new Stop({ kind: 'malformed' });
  return root;
}

function operatorCall(operator: Operator, sign: Token, range: Range, args: readonly Expr[]): CallExpr {
  const { start, end } = range;
  return {
    kind: 'call',
    start,
    end,
    function: operator,
    isOperator: true,
    rooted: false,
    target: undefined,
    args,
    nameStart: sign.start,
  };
}
