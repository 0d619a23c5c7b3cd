import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { consoleLines } from './console-line.js';

const HEAD = { 'log.level': 'info', '@timestamp': '2030-01-31T23:59:59.123Z', 'log.logger': 'authz.grpc' };
const CALL = {
  ...HEAD,
  'grpc.service': 'authz.svc.v1.AuthzService',
  'grpc.method': 'CheckResources',
  'grpc.method_type': 'unary',
  'authz.protocol': 'rest',
  'peer.address': '127.0.0.1:41518',
  'authz.call_id': 'ID',
  'grpc.start_time': '2030-01-31T23:59:59.120Z',
  'grpc.time_ms': 2.758,
  'grpc.code': 'OK',
  message: 'Handled request',
};

const formatLine = (line: object, isColorful = false): string =>
  consoleLines({ isColorful })(`${JSON.stringify(line)}\n`);

test('a call is its method, code, milliseconds and caller', () => {
  assert.is(
    formatLine({ ...CALL, 'grpc.request.meta.request_id': 'r1' }),
    '23:59:59.123 INFO  CheckResources OK in 2.758 ms (rest, 127.0.0.1:41518) call=ID request=r1\n',
  );
  assert.is(
    formatLine({
      ...CALL,
      'http.x_forwarded_for': '10.0.0.1',
      'grpc.code': 'InvalidArgument',
      'grpc.error': 'bad "x"',
    }),
    '23:59:59.123 INFO  CheckResources InvalidArgument in 2.758 ms (rest, 10.0.0.1) call=ID error="bad \\"x\\""\n',
  );
});

test('any other line is its logger, message and keys', () => {
  const line = {
    ...HEAD,
    'log.level': 'warn',
    message: 'Rule could not be planned',
    'authz.call_id': 'ID',
    lines: [1],
  };
  assert.is(formatLine(line), '23:59:59.123 WARN  authz.grpc: Rule could not be planned call=ID lines=[1]\n');
});

test('stacks keep their lines, and levels and keys are coloured', () => {
  assert.is(
    formatLine({ ...HEAD, message: 'failed', 'error.stack': 'Error: x\n    at y' }, true),
    '\u001b[2m23:59:59.123\u001b[0m \u001b[34mINFO \u001b[0m authz.grpc: failed \u001b[2merror.stack=\u001b[0mError: x\n      at y\n',
  );
});

test('control characters and line breaks of callers are escaped', () => {
  const evil = 'a\u001b[2J\r\nb\u009b';
  const text = formatLine({ ...CALL, 'grpc.method': `x${evil}`, 'grpc.error': evil, 'authz.call_id': evil });
  assert.not.match(text.slice(0, -1), /[\u0000-\u001f\u007f-\u009f]/);
  assert.match(text, 'xa\\u001b[2J\\u000d\\u000ab\\u009b OK');
});

test.run();
