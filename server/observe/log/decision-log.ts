import type { ValidationError } from '../../../proto/messages.js';
import type { Call } from '../../service/call.js';
import type { Watcher } from '../../service/watcher.js';
import { type EvaluationError, evaluationErrorsOf } from '../evaluation-errors.js';
import type { Logger, LogLevel } from './logger.js';

/**
 * Says what went wrong while the engine decided (server.md 5.4): conditions that could not be evaluated, at the level of `engine.celErrorLogLevel`, and
 * attributes that break their schema.
 */
export function decisionLog(logger: Logger, conditionLevel: LogLevel | 'none'): Watcher {
  const sayErrors = (call: Call, errors: readonly EvaluationError[]): void => {
    if (conditionLevel === 'none') return;
    for (const { expression, message } of errors) {
      logger[conditionLevel]('Condition could not be evaluated', { 'authz.call_id': call.id, expression, error: message });
    }
  };
  const sayViolations = (call: Call, violations: readonly ValidationError[]): void => {
    if (violations.length > 0) logger.warn('Attributes break their schema', { 'authz.call_id': call.id, errors: violations.map(violationText) });
  };
  return {
    checked: (call, { decisions }) => {
      for (const decision of decisions) {
        sayErrors(call, evaluationErrorsOf(decision));
        sayViolations(call, decision.validationErrors);
      }
    },
    planned: (call, { plan }) => {
      sayErrors(call, evaluationErrorsOf(plan));
      sayViolations(call, plan.validationErrors);
      for (const { policy, rule, reason } of plan.unplanned) {
        logger.warn('Rule could not be planned', { 'authz.call_id': call.id, policy, rule, error: reason });
      }
    },
  };
}

function violationText({ source, path, message }: ValidationError): string {
  return `${source === 'SOURCE_PRINCIPAL' ? 'P' : 'R'}.attr[${path}]: ${message}`;
}
