import { append } from '../append.js';
import type { Condition, Expression, Match, Output } from '../ast/policy.js';
import type { Bindings } from '../ast/policy-set.js';
import { didYouMean } from '../../packages/cel/check/did-you-mean.js';
import type { Place } from '../diagnostics/span.js';
import { placeOfNode } from '../ast/places.js';
import type { Problems } from '../diagnostics/problems.js';
import type { Details } from '../diagnostics/diagnostic.js';
import type { Catalogue } from './catalogue.js';
import { collectReferences } from './references.js';
import { suggestSets } from './suggest-sets.js';

/** The names that an expression can refer to. */
export type Names = { readonly [K in keyof Bindings]: ReadonlyMap<string, unknown> } & {
  /** The set of policies, for suggestions. */
  readonly catalogue: Catalogue;
};

/** Reports undefined names and scripts in a condition (docs/spec/policy-language.md#condition). */
export function linkCondition(condition: Condition | undefined, names: Names, problems: Problems): void {
  if (condition === undefined) return;
  // An explicit stack: a condition may be nested deeper than the call stack allows.
  const pending: Match[] = [condition.match];
  for (let match = pending.pop(); match !== undefined; match = pending.pop()) {
    switch (match.kind) {
      case 'expr':
        linkExpression(match.expression, names, problems);
        break;
      case 'script':
        problems.add('condition/script', placeOfScript(condition, match), {}, { notes: [SUGGESTION] });
        break;
      case 'all':
      case 'any':
      case 'none':
        append(pending, match.of);
        break;
    }
  }
}

/**
 * Reports undefined names in an output, and outputs without an expression
 * (docs/spec/policy-language.md#output).
 */
export function linkOutput(output: Output | undefined, names: Names, problems: Problems): void {
  if (output === undefined) return;
  const expressions = [output.ruleActivated, output.conditionNotMet, output.legacy].filter((expression) =>
    isPresent(expression),
  );
  if (expressions.length === 0) problems.add('output/empty', output.place, {});
  for (const expression of expressions) linkExpression(expression, names, problems);
}

/**
 * Reports undefined variables and constants in an expression
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 * @param definedAs the variable whose definition the expression is.
 */
export function linkExpression(expression: Expression, names: Names, problems: Problems, definedAs?: string): void {
  if (expression.ast === undefined) return;
  const { variables, constants } = collectReferences(expression.ast);
  for (const [name, node] of variables) {
    if (names.variables.has(name)) continue;
    const place = placeOfNode(expression, node);
    problems.add('variable/undefined', place, { name, referencedIn: definedAs }, advise(name, 'variables', names));
  }
  for (const [name, node] of constants) {
    if (names.constants.has(name)) continue;
    const place = placeOfNode(expression, node);
    problems.add('constant/undefined', place, { name, referencedIn: definedAs }, advise(name, 'constants', names));
  }
}

/** What to do about a name that is not defined: import it, or write another one. */
function advise(name: string, kind: 'variables' | 'constants', names: Names): Pick<Details, 'hints' | 'withoutHints'> {
  const isOther = names[kind === 'variables' ? 'constants' : 'variables'].has(name);
  const other = kind === 'variables' ? `a constant: write \`C.${name}\`` : `a variable: write \`V.${name}\``;
  return {
    hints: () =>
      [
        ...(isOther ? [{ message: `\`${name}\` is ${other}` }] : []),
        ...suggestSets(name, `export-${kind}`, names.catalogue),
        ...didYouMean(name, names[kind].keys()),
      ].slice(0, 1),
    withoutHints: [{ message: `define \`${name}\` under \`${kind}.local\`` }],
  };
}

/** Scripts were removed long ago; the message in the report does not suggest a fix. */
const SUGGESTION = { message: 'conditions are CEL expressions: write `match: { expr: ... }`' };

/** Reported at the key of the condition, with the script underlined. */
function placeOfScript(condition: Condition, script: Extract<Match, { kind: 'script' }>): Place {
  return { ...condition.place, span: script.place.span };
}

function isPresent(expression: Expression | undefined): expression is Expression {
  return expression !== undefined && expression.text !== '';
}
