import type { SyntaxError } from '../ast/syntax-error.js';
import {
  after,
  describeTokens,
  expectedTokens,
  into,
  type Lookout,
  type Position,
  predictAlternative,
  type Prediction,
  predictLoop,
  enterRule,
} from './expected.js';
import type { Element, RuleName } from './grammar.js';
import type { Lexed } from './lexer.js';
import { maxNesting } from './limits.js';
import { reservedWords, type Token, type TokenType, tokenTypeName } from './tokens.js';

/** The errors of an expression that does not match the grammar. */
export interface SyntaxReport {
  readonly errors: readonly SyntaxError[];
  /** The message of the limit that ended the search, which has no location in the expression. */
  readonly fatal: string | undefined;
  /** The offset at which a limit ended the search; otherwise past the end of the expression. */
  readonly reached: number;
}

/**
 * Reports the syntax errors of an expression with the messages of docs/spec/conditions.md#syntax-errors. Walks the
 * grammar along the tokens and recovers from each error as an ANTLR parser does: it skips an extra token, inserts a
 * missing one, or otherwise leaves the rule and drops tokens until one can follow. This is necessary because later
 * messages depend on how the parser recovered from earlier errors. The walk uses an explicit stack.
 */
export function reportSyntax(text: string, lexed: Lexed): SyntaxReport {
  return new Walk(text, lexed).run();
}

const maxRecoveries = 30;
const maxDropped = 256;

/** A production that is being parsed. */
interface Frame {
  readonly rule: RuleName;
  /** Operators that bind tighter than this are accepted. */
  readonly binds: number;
  /** Where the production that called it continues. */
  readonly follow: Position | undefined;
}

/** Why a production cannot continue. */
type Failure = { readonly kind: 'mismatch' } | { readonly kind: 'no-alternative'; readonly stuckAt: number };

class Walk {
  private readonly errors: SyntaxError[] = [];
  private readonly expected = expectedTokens();
  private readonly frames: Frame[] = [{ rule: 'start', binds: 0, follow: undefined }];
  private readonly depths = new Map<RuleName, number>();
  private place: Position | undefined = enterRule('start');
  private at = 0;
  private recovering = false;
  private recoveries = 0;
  private stopped = false;
  private fatal: string | undefined;
  /** The elements at which recovery has been attempted since the last consumed token. */
  private triedAt = -1;
  private readonly tried = new Set<Element | undefined>();

  private readonly tokens: readonly Token[];

  constructor(
    private readonly text: string,
    private readonly lexed: Lexed,
  ) {
    this.tokens = lexed.tokens;
  }

  run(): SyntaxReport {
    while (this.frames.length > 0 && !this.stopped) this.step();
    return {
      errors: this.errors,
      fatal: this.fatal,
      reached: this.stopped ? this.peek(0).start : this.text.length + 1,
    };
  }

  private step(): void {
    const place = this.place;
    if (place === undefined) return this.leave();
    const element = place.sequence[place.index];
    const failure = element === undefined ? this.endBlock(place) : this.walk(element, place);
    if (failure !== undefined) this.fail(failure, place);
  }

  private endBlock(place: Position): undefined {
    this.place = place.up;
  }

  private walk(element: Element, place: Position): Failure | undefined {
    switch (element.kind) {
      case 'tokens':
        return this.match(element.types, place);
      case 'rule':
        return this.enter(element.rule, element.binds, after(place));
      case 'optional': {
        const failure = this.synchronise(place, false);
        if (failure !== undefined) return failure;
        this.place = this.expected.first(element.body).has(this.peek(0).type)
          ? into(element.body, after(place))
          : after(place);
        return undefined;
      }
      case 'repeat': {
        const failure = this.synchronise(place, place.again || element.atLeastOnce);
        if (failure !== undefined) return failure;
        const binds = this.frames.at(-1)?.binds ?? 0;
        const loop = { ...place, again: true };
        return this.follow(predictLoop(element.choose, element.body, binds, this.lookout()), [
          into(element.body, loop),
          after(place),
        ]);
      }
      case 'choice': {
        const failure = this.synchronise(place, false);
        if (failure !== undefined) return failure;
        const prediction = predictAlternative(element.choose, element.alternatives, this.lookout());
        if (element.choose === 'primary') this.checkName(prediction);
        return this.follow(
          prediction,
          element.alternatives.map((alternative) => into(alternative, after(place))),
        );
      }
    }
  }

