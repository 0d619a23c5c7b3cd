import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCheckResourcesRequest } from '../gen/json/request.js';
import { JsonError } from './json-shape.js';
import { jsonProblem, MAX_JSON_DEPTH, readDocument } from './json-scan.js';

const read = (text: string | Buffer) => readDocument(Buffer.from(text as string), readCheckResourcesRequest);
const withAttr = (json: string): string => `{"principal":{"attr":${json}}}`;

function refusal(text: string | Buffer): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
  return assert.unreachable(`accepted: ${String(text).slice(0, 80)}`) as never;
}

test('an empty or blank body is an empty message', () => {
  for (const text of ['', ' \n\t\r', '{}']) {
    assert.equal(read(text), {
      requestId: '',
      includeMeta: false,
      principal: undefined,
      resources: [],
      auxData: undefined,
      requestContext: undefined,
    });
  }
});

test('fields are accepted by both of their names', () => {
  const request = read(
    '{"request_id":"r","includeMeta":true,"aux_data":{"jwt":{"token":"t","key_set_id":"k"}},"resources":[{"resource":{"policy_version":"v"}}]}',
  );
  assert.is(request.requestId, 'r');
  assert.is(request.includeMeta, true);
  assert.equal(request.auxData?.jwt, { token: 't', keySetId: 'k' });
  assert.is(request.resources[0]?.resource?.policyVersion, 'v');
});

test('both names of a field in one object are a duplicate, even when one is null', () => {
  assert.match(refusal('{"requestId":"a","request_id":"b"}'), 'twice');
  assert.match(refusal('{"requestId":null,"request_id":"b"}'), 'twice');
  assert.match(refusal('{"auxData":{"jwts":{"a":{"keySetId":"","key_set_id":""}}}}'), 'twice');
});

test('a duplicate key is rejected at any depth, however it is escaped', () => {
  for (const text of [
    '{"principal":{},"principal":{}}',
    withAttr('{"a":1,"a":1}'),
    withAttr('{"a":[{"b":{"c":1,"c":2}}]}'),
    withAttr('{"a":1,"\\u0061":2}'),
    withAttr('{"__proto__":1,"__proto__":2}'),
    '{"auxData":{"jwts":{"a":{},"a":{}}}}',
  ]) {
    assert.match(refusal(text), 'duplicate key', text);
  }
  assert.match(refusal('{"requestId":"x",\n "principal":{"id":"a","id":"b"}}'), 'line 2, column 24');
});

test('colons, quotes and brackets within strings are not structure', () => {
  const attr = { 'a":"b': '{"x":1,"x":2}', '\\': '\\":', '[': ['{:', ':}'] };
  assert.equal(read(withAttr(JSON.stringify(attr))).principal?.attr, attr);
});

test('names of Object.prototype are ordinary keys', () => {
  const attr = read(withAttr('{"__proto__":{"polluted":true},"constructor":1,"toString":null}')).principal?.attr ?? {};
  assert.equal(Object.keys(attr), ['__proto__', 'constructor', 'toString']);
  assert.is((attr as { polluted?: boolean }).polluted, undefined);
  assert.match(refusal('{"__proto__":{}}'), 'unknown field');
  assert.match(refusal('{"principal":{"constructor":{}}}'), 'unknown field');
});

test('unknown fields are rejected at any depth', () => {
  for (const text of [
    '{"x":1}',
    '{"principal":{"attributes":{}}}',
    '{"resources":[{"resource":{"name":""}}]}',
    '{"auxData":{"jwt":{"kid":""}}}',
  ]) {
    assert.match(refusal(text), 'unknown field', text);
  }
});

test('null is absent for a declared field, a value in an attribute, and an error in a list', () => {
  const request = read(
    '{"requestId":null,"principal":{"id":null,"roles":null,"attr":{"a":null,"b":[null]}},"resources":null,"auxData":{"jwt":null,"jwts":null}}',
  );
  assert.equal(request.principal, {
    id: '',
    policyVersion: '',
    roles: [],
    attr: { a: null, b: [null] },
    scope: '',
    actors: [],
  });
  assert.equal(request.resources, []);
  for (const text of [
    '{"principal":{"roles":["a",null]}}',
    '{"resources":[null]}',
    '{"auxData":{"jwts":{"a":null}}}',
    'null',
  ])
    refusal(text);
});

test('types are not converted', () => {
  for (const text of [
    '[]',
    '"x"',
    '1',
    '{"requestId":1}',
    '{"includeMeta":"true"}',
    '{"includeMeta":1}',
    '{"principal":[]}',
    '{"principal":{"id":1}}',
    '{"principal":{"roles":"a"}}',
    '{"principal":{"roles":{}}}',
    '{"principal":{"roles":[1]}}',
    '{"principal":{"attr":[]}}',
    '{"principal":{"attr":"x"}}',
    '{"resources":{}}',
    '{"resources":["x"]}',
    '{"auxData":{"jwts":[]}}',
    '{"requestContext":{"annotations":1}}',
  ]) {
    assert.match(refusal(text), 'must be', text);
  }
});

