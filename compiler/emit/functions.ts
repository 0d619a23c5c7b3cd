import { not, toPredicate } from '../ir/polarity.js';
import type { Span } from '../diagnostics/span.js';
import { findPlace } from '../ir/origins.js';
import type { AuthoredText, Match, Variable } from '../ir/program.js';
import type { Value } from '../ir/value.js';
import { repeatedIn, listValues } from '../ir/visit.js';
import { bracketed, type Doc } from './doc.js';
import { cel, residual } from './mentions.js';
import { type Fragment, primary } from './fragment.js';
import { type FunctionContext, functionContext, requestFunction, use } from './function-context.js';
import { type ModuleContext, PLAIN, type Style, TELLING, TRACED } from './module-context.js';
import { quoted } from './quote.js';
import { survives } from '../ir/survives.js';
import { valueDoc } from './values.js';
import { whenDoc } from './when.js';
import { ofRow, readsOnlyRow, termDoc, unlessDoc, whereDoc } from './where.js';

/** When a rule applies, in emitted terms. */
export interface Applies {
  /** Its condition, or the name of a function that evaluates it. */
  readonly condition: Match | string | undefined;
  /** It applies where the condition does not hold. */
  readonly inverted: boolean;
}

/** A function of the request, and whether it has no parameter. */
export interface PrintedFunction {
  readonly doc: Doc;
  readonly isConstant: boolean;
}

/**
 * The `when` of a rule: a function of the request that is true exactly when the condition holds. Undefined if there is
 * none.
 */
export function whenFunction(
  applies: Applies,
  module: ModuleContext,
  style: Style = PLAIN,
): PrintedFunction | undefined {
  const { condition, inverted } = applies;
  if (condition === undefined) return undefined;
  if (typeof condition === 'string') return { doc: condition, isConstant: false };
  const context = functionContext(module, style, repeatedIn(listValues(condition), 'variable'));
  const predicate = inverted ? not(toPredicate(condition)) : toPredicate(condition);
  const doc = requestFunction(context, whenDoc(predicate, context), 'types implied', findBeginning(condition));
  return { doc, isConstant: context.used.isEmpty };
}

/** Where the first expression of a condition was written. */
function findBeginning(match: Match): Span | undefined {
  if (match.kind === 'expr') return findPlace(match.value, match.expression);
  const [first] = match.of;
  return first && findBeginning(first);
}

/**
 * A condition before the resource is known: a function of the query and of the algebra that puts it together.
 * @param style `LISTED_RESIDUAL` for its value while derived roles are listed, `RESIDUAL` otherwise.
 */
export function filterFunction(condition: Match, inverted: boolean, module: ModuleContext, style: Style): Doc {
  const context = functionContext(module, style);
  const doc = whereDoc(condition, context);
  return requestFunction(context, primary(inverted ? unlessDoc(doc) : doc), 'with algebra');
}

/**
 * A function of the request that returns an output as JSON, or the text of the expression that failed
 * (docs/spec/policy-language.md#outputs).
 */
export function outputFunction(value: Value, expression: AuthoredText | undefined, module: ModuleContext): Doc {
  const context = functionContext(module, TRACED, undefined, expression);
  const body = bracketed(cel('toOutput('), [valueDoc(value, context).doc], ')');
  return requestFunction(context, primary(body), 'types implied', expression && findPlace(value, expression));
}

/** A function of the request that returns a value as a condition computes it. */
export function valueFunction(value: Value, module: ModuleContext): Doc {
  const context = functionContext(module, PLAIN, repeatedIn([value], 'variable'));
  return requestFunction(context, valueDoc(value, context), 'types implied');
}

/**
 * A condition of the second emission: true, false, or the text of the first expression that failed
 * (docs/spec/policy-language.md#results-of-conditions, strict mode).
 */
export function tracedFunction(condition: Match, inverted: boolean, module: ModuleContext): Doc {
  const context = functionContext(module, TELLING);
  const traced = (match: Match): Fragment => {
    if (match.kind === 'expr') return telling('part', match.expression.text, valueDoc(match.value, context), context);
    const parts = match.of.map((inner): Doc => ['() => ', traced(inner).doc]);
    return primary(bracketed(cel(`${match.kind}Of(`), parts, ')'));
  };
  const body = bracketed(cel(inverted ? 'verdictUnless(' : 'verdict('), [traced(condition).doc], ')');
  return requestFunction(context, primary(body), 'types implied');
}

/** The declaration of a variable's function, with the author's text above it, and what it is called with. */
export function variableFunction(
  variable: Variable,
  name: string,
  style: Style,
  module: ModuleContext,
): { readonly doc: Doc; readonly reads: 'nothing' | 'row' | 'request' } {
  const { expression } = variable;
  const context = {
    ...functionContext(module, style, undefined, expression),
    hoisting: style.residual ? expression : undefined,
  };
  const value = style.residual ? primary(termDoc(variable.value, context)) : valueDoc(variable.value, context);
  const kept = survives(variable.value.type)
    ? value
    : primary(bracketed((style.residual ? residual : cel)('stored('), [value.doc], ')'));
  const body = style.tells ? telling('variable', variable.expression.text, kept, context) : kept;
  const remark = module.remark(`V.${variable.name}: ${variable.expression.text}`);
  const isOfRow = readsOnlyRow(context);
  return {
    doc: [
      remark,
      `const ${name} = `,
      isOfRow ? ofRow(body.doc) : requestFunction(context, body, 'with types', findPlace(variable.value, expression)),
      ';',
    ],
    reads: isOfRow ? 'row' : context.used.isEmpty ? 'nothing' : 'request',
  };
}

function telling(what: 'part' | 'variable', text: string, value: Fragment, context: FunctionContext): Fragment {
  return primary(bracketed(cel(`${what}(`), [use(context, 'failures'), quoted(text), value.doc], ')'));
}
