import { not, predicateOf } from '../ir/polarity.js';
import type { Match, Variable } from '../ir/program.js';
import type { CelType } from '../cel/types.js';
import type { Value } from '../ir/value.js';
import { comment } from './comment.js';
import { bracketed, type Doc, print } from './doc.js';
import { type Fragment, primary } from './fragment.js';
import { functionContext, requestFunction, use } from './function-context.js';
import { type ModuleContext, PLAIN, type Style, TRACED } from './module-context.js';
import { valueDoc } from './values.js';
import { conjunction, whenDoc } from './when.js';

/** What makes a rule apply, in emitted terms. */
export interface Applies {
  readonly condition: Match | undefined;
  /** The identifier of the derived role it goes through. */
  readonly derivedRole: string | undefined;
  /** It applies where the condition does not hold. */
  readonly inverted: boolean;
}

/** The `when` of a rule: `always`, or a function of the request that is true exactly when the rule applies. */
export function whenFunction(applies: Applies, module: ModuleContext, style: Style = PLAIN): Doc {
  const { condition, derivedRole, inverted } = applies;
  if (condition === undefined) return derivedRole === undefined ? 'always' : `${derivedRole}.when`;
  const context = functionContext(module, style);
  const predicate = inverted ? not(predicateOf(condition)) : predicateOf(condition);
  if (derivedRole === undefined) return requestFunction(context, whenDoc(predicate, context), 'types implied');
  const active = `${derivedRole}.when(${use(context, 'request')})`;
  return requestFunction(context, conjunction([active], predicate, context), 'types implied');
}

/** A function of the request that gives an output as JSON, or the text of what failed (policy-language.md 9). */
export function outputFunction(value: Value, module: ModuleContext): Doc {
  const context = functionContext(module, TRACED);
  const body = bracketed('cel.toOutput(', [valueDoc(value, context).doc], ')');
  return requestFunction(context, primary(body), 'types implied');
}

/** A condition of the second emission: true, false, or the text of what failed first (policy-language.md 5.2, strict mode). */
export function tracedFunction(condition: Match, inverted: boolean, module: ModuleContext): Doc {
  const context = functionContext(module, TRACED);
  const traced = (match: Match): Fragment => {
    if (match.kind === 'expr') return valueDoc(match.value, context);
    const parts = match.of.map((inner): Doc => ['() => ', traced(inner).doc]);
    return primary(bracketed(`cel.${match.kind}Of(`, parts, ')'));
  };
  const body = bracketed(inverted ? 'cel.verdictUnless(' : 'cel.verdict(', [traced(condition).doc], ')');
  return requestFunction(context, primary(body), 'types implied');
}

/** The declaration of a variable's function, with the author's text above it. */
export function variableFunction(
  variable: Variable,
  name: string,
  style: Style,
  module: ModuleContext,
): { readonly text: string; readonly isConstant: boolean } {
  const context = functionContext(module, style);
  const value = valueDoc(variable.value, context);
  const body = survives(variable.value.type) ? value : primary(bracketed('cel.stored(', [value.doc], ')'));
  const declaration = `const ${name} = `;
  const text = print([requestFunction(context, body, 'with types'), ';'], 0, declaration.length);
  return { text: `${comment(`V.${variable.name}: ${variable.text}`)}\n${declaration}${text}`, isConstant: context.used.size === 0 };
}

/** Whether a value keeps its type when it is stored in a variable; hierarchies, optionals and types do not (conditions.md 1.7). */
function survives(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'null':
    case 'timestamp':
    case 'duration':
      return true;
    case 'dyn':
      return type.json;
    case 'list':
      return survives(type.element);
    case 'map':
      return survives(type.key) && survives(type.value);
    case 'error':
    case 'optional':
    case 'type':
    case 'message':
    case 'opaque':
    case 'parameter':
      return false;
  }
}
