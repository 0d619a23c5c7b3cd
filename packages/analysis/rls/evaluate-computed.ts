import { violationsOf } from '../../json-schema/index.js';
import { evaluate } from '../../../compiler/evaluate.js';
import { type ComputedValues, computedValues } from '../../../runtime/engine/parts.js';
import { makeSurroundings } from '../program/conditions.js';
import { schemaDefinitions } from '../program/schemas.js';
import type { ComputedValue } from './computed-values.js';

/** The computed values of a principal without code that is generated for them (compiler/emit/computed.ts). */
export function evaluateComputed(values: readonly ComputedValue[]): ComputedValues {
  return computedValues(
    values.map(({ id, computes }) => {
      if (computes.kind === 'expression') {
        const { value, module } = computes;
        return [id, (request) => evaluate(value, makeSurroundings(module, request))];
      }
      const violations = violationsOf(schemaDefinitions(computes.modules)(computes.at));
      return [id, ({ principal }) => violations(principal.attr).length === 0];
    }),
  );
}
