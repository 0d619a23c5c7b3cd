/** Which related records count: those that the application hides do not grant. */
import { ALWAYS, type NamedRecord, type NamedRelation, NEVER, type Where } from './mapping.js';

/** The test that a related record counts. It is never NULL where the schema is known, so it can be negated. */
function countingTest({ where = {}, optional = [] }: NamedRelation): Where {
  return Object.fromEntries(
    Object.entries(where).flatMap(([field, value]) =>
      value === undefined
        ? []
        : [[field, value !== null && optional.includes(field) ? { equals: value, not: null } : value] as const],
    ),
  );
}

/** Whether the mapping says which records count. */
function isCounting(relation: NamedRelation): boolean {
  return Object.keys(countingTest(relation)).length > 0;
}

/** The test of related records, of those that count alone. */
export function amongCounting(relation: NamedRelation, where: Where): Where {
  const counts = countingTest(relation);
  if (!isCounting(relation)) return where;
  return where === ALWAYS ? counts : { AND: [counts, where] };
}

/** Where a record is there, and counts. */
export function isThere(record: NamedRecord): Where {
  if (isCounting(record)) return { [record.field]: { is: countingTest(record) } };
  return record.null === 'never' ? ALWAYS : { [record.field]: { isNot: null } };
}

/** Where a record is missing, or does not count. */
export function isMissing(record: NamedRecord): Where {
  if (isCounting(record)) return { [record.field]: { isNot: countingTest(record) } };
  return record.null === 'never' ? NEVER : { [record.field]: { is: null } };
}
