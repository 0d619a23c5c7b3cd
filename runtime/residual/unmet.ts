import { complement, expression, joined, type Operand } from './operand.js';

/**
 * The two-valued not: true where the operand is not true, be it false or not to be evaluated
 * (docs/spec/plans.md#d-09-two-kinds-of-not). In terms of CEL's not and of `has` where these say it all, whatever the
 * row holds: of comparisons of attributes with constants or with one another, of attributes that are true or false, of
 * presence. Of anything else with the operator `unless`, true where its operand is not.
 */
export function unmet(operand: Operand): Operand {
  return except(operand, true);
}

/** True where the operand is not `outcome`. */
function except(operand: Operand, outcome: boolean): Operand {
  if ('value' in operand) return { value: operand.value !== outcome };
  if ('variable' in operand)
    return isAttribute(operand)
      ? joined('or', [expression('ne', operand, { value: outcome }), absent(operand)], 'flat')
      : unless(operand, outcome);
  const { operator, operands } = operand.expression;
  const [first, second, third] = operands as [Operand, Operand, Operand];
  switch (operator) {
    case 'and':
    case 'or': {
      const parts = operands.map((part) => except(part, outcome));
      return joined((operator === 'and') === outcome ? 'or' : 'and', parts, 'flat');
    }
    case 'not':
      return except(first, !outcome);
    case 'if':
      return joined(
        'and',
        [
          joined('or', [except(first, true), except(second, outcome)], 'flat'),
          joined('or', [except(first, false), except(third, outcome)], 'flat'),
        ],
        'flat',
      );
    case 'has':
      return isAttribute(first) ? plain(operand, outcome) : unless(operand, outcome);
    case 'eq':
    case 'ne':
      return isReadable(first) && isReadable(second) ? exceptWhereAbsent(operand, outcome) : unless(operand, outcome);
    case 'in':
      return isReadable(first) && 'value' in second ? exceptWhereAbsent(operand, outcome) : unless(operand, outcome);
    default:
      return unless(operand, outcome);
  }
}

/** An operand that has a value wherever the attributes it reads are there. */
function exceptWhereAbsent(operand: Operand, outcome: boolean): Operand {
  const parts = 'expression' in operand ? operand.expression.operands : [];
  return joined('or', [plain(operand, outcome), ...parts.filter(isAttribute).map(absent)], 'flat');
}

function plain(operand: Operand, outcome: boolean): Operand {
  return outcome ? complement(operand, 'flat') : operand;
}

function unless(operand: Operand, outcome: boolean): Operand {
  return expression('unless', outcome ? operand : complement(operand, 'flat'));
}

function isReadable(operand: Operand): boolean {
  return 'value' in operand || isAttribute(operand) || ('variable' in operand && ALWAYS_THERE.has(operand.variable));
}

const ALWAYS_THERE: ReadonlySet<string> = new Set(['request.resource.id', 'request.resource.policyVersion']);

const ATTRIBUTES = 'request.resource.attr.';

/**
 * An attribute itself: of what is below one, nobody can ask whether it is there without knowing that the attribute is a
 * map.
 */
function isAttribute(operand: Operand): boolean {
  return (
    'variable' in operand &&
    operand.variable.startsWith(ATTRIBUTES) &&
    !operand.variable.includes('.', ATTRIBUTES.length)
  );
}

function absent(operand: Operand): Operand {
  return expression('not', expression('has', operand));
}
