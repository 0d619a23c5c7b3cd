import { complement, expression, joined, type Operand } from './operand.js';

/**
 * The two-valued not in terms of CEL's: true where the operand is not true, be it false or not to be evaluated because something it reads is
 * not there (planner.md D-09). An attribute of another type than the operand wants is not foreseen: there this is not true, so that a filter made
 * of it may select too little, never too much.
 */
export function unmet(operand: Operand): Operand {
  return except(operand, true);
}

/** True where the operand is not `outcome`. */
function except(operand: Operand, outcome: boolean): Operand {
  if ('value' in operand) return { value: operand.value !== outcome };
  if ('expression' in operand) {
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
        return joined('and', [joined('or', [except(first, true), except(second, outcome)], 'flat'), joined('or', [except(first, false), except(third, outcome)], 'flat')], 'flat');
      case 'exists':
      case 'all': {
        const inner = bodyExcept(second, outcome);
        if (inner === undefined) break;
        const other = (operator === 'exists') === outcome ? 'all' : 'exists';
        return joined('or', [expression(other, first, inner), ...guards(first)], 'flat');
      }
    }
  }
  const plain = outcome ? complement(operand, 'flat') : operand;
  return joined('or', [plain, ...guards(operand)], 'flat');
}

/** The lambda with its body turned around; undefined where CEL's own not says it all. */
function bodyExcept(lambda: Operand, outcome: boolean): Operand | undefined {
  if (!('expression' in lambda)) return undefined;
  const [body, ...variables] = lambda.expression.operands as [Operand, ...Operand[]];
  return guards(body).length === 0 && !hasLogic(body) ? undefined : expression('lambda', except(body, outcome), ...variables);
}

function hasLogic(operand: Operand): boolean {
  return 'expression' in operand && ['and', 'or', 'not', 'if', 'exists', 'all'].includes(operand.expression.operator);
}

/** For each thing an atom cannot do without, that it is not there. */
function guards(operand: Operand): readonly Operand[] {
  if ('value' in operand) return [];
  if ('variable' in operand) return hopsOf(operand.variable).map((variable) => absent({ variable }));
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  switch (operator) {
    case 'and':
    case 'or':
    case 'not':
    case 'if':
    case 'unless':
    case 'lambda':
      return [];
    case 'has':
      return 'variable' in first ? guards(first).slice(0, -1) : guards(first);
    case 'get-field':
      return [...guards(first), absent(operand)];
    case 'index':
      return 'value' in second && typeof second.value === 'string' ? [...guards(first), absent(operand)] : operands.flatMap(guards);
    default:
      return operands.flatMap(guards);
  }
}

function absent(operand: Operand): Operand {
  return expression('not', expression('has', operand));
}

const ATTRIBUTES = 'request.resource.attr';

/** `request.resource.attr.a`, then `request.resource.attr.a.b`. */
function hopsOf(variable: string): readonly string[] {
  const isAttribute = variable.startsWith(`${ATTRIBUTES}.`);
  if (!isAttribute && variable.startsWith('request.')) return [];
  const names = variable.split('.');
  const from = isAttribute ? ATTRIBUTES.split('.').length + 1 : 2;
  const hops: string[] = [];
  for (let length = from; length <= names.length; length++) hops.push(names.slice(0, length).join('.'));
  return hops;
}
