import { beginLimit, EvaluationLimitError, endLimit, isFailure } from '../../cel/runtime/index.js';
import type { Instant } from '../../../runtime/policy/index.js';
import type { PolicyFile } from '../../../compiler/ast/policy.js';
import { formatFrame } from '../../../compiler/diagnostics/frame.js';
import { plain } from '../../../compiler/diagnostics/paint.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { plainSyntaxError } from '../../../compiler/diagnostics/syntax-text.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { reservedWords } from '../../cel/parse/tokens.js';
import { type Assign, ASSIGNMENTS, EMPTY_STATE, readJson, type State } from './state.js';
import { compileExpression, type ExpressionProblem, isDeclared } from './compile-expression.js';
import { conditionTree } from './condition-tree.js';
import { HELP, readInput } from './directive.js';
import { evaluate } from '../../../compiler/evaluate.js';
import { explainFailure } from './failing-part.js';
import { evaluateExpression, makeSurroundings, surroundingsOfPolicy } from './surroundings.js';
import { listNames, listPolicy, listRules } from './listing.js';
import { loadedPolicy } from './loaded-policy.js';
import { printValue } from './print-value.js';
import { RequestProblem } from './request-json.js';

/**
 * The result of an input: output for stdout and stderr, each empty or ending with a line break, and whether the session
 * ends.
 */
export interface Reply {
  readonly output: string;
  readonly problems: string;
  readonly leaves: boolean;
}

/** A policy that was read, with those beside it; or the errors in its file, ending with a line break. */
export type ReadPolicy =
  | { readonly file: PolicyFile; readonly others: readonly PolicyFile[] }
  | { readonly problems: string };

/** The environment of a session. */
export interface World {
  readonly now: () => Instant;
  readonly read: (file: string) => ReadPolicy;
}

/**
 * An interactive session for expressions (docs/spec/server.md#repl): it remembers named values, the request, and the
 * loaded policy.
 */
export class Session {
  private state: State = EMPTY_STATE;

  constructor(private readonly world: World) {}

  /** Evaluates an input. If that costs too much, it reports a problem, as a call would fail. */
  enter(text: string): Reply {
    const isOutermost = beginLimit(MOST_STEPS, MOST_BYTES);
    try {
      return this.answer(text);
    } catch (error) {
      if (error instanceof EvaluationLimitError) return failed(error.message);
      throw error;
    } finally {
      endLimit(isOutermost);
    }
  }

  private answer(text: string): Reply {
    const input = readInput(text);
    switch (input.kind) {
      case 'nothing':
        return said('');
      case 'help':
        return said(HELP);
      case 'quit':
        return { ...said(''), leaves: true };
      case 'unknown':
        return failed(input.message);
      case 'reset':
        this.state = EMPTY_STATE;
        return said('');
      case 'vars':
        return said(listNames(this.state));
      case 'rules':
        return this.state.policy === undefined ? failed(NO_POLICY) : said(listRules(this.state.policy));
      case 'load':
        return this.load(input.file);
      case 'exec':
        return this.execute(input.rule);
      case 'expression':
        return this.evaluate('_', text, { whole: text, offset: 0 });
      case 'let':
        return this.assign(input.name, input.text, { whole: text, offset: input.offset });
    }
  }

  private load(path: string): Reply {
    const found = this.world.read(path);
    if ('problems' in found) return { output: '', problems: found.problems, leaves: false };
    const policy = loadedPolicy(found.file, found.others);
    this.state = { ...this.state, policy, variables: undefined, constants: undefined };
    return { ...failed(...policy.problems), output: listPolicy(policy) };
  }

  private execute(number: number): Reply {
    const { policy } = this.state;
    if (policy === undefined) return failed(NO_POLICY);
    const rule = policy.rules[number];
    if (rule === undefined) return failed(`no rule #${number}: \`:rules\` lists the rules`);
    const within = surroundingsOfPolicy(this.state, this.world.now());
    return said(
      `${conditionTree(rule.condition.match, (expression) => evaluateExpression(expression, within)).join('\n')}\n`,
    );
  }

  private assign(name: string, text: string, at: Placed): Reply {
    const assign = ASSIGNMENTS.get(name);
    if (assign !== undefined) return this.assignJson(assign, name, text, at);
    if (!/^[A-Za-z_]\w*$/.test(name) || name === '_')
      return failed(`\`${name}\` is not a name: use letters, digits and underscores`);
    if (isDeclared(name) || WORDS.has(name)) return failed(`\`${name}\` has a meaning already`);
    return this.evaluate(name, text, at);
  }

  private assignJson(assign: Assign, name: string, text: string, at: Placed): Reply {
    const read = readJson(text);
    try {
      if ('problem' in read) throw new RequestProblem(`it takes JSON: ${read.problem}`);
      this.state = assign(this.state, read.json);
      return said(`${name} = ${visibleJson(read.json)}\n`);
    } catch (error) {
      if (!(error instanceof RequestProblem)) throw error;
      return wrong([{ message: `\`${name}\` cannot be that: ${error.message}`, start: 0, end: text.length }], at);
    }
  }

  /** Evaluates an expression and stores its value under a name. */
  private evaluate(name: string, text: string, at: Placed): Reply {
    const compiled = compileExpression(text, this.state.names.keys());
    if (compiled.kind === 'invalid') return wrong(compiled.problems, at);
    const within = makeSurroundings(this.state, this.world.now());
    const result = evaluate(compiled.value, within);
    if (isFailure(result))
      return wrong([explainFailure(compiled.ast, result?.message ?? 'it could not be evaluated', within)], at);
    this.state = { ...this.state, names: new Map([...this.state.names, [name, result]]) };
    return said(`${name} = ${printValue(result)}\n`);
  }
}

/** More than a server allows by default: a person accepts a wait of a few seconds. */
const MOST_STEPS = 200_000_000;
const MOST_BYTES = 400 * 1024 * 1024;

/** The keywords of CEL, which cannot be names. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in', ...reservedWords]);

const NO_POLICY = 'no policy is loaded: `:load FILE`';

/** The position of a source text in the input. */
interface Placed {
  readonly whole: string;
  readonly offset: number;
}

function said(output: string): Reply {
  return { output, problems: '', leaves: false };
}

function failed(...messages: readonly string[]): Reply {
  return { ...said(''), problems: messages.map((message) => `error: ${visible(message)}\n`).join('') };
}

/** `1:9: error: ...`, the source line with a marker, and the suggested fix. */
function wrong(problems: readonly ExpressionProblem[], { whole, offset }: Placed): Reply {
  const source = new Source('', whole);
  const lines = problems.flatMap(({ message, start, end, hints, advice }) => {
    const { line, column } = source.lineAndColumn(offset + start);
    const frame = formatFrame({ source, start: offset + start, end: offset + end }, plain);
    return [
      `${line}:${column}: error: ${visible(plainSyntaxError(message))}`,
      ...frame,
      ...[...(hints?.() ?? []), ...(advice ?? [])].map((hint) => `  note: ${visible(hint.message)}`),
    ];
  });
  return { ...said(''), problems: lines.map((line) => `${line}\n`).join('') };
}
