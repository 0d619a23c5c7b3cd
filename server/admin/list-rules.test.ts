import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListAuditLogEntriesRequest } from '../../proto/gen/messages.js';
import type { Moment } from '../../proto/wire/moment.js';
import { listAuditLogEntriesRequestViolations } from '../../proto/gen/validate/request.js';
import { randomNumbers } from '../../tests/support/protobuf.js';

const NOW = Date.UTC(2024, 0, 1);
const moment = (milliseconds: number) => ({ seconds: milliseconds / 1000, nanos: 0 });
const listLines = (request: ListAuditLogEntriesRequest): readonly string[] =>
  listAuditLogEntriesRequestViolations(request, NOW).first.map(
    ({ field, message }) => `${field?.elements.map(({ fieldName }) => fieldName).join('.')}: ${message}`,
  );

test('a valid request has no violation', () => {
  assert.equal(listLines({ kind: 1, filter: { by: 'tail', value: 1000 } }), []);
  assert.equal(
    listLines({ kind: 2, filter: { by: 'between', value: { start: moment(0), end: moment(NOW - 1000) } } }),
    [],
  );
  assert.equal(listLines({ kind: 2, filter: { by: 'since', value: moment(7_200_000) } }), []);
  assert.equal(listLines({ kind: 2, filter: { by: 'lookup', value: '01HX7QJ8Z3ABCDEFGHJKMNPQRS' } }), []);
});

test('kind is valid, exactly one filter, tail 1 to 1000, timestamps set and past, lookup a call id', () => {
  assert.equal(listLines({ kind: 0, filter: undefined }), [
    'kind: value is required',
    'filter: exactly one field is required in oneof',
  ]);
  assert.equal(listLines({ kind: 3, filter: { by: 'tail', value: 0 } }), [
    'kind: must be in list [KIND_ACCESS, KIND_DECISION]',
    'tail: must be greater than or equal to 1 and less than or equal to 1000',
  ]);
  assert.is(listLines({ kind: 1, filter: { by: 'tail', value: 1001 } }).length, 1);
  assert.equal(listLines({ kind: 1, filter: { by: 'between', value: { start: undefined, end: moment(NOW + 1) } } }), [
    'between.start: value is required',
    'between.end: must be less than now',
  ]);
  assert.equal(listLines({ kind: 1, filter: { by: 'lookup', value: 'x' } }), [
    'lookup: does not match regex pattern `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{26}$`',
  ]);
});

test('a violation names the rule and the field, in the terms of buf.validate', () => {
  assert.equal(listAuditLogEntriesRequestViolations({ kind: 9, filter: undefined }, NOW).first, [
    {
      field: { elements: [{ fieldNumber: 1, fieldName: 'kind', fieldType: 'TYPE_ENUM' }] },
      rule: {
        elements: [
          { fieldNumber: 16, fieldName: 'enum', fieldType: 'TYPE_MESSAGE' },
          { fieldNumber: 3, fieldName: 'in', fieldType: 'TYPE_INT32' },
        ],
      },
      ruleId: 'enum.in',
      message: 'must be in list [KIND_ACCESS, KIND_DECISION]',
    },
    {
      field: { elements: [{ fieldNumber: 0, fieldName: 'filter', fieldType: 'TYPE_MESSAGE' }] },
      ruleId: 'required',
      message: 'exactly one field is required in oneof',
    },
  ]);
});

/** The rules of docs/spec/server.md#validation once more, by hand: path, id and text of each that is broken. */
function oracle({ kind, filter }: ListAuditLogEntriesRequest, now: number): readonly string[] {
  const found: string[] = [];
  if (kind === 0) found.push('1 kind TYPE_ENUM|required|value is required');
  else if (kind !== 1 && kind !== 2)
    found.push('1 kind TYPE_ENUM|enum.in|must be in list [KIND_ACCESS, KIND_DECISION]');
  if (filter === undefined) found.push('0 filter TYPE_MESSAGE|required|exactly one field is required in oneof');
  if (filter?.by === 'tail' && (filter.value < 1 || filter.value > 1000)) {
    found.push('2 tail TYPE_UINT32|uint32.gte_lte|must be greater than or equal to 1 and less than or equal to 1000');
  }
  if (filter?.by === 'between') {
    for (const [number, name] of [
      [1, 'start'],
      [2, 'end'],
    ] as const) {
      const given = filter.value[name];
      const path = `3 between TYPE_MESSAGE,${number} ${name} TYPE_MESSAGE`;
      if (given === undefined) found.push(`${path}|required|value is required`);
      else if (BigInt(given.seconds) * 1_000_000_000n + BigInt(given.nanos) >= BigInt(now) * 1_000_000n)
        found.push(`${path}|timestamp.lt_now|must be less than now`);
    }
  }
  if (
    filter?.by === 'lookup' &&
    !(filter.value.length === 26 && [...filter.value].every((character) => CROCKFORD.includes(character)))
  ) {
    found.push(
      '5 lookup TYPE_STRING|string.pattern|does not match regex pattern `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{26}$`',
    );
  }
  return found;
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

test('the compiled rules and simple ones agree on random requests', () => {
  const next = randomNumbers(11);
  const one = <T>(...choices: readonly T[]): T => choices[next(choices.length)] as T;
  const momentNear = (): Moment | undefined => {
    if (next(6) === 0) return undefined;
    const seconds = NOW / 1000 + one(-1, 0, 0, 1, -next(2_000_000_000), next(1000), -253_402_300_800);
    return { seconds, nanos: one(0, 0, 1, 1_000_000, 999_000_000, next(1000) * 1_000_000) };
  };
  const callId = (): string => {
    const id = Array.from({ length: one(26, 26, 26, 25, 27) }, () => CROCKFORD[next(32)]);
    if (next(3) === 0) id[next(id.length)] = one('I', 'L', 'O', 'U', 'a', '\n', '', 'é');
    return next(8) === 0 ? one('', `${id.join('')}\n`) : id.join('');
  };
  const filter = (): ListAuditLogEntriesRequest['filter'] => {
    switch (next(5)) {
      case 0:
        return { by: 'tail', value: one(0, 1, 2, 999, 1000, 1001, next(2000), 4_294_967_295) };
      case 1:
        return { by: 'between', value: { start: momentNear(), end: momentNear() } };
      case 2:
        return { by: 'since', value: { seconds: one(-1, 0, next(100_000)), nanos: 0 } };
      case 3:
        return { by: 'lookup', value: callId() };
      default:
        return undefined;
    }
  };
  const counts = { valid: 0, broken: 0 };
  for (let round = 0; round < 30_000; round++) {
    const request = { kind: one(0, 1, 1, 2, 2, 3, -1, next(2 ** 31)), filter: filter() };
    const violations = listAuditLogEntriesRequestViolations(request, NOW).first;
    const lines = violations.map(
      ({ field, ruleId, message }) =>
        `${field?.elements.map(({ fieldNumber, fieldName, fieldType }) => `${fieldNumber} ${fieldName} ${fieldType}`).join(',')}|${ruleId}|${message}`,
    );
    assert.equal(lines, oracle(request, NOW), JSON.stringify(request));
    counts[lines.length === 0 ? 'valid' : 'broken'] += 1;
  }
  assert.ok(counts.valid > 3000 && counts.broken > 3000, JSON.stringify(counts));
});

test.run();
