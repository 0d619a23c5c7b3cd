import type { ValidationError } from '../../../proto/messages.js';
import type { Call } from '../../service/call.js';
import type { Watcher } from '../../service/watcher.js';
import type { TellConditionErrors } from '../condition-errors.js';
import type { Logger, LogLevel } from './logger.js';

/**
 * Says which attributes break their schema (docs/spec/server.md#logs), which rules no plan can say, and which calls
 * cost too much.
 */
export function decisionLog(logger: Logger): Watcher {
  const sayViolations = (call: Call, violations: readonly ValidationError[]): void => {
    if (violations.length > 0)
      logger.warn('Attributes break their schema', { 'authz.call_id': call.id, errors: violations.map(violationText) });
  };
  return {
    checked: (call, { decisions }) => {
      for (const { validationErrors } of decisions) sayViolations(call, validationErrors);
    },
    exceeded: (call, { error, reason }) =>
      logger.warn('Conditions cost more than is allowed', { 'authz.call_id': call.id, reason, error }),
    planned: (call, { plan }) => {
      sayViolations(call, plan.validationErrors);
      for (const { policy, rule, reason } of plan.unplanned) {
        logger.warn('Rule could not be planned', { 'authz.call_id': call.id, policy, rule, error: reason });
      }
    },
  };
}

/** Says which conditions could not be evaluated, at the level of `engine.celErrorLogLevel`. */
export function conditionLog(logger: Logger, level: LogLevel): TellConditionErrors {
  return (call, errors) => {
    for (const { expression, message } of errors) {
      logger[level]('Condition could not be evaluated', { 'authz.call_id': call.id, expression, error: message });
    }
  };
}

function violationText({ source, path, message }: ValidationError): string {
  return `${source === 'SOURCE_PRINCIPAL' ? 'P' : 'R'}.attr[${path}]: ${message}`;
}
