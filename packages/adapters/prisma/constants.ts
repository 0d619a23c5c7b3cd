import { UnsupportedPlanError } from '../translation.js';
import {
  idColumn,
  type NamedAttributes,
  type NamedColumn,
  type NamedMapping,
  type NamedRecord,
  type NamedRecords,
  type Where,
} from './mapping.js';

/** All records, or none, by a test of a field: Prisma ignores `{}` and `{ OR: [] }` in lists of conditions. */
export function constantWhere(model: string, mapping: NamedMapping, outcome: boolean): Where {
  const id = idColumn(mapping);
  if (id !== undefined) return constantTest(id, outcome) as Where;
  const where = firstTest(mapping.attributes, outcome);
  if (where !== undefined) return where;
  throw new UnsupportedPlanError(`the model \`${model}\``, [
    { operator: 'filter', reason: 'no field is mapped, so no test of a field selects all records or none', part: '{}' },
  ]);
}

function firstTest(attributes: NamedAttributes, outcome: boolean): Where | undefined {
  for (const stored of Object.values(attributes)) {
    const where = constantTest(stored, outcome);
    if (where !== undefined) return where;
  }
  return undefined;
}

/** A test that is true for all records, or false for all of them; it is never NULL, so it can be negated. */
function constantTest(stored: NamedColumn | NamedRecord | NamedRecords, outcome: boolean): Where | undefined {
  const { field } = stored;
  const operator = outcome ? 'OR' : 'AND';
  if ('relation' in stored) {
    if (stored.relation === 'many') return { [operator]: [{ [field]: { some: {} } }, { [field]: { none: {} } }] };
    if (stored.null !== 'never') return { [operator]: [{ [field]: { is: null } }, { [field]: { isNot: null } }] };
    const inner = firstTest(stored.attributes, outcome);
    return inner && { [field]: { is: inner } };
  }
  if (stored.type === 'list') {
    const isNull = { [field]: { equals: null } };
    return { [operator]: [isNull, { NOT: isNull }] };
  }
  if (stored.type !== 'boolean') return { [field]: { [outcome ? 'notIn' : 'in']: [] } };
  return stored.null === 'never'
    ? { [operator]: [{ [field]: true }, { [field]: false }] }
    : { [operator]: [{ [field]: null }, { [field]: { not: null } }] };
}
