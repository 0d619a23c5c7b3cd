import * as cel from '../cel/runtime/index.js';
import { guard } from '../../runtime/engine/parts.js';
import type { Attributes, Request } from '../../runtime/policy/index.js';
import { currentInstant } from '../analysis/explain/explain.js';
import { type CelType, dyn } from '../cel/library/types.js';
import { evaluate, type Surroundings } from '../../compiler/evaluate.js';
import { lowerValue } from '../../compiler/lower/values.js';
import { foldValue } from '../../compiler/optimise/constants.js';
import { parseCel } from '../cel/parse/index.js';
import { checkExpression } from '../cel/check/check-expression.js';
import { type Environment, policyEnvironment } from '../cel/check/environment.js';

/** What the expressions of a mapping read. */
export interface Variables {
  /** The parameters of the JSON-RPC request. */
  readonly params: Attributes;
  /** The claims of the verified token. */
  readonly token: Attributes;
}

/** The value of an expression: JSON, or absent because it is an empty optional, or why there is none. */
export type ExpressionResult = { readonly value: cel.Json | undefined } | { readonly error: string };

/** A compiled expression. Evaluating it does not throw, and costs no more than a condition may. */
export interface MappingExpression {
  readonly type: CelType;
  readonly evaluate: (variables: Variables) => ExpressionResult;
}

/** Compiles an expression over `params` and `token`; a text says why it is none. */
export function compileMappingExpression(text: string): MappingExpression | string {
  const { ast, errors } = parseCel(text);
  if (ast === undefined) return errors[0]?.message ?? 'it is not an expression';
  const { problems, type, ...checked } = checkExpression(ast, ENVIRONMENT);
  const [problem] = problems;
  if (problem !== undefined) return problem.message;
  const value = foldValue(lowerValue(ast, { ...checked }));
  return {
    type,
    evaluate: ({ params, token }) => {
      const within: Surroundings = {
        request: emptyRequest(),
        bindings: NO_BINDINGS,
        locals: new Map([
          ['params', params],
          ['token', token],
        ]),
      };
      try {
        return guard.asOne(() => toResult(evaluate(value, within)), {});
      } catch (error) {
        if (!(error instanceof cel.EvaluationLimitError || error instanceof RangeError)) throw error;
        return { error: 'the expression costs more than the limit' };
      }
    },
  };
}

function toResult(result: cel.Result): ExpressionResult {
  const content = result instanceof cel.Optional ? result.value : result;
  if (result instanceof cel.Optional && content === undefined) return { value: undefined };
  const output = cel.toOutput(content);
  return 'error' in output ? output : { value: output.val };
}

/** The functions and types of conditions, but none of their variables. */
const ENVIRONMENT: Environment = {
  ...policyEnvironment,
  names: new Map([
    ...[...policyEnvironment.names].filter(
      ([, { reference }]) => reference?.kind === 'type' || reference?.kind === 'enum',
    ),
    ...['params', 'token'].map((name) => [name, { type: dyn, reference: { kind: 'local' as const, name } }] as const),
  ]),
};

const NO_BINDINGS: Surroundings['bindings'] = {
  variable: cel.undefinedField,
  constant: cel.undefinedField,
  variables: () => ({}),
  constants: () => ({}),
};

/** Functions without arguments, such as `now()`, read the instant. */
function emptyRequest(): Request {
  return {
    principal: { id: '', roles: [], attr: {}, policyVersion: '', scope: '' },
    resource: { kind: '', id: '', attr: {}, policyVersion: '', scope: '' },
    auxData: { jwt: {}, jwts: {} },
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: {},
    now: currentInstant(),
  };
}
