import { type CodeLens, type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import type { Condition, PolicyFile } from '../../compiler/ast/policy.js';
import type { Place } from '../../compiler/diagnostics/span.js';
import { toRange } from './positions.js';

/** The command that evaluates a condition for the requests of the tests. Its arguments: the URI, the line from 1. */
export const EVALUATE_CONDITION = 'authzc.evaluateCondition';

/** A condition for one request of a test. */
export interface Evaluation {
  /** The principal, the resource and the action, as their test names them. */
  readonly request: string;
  readonly result: 'true' | 'false' | 'fails';
  /** The tree of its parts with their values. */
  readonly lines: readonly string[];
}

/** The results of a condition, each once. */
export interface Evaluated {
  readonly evaluations: readonly Evaluation[];
  /** False if there are more requests in the tests than are evaluated. */
  readonly isComplete: boolean;
}

/** A lens on each rule and derived role with a condition. */
export function conditionLenses(file: PolicyFile, uri: string): CodeLens[] {
  return conditionalsIn(file).map(({ place }) => ({
    range: toRange(place.span),
    command: {
      title: 'evaluate the condition with the tests',
      command: EVALUATE_CONDITION,
      arguments: [uri, findLine(place)],
    },
  }));
}

/** The results of a condition, where it is. */
export function evaluationHints(file: PolicyFile, line: number, { evaluations }: Evaluated): Diagnostic[] {
  const conditional = conditionalsIn(file).find(({ place }) => findLine(place) === line);
  if (conditional === undefined) return [];
  return evaluations.slice(0, MOST_SHOWN).map(({ request, result, lines }) => ({
    range: toRange(conditional.condition.place.span),
    severity: DiagnosticSeverity.Information,
    source: 'authz evaluation',
    message: [`${request}: ${result}`, ...lines].join('\n'),
  }));
}

/** `true for 2 requests, false for 1`. */
export function evaluationSummary({ evaluations, isComplete }: Evaluated): string {
  const rest = isComplete ? '' : '; the tests have more requests than are evaluated';
  if (evaluations.length === 0) return `no request of the tests reaches this condition${rest}`;
  const counted = (['true', 'false', 'fails'] as const).flatMap((result) => {
    const count = evaluations.filter((one) => one.result === result).length;
    return count === 0 ? [] : [`${result} for ${count} ${count === 1 ? 'request' : 'requests'}`];
  });
  return counted.join(', ') + rest;
}

/** More would hide the text. */
const MOST_SHOWN = 20;

interface Conditional {
  readonly place: Place;
  readonly condition: Condition;
}

function conditionalsIn({ policy }: PolicyFile): readonly Conditional[] {
  switch (policy.kind) {
    case 'resource':
    case 'role':
      return policy.rules.filter(isConditional);
    case 'principal':
      return policy.rules.flatMap(({ actions }) => actions.filter(isConditional));
    case 'derived-roles':
      return policy.definitions.filter(isConditional);
    case 'invariants':
    case 'export-variables':
    case 'export-constants':
    case 'tenant-roles':
      return [];
  }
}

function isConditional<T extends { readonly condition: Condition | undefined }>(
  rule: T,
): rule is T & { readonly condition: Condition } {
  return rule.condition !== undefined;
}

function findLine({ span: { source, start } }: Place): number {
  return source.lineAndColumn(start).line;
}
