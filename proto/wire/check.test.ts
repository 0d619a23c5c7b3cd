import type { JsonValue } from '@bufbuild/protobuf';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { damaged, messageType, randomNumbers } from '../../tests/support/protobuf.js';
import { checkResourcesRequestViolations } from '../gen/validate/request.js';
import {
  checkResourcesRequestSize,
  decodeCheckResourcesRequest,
  decodePlanResourcesRequest,
} from '../gen/wire/request.js';
import type { CheckResourcesResponse } from '../gen/messages.js';
import { encodeCheckResourcesResponse } from '../gen/wire/response.js';
import { MAX_VALUE_DEPTH } from './value.js';
import { WireError } from './reader.js';
import { WireWriter } from './writer.js';

const { encode: encodeRequest } = messageType('authz.request.v1.CheckResourcesRequest');
const { decode: readResponse } = messageType('authz.response.v1.CheckResourcesResponse');

const wholeRequest = {
  requestId: 'é😀',
  includeMeta: true,
  principal: {
    id: 'p',
    policyVersion: 'v',
    roles: ['a', 'b'],
    attr: { s: 'x', n: -1.5, z: 0, t: true, u: null, l: [1, [], {}], m: { '': { deep: ['é'] } } },
    scope: 'a.b',
    actors: [
      { id: 'bot', policyVersion: 'v2', roles: ['c'], attr: { d: [null] }, scope: 'e' },
      { id: 'x'.repeat(200), policyVersion: '', roles: [], attr: {}, scope: '' },
    ],
  },
  resources: [
    {
      actions: ['view', 'edit'],
      resource: { kind: 'k', policyVersion: '1', id: 'i', attr: { long: 'x'.repeat(300) }, scope: '.' },
    },
    { actions: ['view'], resource: { kind: 'k', id: 'j' } },
  ],
  auxData: { jwt: { token: 't', keySetId: 'k' }, jwts: { a: { token: 'x' }, b: { token: 'y', keySetId: 'z' } } },
  requestContext: { annotations: { a: [true] } },
};

test('a request decodes to what was encoded', () => {
  const { auxData, ...rest } = decodeCheckResourcesRequest(encodeRequest(wholeRequest));
  const plain = { ...rest, auxData: { jwt: auxData?.jwt, jwts: Object.fromEntries(auxData?.jwts ?? []) } };
  assert.equal(plain, {
    ...wholeRequest,
    resources: [
      wholeRequest.resources[0],
      { actions: ['view'], resource: { kind: 'k', policyVersion: '', id: 'j', attr: {}, scope: '' } },
    ],
    auxData: {
      jwt: { token: 't', keySetId: 'k' },
      jwts: { a: { token: 'x', keySetId: '' }, b: { token: 'y', keySetId: 'z' } },
    },
  });
});

test('an empty message is an empty request', () => {
  const request = decodeCheckResourcesRequest(Buffer.alloc(0));
  assert.equal(request, {
    requestId: '',
    includeMeta: false,
    principal: undefined,
    resources: [],
    auxData: undefined,
    requestContext: undefined,
  });
});

test('a value that is there twice in an entry is merged, as by other libraries', () => {
  const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
  const struct = (key: string, value: Buffer): Buffer =>
    field(5, field(1, Buffer.concat([text(1, key), field(2, value)])));
  const listed = (value: Buffer): Buffer => field(6, field(1, value));
  const values: readonly Buffer[] = [
    text(3, 'a'),
    struct('x', text(3, 'a')),
    struct('x', struct('deep', text(3, 'a'))),
    struct('y', text(3, 'b')),
    struct('y', listed(text(3, 'c'))),
    listed(text(3, 'a')),
    listed(struct('z', text(3, 'b'))),
    Buffer.concat([struct('x', text(3, 'a')), struct('y', text(3, 'b'))]),
    Buffer.concat([listed(text(3, 'a')), text(3, 'b')]),
    Buffer.from([8, 0]),
    Buffer.alloc(0),
  ];
  const { decode } = messageType('authz.request.v1.CheckResourcesRequest');
  for (const first of values)
    for (const second of values)
      for (const third of values) {
        // The library refuses a value of no kind, which is null.
        if (first.length + second.length + third.length === 0) continue;
        const entry = Buffer.concat([text(1, 'k'), field(2, first), field(2, second), field(2, third)]);
        const bytes = field(3, field(4, entry));
        const expected = (decode(bytes) as { principal: { attr: object } }).principal.attr;
        assert.equal(decodeCheckResourcesRequest(bytes).principal?.attr, expected, bytes.toString('hex'));
      }
});

