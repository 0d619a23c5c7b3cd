import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FORMATS } from '../../../compiler/schema/formats.js';
import { Run } from '../run.js';
import * as functions from './index.js';

/** The function that the compiler emits for a format. */
const validator = (name: string): functions.Format =>
  (functions as unknown as Record<string, functions.Format>)[FORMATS.get(name) as string] as functions.Format;

/** Asserts which texts have a format. */
function has(name: string, valid: readonly string[], invalid: readonly string[]): void {
  test(`format ${name} (docs/spec/policy-language.md#json-schema-dialect)`, () => {
    const holds = (text: string) => validator(name)(text, new Run());
    for (const text of valid) assert.ok(holds(text), `${JSON.stringify(text)} is a ${name}`);
    for (const text of invalid) assert.not(holds(text), `${JSON.stringify(text)} is no ${name}`);
  });
}

has(
  'date-time',
  ['2021-12-01T12:11:13+00:00', '2021-12-01t12:11:13.5z', '1998-12-31T23:59:60Z', '1998-12-31T15:59:60.1-08:00'],
  ['2021-12-01', '2021-12-01 12:11:13Z', '2021-12-01T12:11:13', '1998-12-31T22:59:60Z'],
);
has(
  'date',
  ['2024-02-29', '2000-02-29', '0000-01-01'],
  ['2023-02-29', '1900-02-29', '2024-13-01', '2024-00-01', '2024-1-1', '2024-04-31'],
);
has(
  'time',
  ['00:00:00Z', '23:59:59.123456789+23:59'],
  ['24:00:00Z', '00:60:00Z', '00:00:00', '00:00:00+24:00', '00:00:00.Z', '+1:00:00Z'],
);
has(
  'duration',
  ['P1Y2M3DT4H5M6S', 'P1W', 'PT1H', 'P1DT1S', 'P1M'],
  ['P', 'PT', 'P1', 'P1Y2D', 'PT1H5S', 'P1W1D', 'P1.5D', '1D', 'P1DT'],
);
has(
  'period',
  ['2021-01-01T00:00:00Z/2022-01-01T00:00:00Z', '2021-01-01T00:00:00Z/P1D', 'P1D/2021-01-01T00:00:00Z'],
  ['P1D/P1D', '2021-01-01T00:00:00Z', '/'],
);
has(
  'hostname',
  ['a', 'www.example.com', 'example.com.', '1a-b.c', 'a'.repeat(63)],
  ['-a', 'a-', 'a..b', 'a_b', 'a'.repeat(64), `${'a.'.repeat(127)}a`, 'é.com'],
);
has(
  'email',
  ['a@b', 'a.b+c@example.com', '"a b"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]', 'é@example.com'],
  ['a', '@b', 'a@', 'a..b@c', '.a@b', 'a b@c', 'a@-b', 'a@[::1]', `${'a'.repeat(65)}@b`, `a@${'b.'.repeat(126)}cc`],
);
has('ipv4', ['0.0.0.0', '255.255.255.255'], ['256.0.0.0', '1.2.3', '1.2.3.04', '1.2.3.4.5', '1.2.3.+4']);
has('ip-address', ['127.0.0.1'], ['::1']);
has(
  'ipv6',
  ['::', '::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'],
  ['1', '1.2.3.4', ':::', '1:2:3:4:5:6:7:8:9', 'fe80::1%eth0', '::12345'],
);
has(
  'uri',
  ['https://example.com/a?b#c', 'mailto:a@b', 'urn:x:y', 'http://[::1]:80/', 'x://user:pw@host/%20'],
  ['example.com', '/a', 'http://a b/', 'http://a:b/', '://a', 'http://%zz/', 'http://[::1', '1a://b'],
);
has('iri', ['http://é.example/ü'], ['ü']);
has('uri-reference', ['', 'a', '/a/b', '?q', '#f', '//host/a', 'http://x'], ['a\\b', ':a', 'a%', '\u0001', '1:2/']);
has('uri-template', ['http://x/{a}/{b}', 'a', '{a}{b}'], ['http://x/{a', '{{a}}', 'a}', '{a/b}']);
has('regex', ['^a$', '(?i)a', '[[:alpha:]]'], ['(', '(?=a)', '(?<=a)', '\\1', 'a**']);
has('json-pointer', ['', '/', '/a~0b/~1'], ['a', '/~', '/~2']);
has('relative-json-pointer', ['0', '10#', '1/a/b'], ['', '-1', '01', '1a', '/a', '0##']);
has(
  'uuid',
  ['2EB8AA08-AA98-11EA-B4AA-73B441D16380'],
  ['2eb8aa08-aa98-11ea-b4aa-73b441d1638', '2eb8aa08aa9811eab4aa73b441d16380', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g'],
);

test('a long string overflows no format', () => {
  const long = ['a', '/', '~0', '{', '1', '"', 'P1D', '%41', ':', '.', '[', '\\'].map((part) => part.repeat(300_000));
  for (const name of FORMATS.keys()) for (const text of long) assert.type(validator(name)(text, new Run()), 'boolean');
});

test.run();
