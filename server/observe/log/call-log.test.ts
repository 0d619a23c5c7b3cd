import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Call } from '../../service/call.js';
import type { CallEnd, Checked, Planned } from '../../service/watcher.js';
import { callLog, conditionLog, decisionLog, loggingRefusals, payloadLog } from './call-log.js';
import type { Logger, LogLevel } from './logger.js';

test('a call is one line with the keys of docs/spec/server.md#logs', () => {
  const lines = collectLines((logger) => {
    const watcher = callLog(logger);
    watcher.checked?.(CALL, { requestId: 'r1' } as Checked);
    watcher.ended?.(CALL, END);
  });
  const [{ 'grpc.time_ms': milliseconds, ...line } = {}] = lines;
  assert.type(milliseconds, 'number');
  assert.equal(lines.length, 1);
  assert.equal(line, {
    level: 'info',
    message: 'Handled request',
    'grpc.service': 'authz.svc.v1.AuthzService',
    'grpc.method': 'CheckResources',
    'grpc.method_type': 'unary',
    'authz.protocol': 'rest',
    'peer.address': '127.0.0.1:1',
    'http.x_forwarded_for': '10.0.0.1, 127.0.0.1',
    'http.x_forwarded_host': 'pdp.example',
    'authz.call_id': 'ID',
    'grpc.start_time': '1970-01-01T00:00:01.005Z',
    'grpc.code': 'OK',
    'grpc.request.meta.request_id': 'r1',
  });
});

test('an error of the caller has level info, a fault of the server level error, both with their message', () => {
  const lines = collectLines((logger) => {
    const watcher = callLog(logger);
    watcher.ended?.({ ...CALL, id: '' }, { ...END, code: 'invalid_argument', message: 'bad "x"' });
    watcher.ended?.(CALL, { ...END, code: 'internal', message: 'oops' });
  });
  assert.equal(
    lines.map((line) => [line['level'], line['grpc.code'], line['grpc.error'], line['authz.call_id']]),
    [
      ['info', 'InvalidArgument', 'bad "x"', undefined],
      ['error', 'Internal', 'oops', 'ID'],
    ],
  );
});

test('health calls are not logged, and neither is anything below the level', () => {
  assert.equal(
    collectLines((logger) => callLog(logger).ended?.({ ...CALL, method: '/grpc.health.v1.Health/Check' }, END)),
    [],
  );
  assert.equal(
    collectLines((logger) => callLog({ ...logger, writes: () => false }).ended?.(CALL, END)),
    [],
  );
});

test('an unreadable message is an error of the caller, whatever its code', () => {
  const [line] = collectLines((logger) =>
    callLog(logger).ended?.({ ...CALL, id: '' }, { ...END, code: 'internal', message: 'malformed message' }),
  );
  assert.is(line?.['level'], 'info');
});

test('a caller cannot inject a log line', () => {
  const lines = collectLines((logger) =>
    callLog(logger).ended?.(
      { ...CALL, method: '/a"\n{/b', peer: () => ({ ...CALL.peer(), forwardedFor: 'x"\n{"log.level":"error"}' }) },
      END,
    ),
  );
  assert.is(lines.length, 1);
});

test('failed conditions and schema violations are logged', () => {
  const decision = {
    validationErrors: [
      { source: 'SOURCE_PRINCIPAL', path: '/a', message: 'wrong' },
      { source: 'SOURCE_RESOURCE', path: '', message: 'missing' },
    ],
  };
  const lines = collectLines((logger) => {
    conditionLog(logger, 'debug')(CALL, [{ expression: 'R.attr.x > 1', message: 'no such key: x' }]);
    decisionLog(logger).checked?.(CALL, { decisions: [decision] } as unknown as Checked);
  });
  assert.equal(lines, [
    {
      level: 'debug',
      message: 'Condition could not be evaluated',
      'authz.call_id': 'ID',
      expression: 'R.attr.x > 1',
      error: 'no such key: x',
    },
    {
      level: 'warn',
      message: 'Attributes violate their schema',
      'authz.call_id': 'ID',
      errors: ['P.attr[/a]: wrong', 'R.attr[]: missing'],
    },
  ]);
});

test('payloads have claims in place of tokens', () => {
  const request = {
    requestId: 'r',
    auxData: { jwt: { token: 'eyJ.a.b', keySetId: '' }, jwts: new Map() },
    principal: { attr: { note: 'Bearer eyJx.y.z' } },
  };
  const lines = collectLines((logger) =>
    payloadLog(logger).planned?.(CALL, {
      request,
      plan: { filter: { kind: 'X' } },
      auxData: { jwt: { sub: 'u' }, jwts: {} },
    } as unknown as Planned),
  );
  assert.equal(lines[0]?.['request'], {
    requestId: 'r',
    auxData: { jwt: { sub: 'u' }, jwts: {} },
    principal: { attr: { note: '[redacted]' } },
  });
});

test('the reason for a rejected token is logged, and the error is passed on', async () => {
  const lines: Line[] = [];
  const verify = loggingRefusals(async () => Promise.reject(new Error('the token has expired')), loggerInto(lines));
  await verify({ jwt: undefined, jwts: new Map() }, undefined, 'ID').then(assert.unreachable, () => {});
  assert.equal(lines, [
    { level: 'info', message: 'Token refused', 'authz.call_id': 'ID', error: 'the token has expired' },
  ]);
});

test.run();

type Line = Record<string, unknown>;

const CALL: Call = {
  method: '/authz.svc.v1.AuthzService/CheckResources',
  protocol: 'rest',
  timestamp: 1005,
  start: performance.now(),
  id: 'ID',
  peer: () => ({ address: '127.0.0.1:1', authInfo: '', userAgent: '', forwardedFor: '10.0.0.1, 127.0.0.1' }),
  metadata: () => new Map([['x-forwarded-host', ['pdp.example']]]),
  header: () => undefined,
  host: () => '',
  isEncrypted: () => false,
};

const END: CallEnd = {
  code: undefined,
  message: '',
  httpStatus: 200,
  requestSize: 1,
  responseSize: 1,
  requestContext: undefined,
};

function collectLines(run: (logger: Logger) => void): readonly Line[] {
  const lines: Line[] = [];
  run(loggerInto(lines));
  return lines;
}

function loggerInto(lines: Line[]): Logger {
  const at =
    (level: LogLevel): Logger['info'] =>
    (message, fields) =>
      void lines.push({ level, message, ...fields });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    writes: () => true,
    members: (level, message, members) =>
      void lines.push({ level, message, ...(JSON.parse(`{${members}}`) as object) }),
  };
}