test('invalid JSON is rejected', () => {
  for (const json of [
    '01',
    '+1',
    '.5',
    '1.',
    '0x1',
    'NaN',
    'Infinity',
    "'a'",
    '"\t"',
    '"\\x"',
    '"\\u12"',
    'truer',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    '1 2',
    '// x',
  ]) {
    assert.match(refusal(withAttr(`{"v":${json}}`)), 'invalid JSON at line 1, column', json);
  }
  for (const body of ['\ufeff{}', '\ufeff', '\ufeff\r\n{}'])
    assert.is(refusal(body), 'invalid JSON at line 1, column 1: unexpected byte-order mark where a value belongs');
  assert.match(refusal('{} x'), 'after the end');
  assert.match(refusal('{}{}'), 'after the end');
});

test('a truncated document is an unexpected EOF', () => {
  const whole = withAttr('{"a":[1,true,null,"x\\u0041\\n",{"b":{}}]}');
  for (let length = 1; length < whole.length; length++) {
    const text = whole.slice(0, length);
    // A number may be whole where it was cut.
    assert.is(refusal(text), 'unexpected EOF', text);
  }
});

test('half a surrogate pair is rejected, a whole one is not', () => {
  for (const json of ['"\\ud83d"', '"\\ude00"', '"\\ud83d\\ud83d\\ude00"', '{"\\uDC00":1}', '"\\ud83d\\\\ude00"']) {
    assert.match(refusal(withAttr(`{"v":${json}}`)), 'surrogate', json);
  }
  assert.equal(read(withAttr('{"v":"\\ud83d\\ude00","\\uD83D\\uDE00":"😀\\u0000"}')).principal?.attr, {
    v: '😀',
    '😀': '😀\u0000',
  });
});

test('bytes that are not UTF-8 are rejected', () => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"requestId":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.match(refusal(body), 'UTF-8');
  }
  assert.is(read('{"requestId":"é€😀\u2028"}').requestId, 'é€😀\u2028');
});

test('numbers are doubles: too large is an error, too small is zero, negative zero keeps its sign', () => {
  for (const json of ['1E400', '-1e309', '[1e999]', '{"a":{"b":[1e400]}}'])
    assert.match(refusal(withAttr(`{"v":${json}}`)), 'out of range', json);
  const attr = read(withAttr('{"a":9007199254740993,"b":1e-400,"c":-0,"d":1.0}')).principal?.attr as {
    [name: string]: number;
  };
  assert.is(attr['a'], 9007199254740992);
  assert.is(attr['b'], 0);
  assert.ok(Object.is(attr['c'], -0));
  assert.is(attr['d'], 1);
});

test('nesting is accepted up to the limit and rejected beyond it, however deep', () => {
  const nested = (depth: number): string => withAttr(`{"v":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  read(nested(MAX_JSON_DEPTH - 3));
  assert.match(refusal(nested(MAX_JSON_DEPTH - 2)), 'nested deeper');
  assert.match(refusal(nested(1_000_000)), 'nested deeper');
  assert.is(
    refusal('['.repeat(1_000_000)),
    `invalid JSON at line 1, column ${MAX_JSON_DEPTH + 1}: nested deeper than ${MAX_JSON_DEPTH} levels`,
  );
});

test('the fast parser and the strict scanner agree on documents with random damage', () => {
  const seeds = [
    '{"a":1,"b":[true,null,{"c":"x\\u0041","d":-1.5e3}],"e":{"f":""}}',
    '{"x":"\\ud83d\\ude00","y":{"y":{"x":[[]]}},"é":"\\\\\\""}',
    '[{"k":1},{"k":1},0]',
  ];
  const pieces = [
    '"',
    ':',
    ',',
    '{',
    '}',
    '[',
    ']',
    '\\',
    '\\u',
    'd83d',
    '0',
    '1e999',
    'e',
    '-',
    't',
    ' ',
    '"a"',
    '"a":1,',
    'é',
    '\u0001',
  ];
  let random = 20_251_121;
  const next = (bound: number): number => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((random / 2 ** 32) * bound);
  };
  let accepted = 0;
  for (let round = 0; round < 30_000; round++) {
    let json = seeds[next(seeds.length)] as string;
    for (let edits = next(3); edits >= 0; edits--) {
      const at = next(json.length + 1);
      json = json.slice(0, at) + (pieces[next(pieces.length)] as string) + json.slice(at + next(3));
    }
    const text = withAttr(`{"v":${json}}`);
    let fine = true;
    try {
      read(text);
      accepted += 1;
    } catch (error) {
      assert.instance(error, JsonError);
      // Damage may also have closed the attributes and opened another message.
      if ((error as JsonError).message.startsWith('invalid request')) continue;
      fine = false;
    }
    assert.is(jsonProblem(text) === undefined, fine, text);
  }
  assert.ok(accepted > 1000, `${accepted} accepted`);
});

test.run();
