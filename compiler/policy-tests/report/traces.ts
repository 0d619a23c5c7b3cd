import { visible } from '../../diagnostics/visible.js';
import type { CaseResult, SuiteResult, Trace } from '../results.js';

/**
 * The section `TRACES`: of each action that failed, which policy decided, by which derived roles, and what could not be
 * evaluated. The engine keeps no record of single steps. Ends with an empty line unless there is nothing.
 */
export function traceLines(suites: readonly SuiteResult[]): readonly string[] {
  const traced = suites.flatMap(({ name, cases }) =>
    cases.flatMap((own) => (own.trace === undefined || !isFailure(own) ? [] : blockOf(name, own, own.trace))),
  );
  return traced.length === 0 ? [] : ['TRACES', ...traced, ''];
}

function isFailure({ details }: CaseResult): boolean {
  return details.kind === 'failed' || details.kind === 'errored';
}

function blockOf(suite: string, { test, principal, resource, action }: CaseResult, trace: Trace): readonly string[] {
  const { matchedPolicy, matchedScope, effectiveDerivedRoles, evaluationErrors, validationErrors } = trace;
  return [
    visible([suite, test, principal, resource, action].join(' > ')),
    `  decided by ${visible(matchedPolicy)}${matchedScope === '' ? '' : `, scope ${visible(matchedScope)}`}`,
    ...(effectiveDerivedRoles.length === 0 ? [] : [`  derived roles: ${visible(effectiveDerivedRoles.join(', '))}`]),
    ...evaluationErrors.map(
      ({ policy, rule, expression, message }) =>
        `  ${visible(`${policy}#${rule}: \`${expression}\` could not be evaluated, so it does not hold: ${message}`)}`,
    ),
    ...validationErrors.map(
      ({ source, path, message }) =>
        `  ${visible(`schema violation, ${source === 'SOURCE_PRINCIPAL' ? 'principal' : 'resource'} ${path}: ${message}`)}`,
    ),
  ];
}
