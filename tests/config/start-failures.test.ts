import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serve } from '../../packages/cli/commands/serve-bundle.js';
import { ConfigError, loadConfig } from '../../server/config.js';
import { documentPolicy } from '../support/cli/policies.js';
import { type Ended, folderOf, launch, PROGRAMS, run, stop } from '../support/cli/programs.js';
import { recordedContext } from '../support/cli/recorded-context.js';
import { makeCertificate } from '../support/certificate.js';

const test = suite('starts that fail (docs/spec/server.md#start-failures)');
let folder = '';
let taken: Server;
test.before(async () => {
  folder = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  assert.is((await run(PROGRAMS.authzc, ['compile'], folder)).code, 0);
  const own = makeCertificate('own');
  const other = makeCertificate('other');
  for (const [name, text] of [
    ['cert.pem', own.cert],
    ['key.pem', own.key],
    ['other.pem', other.key],
    ['text.pem', 'x'],
    ['bundle.js', 'export const other = 1;'],
    ['syntax.js', 'export const {'],
    ['config.yaml', '['],
    ['tls.yaml', 'server:\n  tls: {cert: none.pem, key: key.pem}\n'],
    ['unknown.yaml', 'server:\n  wokers: 1\n'],
  ] as const)
    writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'a-folder'));
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
});
test.after(() => {
  taken.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Keeps unrelated output away. */
const QUIET = [
  '--set',
  'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0,server.workers=1',
  '--bundle',
  'dist/policies.js',
];
const KEY_SET = 'auxData.jwt.keySets[0].id=k,auxData.jwt.keySets[0]';
const TAKEN = (): string => `127.0.0.1:${(taken.address() as { readonly port: number }).port}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The settings of the server, and the expected line. */
const CASES: readonly (readonly [string, () => readonly string[], string | RegExp])[] = [
  ['a configuration that is not there', () => ['--config', 'none.yaml'], 'none.yaml: file not found'],
  ['a configuration that is a folder', () => ['--config', 'a-folder'], 'a-folder: is a folder, not a file'],
  ['a configuration that is no YAML', () => ['--config', 'config.yaml'], 'config.yaml:1:'],
  [
    'an unknown key in a file',
    () => ['--config', 'unknown.yaml'],
    'authz: error: unknown.yaml:2:3: unknown key `server.wokers`; did you mean `server.workers`?',
  ],
  ['an unknown key', () => set('server.wokers=1'), '--set server.wokers: unknown key `server.wokers`'],
  [
    'an unknown block',
    () => set('sever.workers=1'),
    '--set sever.workers: unknown key `sever`; did you mean `server`?',
  ],
  [
    'a limit out of bounds',
    () => set('server.requestLimits.maxActionsPerResource=501'),
    'must be an integer from 1 to 500, not `501`',
  ],
  [
    'an invalid listen address',
    () => set('server.httpListenAddr=localhost'),
    '`server.httpListenAddr` must be a listen address',
  ],
  ['a port in use', () => set(`server.httpListenAddr=${TAKEN()}`), 'server.httpListenAddr: listen EADDRINUSE'],
  ['a gRPC port in use', () => set(`server.grpcListenAddr=${TAKEN()}`), 'server.grpcListenAddr: listen EADDRINUSE'],
  [
    'a socket with a path that is too long',
    () => set(`server.httpListenAddr=unix:/${'x'.repeat(200)}`),
    /the path of a socket has at most 10[37] bytes, and this one has 201/,
  ],
  ['a folder in place of a socket', () => set('server.grpcListenAddr=unix:a-folder'), 'server.grpcListenAddr: '],
  ['a socket in no folder', () => set('server.httpListenAddr=unix:/none/x.sock'), /ENOENT|EACCES/],
  [
    'a certificate file that does not exist',
    () => ['--config', 'tls.yaml'],
    'authz: error: tls.yaml:2:9: server.tls.cert: `none.pem` cannot be read: file not found',
  ],
  ['a bundle that is not there', () => ['--bundle', 'none.js'], 'none.js'],
  ['an invalid bundle', () => ['--bundle', 'bundle.js'], 'bundle.js'],
  ['a bundle with an error', () => ['--bundle', 'syntax.js'], 'syntax.js'],
  [
    'an audit log without a backend',
    () => set('audit.enabled=true'),
    '--set audit.enabled: `audit.enabled` needs `audit.backend`',
  ],
  [
    'an unknown audit backend',
    () => set('audit.enabled=true,audit.backend=hub'),
    'must be one of `file`, `local`, `kafka`, `nats`, `s3`, not `hub`',
  ],
  [
    'an audit database without a folder',
    () => set('audit.enabled=true,audit.backend=local'),
    'needs `audit.local.storagePath`',
  ],
  [
    'an audit file in a missing folder',
    () => set('audit.enabled=true,audit.backend=file,audit.file.path=/none/audit.log'),
    'audit.file.path: the folder `/none`',
  ],
  ['a retention that is too short', () => set('audit.local.retentionPeriod=1m'), 'must be a duration from 1h to 720h'],
  [
    'two keysets with the same id',
    () => set(`${KEY_SET}.local.data=eA==,auxData.jwt.keySets[1].id=k,auxData.jwt.keySets[1].local.data=eA==`),
    'keyset `k` is duplicated',
  ],
  ['a keyset without source', () => set('auxData.jwt.keySets[0].id=k'), 'must have one of `local` and `remote`'],
  [
    'a keyset with both sources',
    () => set(`${KEY_SET}.local.data=eA==,auxData.jwt.keySets[0].remote.url=http://x`),
    'must have one of `local` and `remote`',
  ],
  [
    'a keyset whose file does not exist',
    () => set(`${KEY_SET}.local.file=none.jwks`),
    'keyset `k` cannot be read from `none.jwks`: file not found',
  ],
  ['a keyset that is not base64', () => set(`${KEY_SET}.local.data=*`), 'keyset `k` is not base64'],
  [
    'a keyset with unusable keys',
    () => set(`${KEY_SET}.local.data=${base64('{"kty":"RSA","alg":"RS256","kid":"k"}')}`),
    'keyset `k` has no key that can verify a token',
  ],
  [
    'a keyset with an invalid URL',
    () => set(`${KEY_SET}.remote.url=nowhere`),
    '`auxData.jwt.keySets[0].remote.url` must be a URL',
  ],
  [
    'a negative clock skew',
    () => set('auxData.jwt.acceptableTimeSkew=-1s'),
    '`auxData.jwt.acceptableTimeSkew` must be a duration',
  ],
  ['a bad mode of socket files', () => set('server.udsFileMode=0o999'), '`server.udsFileMode` must be a file mode'],
  ['a global that conditions cannot name', () => set('engine.globals.if=1'), 'global `if`'],
  [
    'an admin password that is not a hash',
    () => set('server.adminAPI.adminCredentials.passwordHash=eA=='),
    'must be base64 of a bcrypt hash',
  ],
  ['an admin API without credentials', () => set('server.adminAPI.enabled=true'), 'there are no default credentials'],
  [
    'an unknown value for schema enforcement',
    () => set('schema.enforcement=strict'),
    'must be one of `none`, `warn`, `reject`, not `strict`',
  ],
  [
    'an unknown log level for conditions',
    () => set('engine.celErrorLogLevel=loud'),
    '`engine.celErrorLogLevel` must be one of',
  ],
  [
    'a blank policy version',
    () => set('engine.defaultPolicyVersion= '),
    '`engine.defaultPolicyVersion` must be a non-empty string',
  ],
  ['half of TLS', () => set('server.tls.cert=cert.pem'), '`server.tls.cert` needs `server.tls.key`'],
  [
    'a missing certificate',
    () => set('server.tls.cert=none.pem,server.tls.key=key.pem'),
    'server.tls.cert: `none.pem` cannot be read: file not found',
  ],
  [
    'an invalid private key',
    () => set('server.tls.cert=cert.pem,server.tls.key=text.pem'),
    'server.tls.key: `text.pem` contains no unencrypted private key',
  ],
  [
    'a key of another certificate',
    () => set('server.tls.cert=cert.pem,server.tls.key=other.pem'),
    'does not match the certificate',
  ],
  [
    'invalid CA certificates',
    () => set('server.tls.cert=cert.pem,server.tls.key=key.pem,server.tls.caCert=text.pem'),
    'server.tls.caCert: `text.pem` contains no certificate',
  ],
];