test('a repeated message is merged, and the last repeated scalar counts', () => {
  const first = encodeRequest({ requestId: 'a', principal: { id: 'p', roles: ['x'], attr: { a: 1, b: 1 } } });
  const second = encodeRequest({ requestId: 'b', principal: { roles: ['y'], attr: { b: 2 } } });
  const request = decodeCheckResourcesRequest(Buffer.concat([first, second]));
  assert.is(request.requestId, 'b');
  assert.equal(request.principal, {
    id: 'p',
    policyVersion: '',
    roles: ['x', 'y'],
    attr: { a: 1, b: 2 },
    scope: '',
    actors: [],
  });
});

test('unknown fields of every wire type are skipped', () => {
  const unknown = Buffer.from([
    0xa0, 0x06, 0xff, 0x01, 0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xa2, 0x06, 2, 1, 2, 0xa3, 0x06, 0x08, 0x01, 0xa4, 0x06,
    0xa5, 0x06, 1, 2, 3, 4,
  ]);
  const request = decodeCheckResourcesRequest(Buffer.concat([unknown, encodeRequest({ requestId: 'r' }), unknown]));
  assert.is(request.requestId, 'r');
});

test('varints may be padded, and their upper bits are not lost in tags, lengths and bools', () => {
  const decodes = (...bytes: readonly number[]): unknown => decodeCheckResourcesRequest(Buffer.from(bytes));
  const name = { ...(decodes() as object), requestId: 'a' };
  const meta = { ...(decodes() as object), includeMeta: true };
  assert.equal(decodes(0x0a, 1, 97), name);
  assert.equal(decodes(0x8a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x81, 0, 97), name);
  assert.equal(decodes(0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1), meta);
  // The largest field number.
  assert.equal(decodes(0xf8, 0xff, 0xff, 0xff, 0x0f, 0, 0x0a, 1, 97), name);
  for (const upper of [
    [0x80, 0x80, 0x80, 0x10],
    [0x80, 0x80, 0x80, 0x80, 1],
    [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
    [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
  ]) {
    assert.throws(() => decodes(0x8a, ...upper, 1, 97), isWireError, `a tag, ${upper}`);
    assert.throws(() => decodes(0x0a, 0x81, ...upper, 97), isWireError, `a length, ${upper}`);
    assert.throws(
      () => decodes(0xa2, 0x06, 0x81, ...upper, 97),
      isWireError,
      `the length of an unknown field, ${upper}`,
    );
  }
  for (const last of [2, 0x7f]) {
    const beyond = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, last];
    assert.throws(() => decodes(0x10, ...beyond), isWireError, 'a bool');
    assert.throws(() => decodes(0xa0, 0x06, ...beyond), isWireError, 'an unknown number');
    assert.throws(() => decodePlanResourcesRequest(Buffer.from([0x30, ...beyond])), isWireError, 'a bool of a plan');
  }
});

test('millions of empty items are one object, and each of them violates its rules', () => {
  const { resources } = decodeCheckResourcesRequest(Buffer.alloc(4 * 1024 * 1024, Buffer.from([0x22, 0])));
  assert.is(resources.length, 2 * 1024 * 1024);
  assert.is(new Set(resources).size, 1);
  const request = decodeCheckResourcesRequest(Buffer.alloc(400, Buffer.from([0x22, 0])));
  assert.equal(request.resources[199], { actions: [], resource: undefined });
  const { first, count } = checkResourcesRequestViolations(request);
  assert.is(count, 1 + 2 * 200);
  assert.is(first.length, 100);
});

test('attributes named like members of Object.prototype are ordinary', () => {
  const json = JSON.parse('{"principal":{"attr":{"__proto__":{"__proto__":1},"constructor":2}}}');
  const attr = decodeCheckResourcesRequest(encodeRequest(json)).principal?.attr ?? {};
  assert.equal(Object.keys(attr).sort(), ['__proto__', 'constructor']);
  assert.is(Object.getPrototypeOf(attr), Object.prototype);
  assert.equal(Object.keys(Object.getOwnPropertyDescriptor(attr, '__proto__')?.value), ['__proto__']);
});

test('NaN and infinities are accepted, and a value without a kind is null', () => {
  const decodeValue = (value: readonly number[]) =>
    decodeCheckResourcesRequest(principalWithValue(value)).principal?.attr['a'];
  const double = Buffer.alloc(8);
  double.writeDoubleLE(Number.NaN);
  assert.ok(Number.isNaN(decodeValue([0x11, ...double])));
  double.writeDoubleLE(Number.NEGATIVE_INFINITY);
  assert.is(decodeValue([0x11, ...double]), Number.NEGATIVE_INFINITY);
  assert.is(decodeValue([]), null);
});

test('deeply nested values are malformed', () => {
  const nested = (depth: number): number[] => {
    let bytes = Buffer.alloc(0);
    for (let level = 0; level < depth; level++)
      bytes = Buffer.concat([
        Buffer.from([0x32, ...varint(bytes.length + 1 + varint(bytes.length).length), 0x0a, ...varint(bytes.length)]),
        bytes,
      ]);
    return [...bytes];
  };
  decodeCheckResourcesRequest(principalWithValue(nested(MAX_VALUE_DEPTH - 1)));
  assert.throws(() => decodeCheckResourcesRequest(principalWithValue(nested(MAX_VALUE_DEPTH + 1))), isWireError);
  assert.throws(() => decodeCheckResourcesRequest(Buffer.alloc(500_000, 0xa3)), isWireError);
});

test('damaged bytes decode or throw a WireError, never another error', () => {
  const whole = encodeRequest(wholeRequest);
  const next = randomNumbers(7);
  let refused = 0;
  for (let round = 0; round < 20_000; round++) {
    try {
      decodeCheckResourcesRequest(damaged(whole, next));
    } catch (error) {
      assert.instance(error, WireError);
      refused += 1;
    }
  }
  assert.ok(refused > 1000, `${refused} refused`);
});

test('random requests decode to what was encoded, and their computed size is right', () => {
  const next = randomNumbers(11);
  const text = (): string =>
    ['', 'a', 'view:public', 'é', '😀', '__proto__', 'x'.repeat(24), 'y'.repeat(25), 'z'.repeat(200)][
      next(9)
    ] as string;
  const value = (depth: number): JsonValue => {
    switch (next(depth > 4 ? 5 : 7)) {
      case 0:
        return null;
      case 1:
        return next(2) === 0;
      case 2:
        return [0, -1, 0.1, 1e300, 2 ** 53, -0.5][next(6)] as number;
      case 3:
      case 4:
        return text();
      case 5:
        return Array.from({ length: next(4) }, () => value(depth + 1));
      default:
        return map(depth + 1);
    }
  };
  const map = (depth: number): { [key: string]: JsonValue } =>
    Object.fromEntries(Array.from({ length: next(4) }, (_item, index) => [`${text()}${index}`, value(depth)]));
  for (let round = 0; round < 2000; round++) {
    const actor = () => ({
      id: text(),
      policyVersion: text(),
      roles: [text(), text()],
      attr: map(0),
      scope: text(),
    });
    const principal = { ...actor(), actors: Array.from({ length: next(4) }, actor) };
    const resource = { kind: text(), policyVersion: text(), id: text(), attr: map(0), scope: text() };
    const resources = Array.from({ length: next(3) }, () => ({ actions: [text(), text()], resource }));
    const bytes = encodeRequest({ requestId: text(), principal, resources });
    const request = decodeCheckResourcesRequest(bytes);
    assert.equal(request.principal, principal);
    assert.equal(request.resources, resources);
    assert.is(checkResourcesRequestSize(request), bytes.length);
  }
});

test('the size of a request is that of its encoding', () => {
  for (const json of [
    wholeRequest,
    {},
    { principal: {} },
    { principal: { actors: [{}] } },
    { resources: [{}], auxData: { jwts: { a: {} } }, requestContext: {} },
  ]) {
    const bytes = encodeRequest(json);
    assert.is(checkResourcesRequestSize(decodeCheckResourcesRequest(bytes)), bytes.length, JSON.stringify(json));
  }
});

const response: CheckResourcesResponse = {
  requestId: 'r😀',
  authzCallId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  results: [
    {
      resource: { kind: 'k', policyVersion: 'v', id: '1', scope: '.' },

      actions: [
        { action: 'edit', effect: 2 },
        { action: 'view', effect: 1 },
      ],
      meta: {
        actions: [
          { action: 'edit', matchedPolicy: 'NO_MATCH', matchedScope: '' },
          { action: 'view', matchedPolicy: 'resource.k.vv', matchedScope: 'acme' },
        ],
        effectiveDerivedRoles: ['a', 'b'],
        unknown: [{ action: 'edit', facts: ['resource.attr.owner'] }],
      },
      outputs: [
        { src: 's#a', action: 'view', val: { m: [1, -0.5, true, null, 'é', {}], l: [] } },
        { src: 's#b', action: 'view', error: 'no such key: x' },
      ],
      validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_RESOURCE' }],
    },
    {
      resource: { kind: 'k', policyVersion: '', id: 'x'.repeat(5000), scope: '' },

      actions: [{ action: 'a', effect: 2 }],
      meta: {
        actions: [{ action: 'a', matchedPolicy: 'x', matchedScope: '' }],
        effectiveDerivedRoles: [],
        unknown: [],
      },
      outputs: [],
      validationErrors: [],
    },
  ],
};

test("a response equals the library's JSON form", () => {
  const writer = new WireWriter();
  for (let round = 0; round < 2; round++) {
    const bytes = encodeCheckResourcesResponse(response, writer);
    assert.equal(readResponse(bytes), {
      requestId: 'r😀',
      authzCallId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      results: [
        {
          resource: { kind: 'k', policyVersion: 'v', id: '1', scope: '.' },
          actions: { view: 'EFFECT_ALLOW', edit: 'EFFECT_DENY' },
          validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_RESOURCE' }],
          meta: {
            actions: {
              view: { matchedPolicy: 'resource.k.vv', matchedScope: 'acme' },
              edit: { matchedPolicy: 'NO_MATCH' },
            },
            effectiveDerivedRoles: ['a', 'b'],
            unknown: { edit: { facts: ['resource.attr.owner'] } },
          },
          outputs: [
            { src: 's#a', action: 'view', val: { m: [1, -0.5, true, null, 'é', {}], l: [] } },
            { src: 's#b', action: 'view', error: 'no such key: x' },
          ],
        },
        {
          resource: { kind: 'k', id: 'x'.repeat(5000) },
          actions: { a: 'EFFECT_DENY' },
          meta: { actions: { a: { matchedPolicy: 'x' } } },
        },
      ],
    });
  }
});

test('a response without fields is an empty message', () => {
  assert.is(encodeCheckResourcesResponse({ requestId: '', results: [], authzCallId: '' }, new WireWriter()).length, 0);
});

function principalWithValue(value: readonly number[]): Buffer {
  const entry = [0x0a, 0x01, 0x61, 0x12, ...varint(value.length), ...value];
  const principal = [0x22, ...varint(entry.length), ...entry];
  return Buffer.from([0x1a, ...varint(principal.length), ...principal]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function isWireError(error: unknown): boolean {
  return error instanceof WireError;
}

/** A field of bytes with fewer than 128 of them, or two bytes of length. */
function field(number: number, bytes: Buffer): Buffer {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

test.run();