  private follow(prediction: Prediction, places: readonly Position[]): Failure | undefined {
    if ('stuckAt' in prediction) return { kind: 'no-alternative', stuckAt: prediction.stuckAt };
    this.place = places[prediction.alternative];
    return undefined;
  }

  /** Checks an identifier or function name even if the expression has other errors. */
  private checkName(prediction: Prediction): void {
    if ('stuckAt' in prediction || prediction.alternative > 1) return;
    const { start, end } = this.peek(this.peek(0).type === '.' ? 1 : 0);
    const name = this.text.slice(start, end);
    if (reservedWords.has(name)) this.errors.push({ message: `reserved identifier: ${name}`, start, end });
  }

  private enter(rule: RuleName, binds: number, follow: Position): undefined {
    const depth = (this.depths.get(rule) ?? 0) + 1;
    this.depths.set(rule, depth);
    if (depth > maxNesting) this.stop(`expression recursion limit exceeded: ${maxNesting}`);
    this.frames.push({ rule, binds, follow });
    this.place = enterRule(rule);
  }

  private leave(): void {
    const frame = this.frames.pop();
    if (frame === undefined) return;
    this.depths.set(frame.rule, (this.depths.get(frame.rule) ?? 0) - 1);
    this.place = frame.follow;
  }

  private match(types: readonly TokenType[], place: Position): Failure | undefined {
    if (!types.includes(this.peek(0).type)) {
      if (!this.countRecovery()) return undefined;
      if (!this.skipUnwanted(place)) {
        if (!this.expectedIn(after(place)).has(this.peek(0).type)) return { kind: 'mismatch' };
        this.report(`missing ${this.describeExpected(place)} at ${this.quote(this.peek(0))}`, this.peek(0));
        this.place = after(place);
        return undefined;
      }
    }
    this.recovered();
    this.consume();
    this.place = after(place);
    return undefined;
  }

  /** Drops an unexpected token if that is enough to recover. */
  private synchronise(place: Position, inLoop: boolean): Failure | undefined {
    if (this.recovering) return undefined;
    const lookahead = this.expected.at(place);
    if (lookahead.ends || lookahead.types.has(this.peek(0).type)) return undefined;
    if (!inLoop) return this.skipUnwanted(place) ? undefined : { kind: 'mismatch' };
    this.reportUnwanted(place);
    this.dropUntil(new Set([...this.expectedIn(place), ...this.recoverySet()]), Number.POSITIVE_INFINITY);
    return undefined;
  }

  private skipUnwanted(place: Position): boolean {
    if (!this.expectedIn(place).has(this.peek(1).type) || this.peek(0).type === 'EOF') return false;
    this.reportUnwanted(place);
    this.consume();
    this.recovered();
    return true;
  }

  private fail(failure: Failure, place: Position): void {
    this.reportFailure(failure, place);
    if (!this.countRecovery()) return;
    const element = place.sequence[place.index];
    if (this.triedAt === this.at && this.tried.has(element)) this.consume();
    this.triedAt = this.at;
    this.tried.add(element);
    if (this.dropUntil(this.recoverySet(), maxDropped)) this.leave();
    else this.stop(`error recovery token lookahead limit exceeded: ${maxDropped}`);
  }

  private reportFailure(failure: Failure, place: Position): void {
    switch (failure.kind) {
      case 'mismatch':
        this.report(
          `mismatched input ${this.quote(this.peek(0))} expecting ${this.describeExpected(place)}`,
          this.peek(0),
        );
        return;
      case 'no-alternative':
        this.report(this.noAlternative(this.peek(0), this.peek(failure.stuckAt)), this.peek(failure.stuckAt));
    }
  }