for (const [title, options, said] of CASES) {
  test(`${title} ends with status 1 and one line`, async () => {
    const message = refusal(options());
    if (message !== undefined) {
      // The program prints what the configuration reader throws: one process for each case would prove nothing more.
      assert.match(message, /^[^\n]+$/);
      assert.match(message, said);
      return;
    }
    const { code, stdout, stderr } = await refusedStart(options());
    assert.is(code, 1, stdout + stderr);
    assert.is(stdout, '');
    assert.match(stderr, /^authz: error: [^\n]+\n$/);
    assert.match(stderr, said, stderr);
  });
}

test('the program ends with the status and the line of the function that serves', async () => {
  const options = ['--bundle', 'none.js'];
  assert.equal(await run(PROGRAMS.server, [...QUIET, ...options], folder), await refusedStart(options));
});

test('each problem of a configuration has a line', async () => {
  const { code, stderr } = await run(PROGRAMS.server, set('server.wokers=1,schema.enforcement=strict'), folder);
  assert.is(code, 1);
  assert.match(
    stderr,
    /^authz: error: --set server\.wokers: unknown key [^\n]+\nauthz: error: --set schema\.enforcement: [^\n]+\n$/,
  );
});

test('an unreachable remote keyset does not fail the start, and neither does a set with missing keys', async () => {
  const server = launch(
    PROGRAMS.server,
    [...QUIET, ...set(`${KEY_SET}.remote.url=http://user:hidden@${TAKEN()}/keys`)],
    folder,
  );
  assert.match(await server.firstLine, 'REST and Connect on');
  const { code, stdout, stderr } = await stop(server);
  assert.is(code, 0, stderr);
  assert.not.match(stdout + stderr, 'hidden');
});

/** The error of the configuration reader for an override; undefined when it accepts it or none is given. */
function refusal([option, flag]: readonly string[]): string | undefined {
  if (option !== '--set') return undefined;
  try {
    loadConfig({ sets: [flag as string], environment: {} });
    return undefined;
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as Error).message;
  }
}

/** What the program prints when it cannot start, without a process for each case. */
async function refusedStart([option, value = '']: readonly string[]): Promise<Ended> {
  const context = recordedContext({});
  const home = process.cwd();
  let code = 0;
  process.chdir(folder);
  try {
    await serve(
      {
        program: '',
        set: [QUIET[1] as string, ...(option === '--set' ? [value] : [])],
        bundle: option === '--bundle' ? value : 'dist/policies.js',
        defaultBundle: '',
        ...(option === '--config' ? { config: value } : {}),
      },
      {
        program: 'authz-server',
        ...context,
        exit: (status) => {
          code = status;
          return undefined as never;
        },
      },
    );
  } finally {
    process.chdir(home);
  }
  return { code, stdout: context.printed(), stderr: context.said() };
}

function set(flag: string): readonly string[] {
  return ['--set', flag];
}

test.run();
