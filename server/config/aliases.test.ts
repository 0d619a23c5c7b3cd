import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, loadConfig } from '../config.js';
import type { AliasConfig } from './aliases.js';

const test = suite('server.aliases');
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-aliases-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const X: AliasConfig = {
  package: 'x',
  services: { AuthzService: 'XService', AuthzAdminService: 'XAdminService' },
  path: '/_x',
  callIdField: 'xCallId',
  propertyPrefix: 'x',
};
const Y: AliasConfig = { ...X, package: 'y', path: '/_y', callIdField: 'yCallId', propertyPrefix: 'y' };

function readAliases(aliases: unknown): readonly AliasConfig[] {
  const file = join(folder, 'c.yaml');
  writeFileSync(file, `server:\n  aliases: ${JSON.stringify(aliases)}\n`);
  return loadConfig({ file, environment: {} }).config.server.aliases;
}

function problem(aliases: unknown): string {
  try {
    readAliases(aliases);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replace(`${folder}/`, '');
    throw error;
  }
  return assert.unreachable('accepted') as never;
}

test('an alias is a map or the name of a preset', () => {
  assert.equal(loadConfig({ environment: {} }).config.server.aliases, []);
  assert.equal(readAliases([X, Y]), [X, Y]);
  const [preset, second] = readAliases(['cerbos', X]);
  assert.is(preset?.services.AuthzService, 'CerbosService');
  assert.equal(second, X);
});

test('names that are taken, repeated or malformed are refused at their place', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ['cerbos', '`server.aliases` must be a list'],
    [['nope'], '`server.aliases[0]` must be a map, or one of `cerbos`, not `nope`'],
    [['__proto__'], '`server.aliases[0]` must be a map, or one of `cerbos`, not `__proto__`'],
    [[{ ...X, package: 'authz' }], '`server.aliases[0].package` must not be `authz`, which is taken'],
    [[{ ...X, package: 'grpc' }], '`server.aliases[0].package` must not be `grpc`, which is taken'],
    [[{ ...X, package: 'x.y' }], '`server.aliases[0].package` must be a lower-case identifier such as `x`, not `x.y`'],
    [[{ ...X, path: '/_authz' }], '`server.aliases[0].path` must not be `/_authz`, which is taken'],
    [
      [{ ...X, path: '/api' }],
      '`server.aliases[0].path` must be a path of one segment that begins with `/_`, such as `/_x`, not `/api`',
    ],
    [
      [{ ...X, path: '/_x/:y' }],
      '`server.aliases[0].path` must be a path of one segment that begins with `/_`, such as `/_x`, not `/_x/:y`',
    ],
    [
      [{ ...X, callIdField: 'authzCallId' }],
      '`server.aliases[0].callIdField` must not be `authzCallId`, which is taken',
    ],
    [
      [{ ...X, callIdField: 'results' }],
      '`server.aliases[0].callIdField` must be an identifier that ends with `CallId`, such as `xCallId`, not `results`',
    ],
    [[{ ...X, propertyPrefix: 'authz' }], '`server.aliases[0].propertyPrefix` must not be `authz`, which is taken'],
    [
      [{ ...X, services: { ...X.services, AuthzService: 'XAdminService' } }],
      '`server.aliases[0].services` must have two different names',
    ],
    [[{ ...X, services: undefined }], '`server.aliases[0]` has no `services`'],
    [
      [{ ...X, services: { ...X.services, AuthService: 'X' } }],
      'unknown key `server.aliases[0].services.AuthService`; did you mean `server.aliases[0].services.AuthzService`?',
    ],
    [[X, { ...Y, package: 'x' }], '`server.aliases[1].package` must differ from `server.aliases[0].package`, `x`'],
    [[X, { ...Y, path: '/_x' }], '`server.aliases[1].path` must differ from `server.aliases[0].path`, `/_x`'],
    [
      [X, { ...Y, callIdField: 'xCallId' }],
      '`server.aliases[1].callIdField` must differ from `server.aliases[0].callIdField`, `xCallId`',
    ],
    [
      [X, { ...Y, propertyPrefix: 'x' }],
      '`server.aliases[1].propertyPrefix` must differ from `server.aliases[0].propertyPrefix`, `x`',
    ],
    [['cerbos', 'cerbos'], '`server.aliases[1].package` must differ from `server.aliases[0].package`, `cerbos`'],
  ];
  for (const [aliases, message] of cases) {
    const found = problem(aliases);
    assert.match(found, /^c\.yaml:2:\d+: /);
    assert.is(found.replace(/^\S+ /, ''), message);
  }
});

test.run();