  private noAlternative(from: Token, stuckAt: Token): string {
    const input = this.readText(from.start, stuckAt.end);
    const keyword = /^.(true|false|null)$/s.exec(input)?.[1];
    if (keyword !== undefined) return `mismatched input '${keyword}' expecting IDENTIFIER`;
    return `no viable alternative at input '${escapeWhitespace(input)}'`;
  }

  /** Returns the source of a range without characters that are not part of a token. */
  private readText(start: number, end: number): string {
    let read = '';
    let at = start;
    for (const unread of this.lexed.errors) {
      if (unread.start < start || unread.start >= end) continue;
      read += this.text.slice(at, unread.start);
      at = unread.end;
    }
    return read + this.text.slice(at, end);
  }

  private reportUnwanted(place: Position): void {
    this.report(`extraneous input ${this.quote(this.peek(0))} expecting ${this.describeExpected(place)}`, this.peek(0));
  }

  /** Reports an error, and suppresses further errors until a token matches again. */
  private report(message: string, token: Token): void {
    if (this.recovering) return;
    this.recovering = true;
    this.errors.push({ message: `Syntax error: ${message}`, start: token.start, end: token.end });
  }

  private recovered(): void {
    this.recovering = false;
    this.triedAt = -1;
    this.tried.clear();
  }

  private countRecovery(): boolean {
    if (this.recoveries === maxRecoveries) {
      const { start, end } = this.peek(0);
      this.errors.push({
        message: `Syntax error: error recovery attempt limit exceeded: ${maxRecoveries}`,
        start,
        end,
      });
      this.stopped = true;
      return false;
    }
    this.recoveries++;
    return true;
  }

  private stop(message: string): void {
    this.fatal = message;
    this.stopped = true;
  }

  /** Returns whether such a token or the end was reached before the limit. */
  private dropUntil(types: ReadonlySet<TokenType>, limit: number): boolean {
    for (let dropped = 0; this.peek(0).type !== 'EOF' && !types.has(this.peek(0).type); dropped++) {
      if (dropped >= limit) return false;
      this.consume();
    }
    return true;
  }

  /** The tokens that can follow any of the productions being parsed. */
  private recoverySet(): ReadonlySet<TokenType> {
    const types = new Set<TokenType>();
    for (const { follow } of this.frames) {
      if (follow !== undefined) for (const type of this.expected.at(follow).types) types.add(type);
    }
    return types;
  }

  /**
   * The tokens that can come at a place: if its production can end there, also those that follow it, and so on outward.
   */
  private expectedIn(place: Position, above = this.frames.length - 1): ReadonlySet<TokenType> {
    const lookahead = this.expected.at(place);
    const types = new Set(lookahead.types);
    let ends = lookahead.ends;
    for (let i = above; i >= 0 && ends; i--) {
      const follow = this.frames[i]?.follow;
      if (follow === undefined) break;
      const outer = this.expected.at(follow);
      for (const type of outer.types) types.add(type);
      ends = outer.ends;
    }
    if (ends) types.add('EOF');
    return types;
  }

  private lookout(): Lookout {
    return {
      expected: this.expected,
      peek: (ahead) => this.peek(ahead).type,
      canFollowRule: (type) => {
        const follow = this.frames.at(-1)?.follow;
        return follow !== undefined && this.expectedIn(follow, this.frames.length - 2).has(type);
      },
    };
  }

  private describeExpected(place: Position): string {
    return describeTokens(this.expectedIn(place));
  }

  private quote(token: Token): string {
    if (token.type === 'EOF') return `'${tokenTypeName('EOF')}'`;
    return `'${escapeWhitespace(this.text.slice(token.start, token.end))}'`;
  }

  private consume(): void {
    if (this.at < this.tokens.length - 1) this.at++;
  }

  private peek(ahead: number): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] ?? { type: 'EOF', start: 0, end: 0 };
  }
}

function escapeWhitespace(input: string): string {
  return input.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
