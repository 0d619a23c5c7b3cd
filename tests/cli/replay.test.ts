import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReplayReport } from '../../packages/analysis/replay/report.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { checkEntry, exceededEntry, planEntry } from '../../server/audit/entry.js';
import { openFileBackend } from '../../server/audit/file/file-backend.js';
import { openLocalBackend } from '../../server/audit/local/local-backend.js';
import { metadataRules } from '../../server/audit/metadata-rules.js';
import { type AuditRecord, MAX_ENTRY_LENGTH, makeRecord } from '../../server/audit/record.js';
import { AUDIT_DEFAULTS } from '../../server/config/audit-config.js';
import { type MaskPath, parseMaskPath } from '../../server/config/mask-path.js';
import type { Checked } from '../../server/service/watcher.js';
import { sampleCall, sampleCheck, samplePlan } from '../support/audit/samples.js';
import { BROKEN_POLICY } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf, PROGRAMS } from '../support/cli/programs.js';
import { NO_TERMINAL, onTerminal } from '../support/cli/terminal.js';
import { newRepository } from '../support/git-repository.js';
import { skip } from '../support/skip.js';
import { rounds } from '../support/effort.js';

const test = suite('authzc replay');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.public == true}}
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: timestamp(R.attr.until) > now()}}
    - actions: [share]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: request.auxData.jwt.email == "ann@example.com"}}
    - actions: [delete]
      effect: EFFECT_ALLOW
      roles: [admin]
`;

interface Logged {
  readonly action: string;
  readonly allowed: boolean;
  readonly attr?: Attributes;
  readonly roles?: readonly string[];
  readonly actors?: Checked['principal']['actors'];
  readonly jwt?: Attributes;
  readonly kind?: string;
  /** In milliseconds since 1970. */
  readonly time?: number;
}

const CONTEXT = { metadata: metadataRules([], []), policySource: { embeddedPdp: { bundleHash: 'abc' } } };
const DETAILS = { evaluationErrors: [], effectivePolicies: {} };
const TIME = Date.UTC(2025, 0, 31);

function checkOf({
  action,
  allowed,
  attr = {},
  roles = ['user'],
  actors = [],
  jwt = {},
  kind = 'album',
}: Logged): Checked {
  const policy = { matchedPolicy: `resource.${kind}.vdefault`, matchedScope: '' };
  return sampleCheck({
    principal: { id: 'ann', policyVersion: '', roles, attr: {}, scope: '', actors },
    resources: [{ resource: { kind, policyVersion: '', id: 'a1', attr, scope: '' }, actions: [action] }],
    decisions: [
      {
        actions: [{ action, effect: allowed ? 1 : 2, ...policy }],
        effectiveDerivedRoles: [],
        outputs: [],
        validationErrors: [],
      },
    ],
    auxData: { jwt, jwts: {} },
  });
}

function recordFor(logged: Logged, mask: readonly string[] = []): AuditRecord {
  const { time = TIME } = logged;
  const entry = checkEntry(sampleCall(), checkOf(logged), DETAILS, CONTEXT, time);
  const paths = mask.map((text) => parseMaskPath(text) as MaskPath);
  return makeRecord('decision', entry, time, paths);
}

/** A folder with the policies and a log, which the backend of the server writes. */
async function folderWith(records: readonly AuditRecord[], policy = ALBUM): Promise<string> {
  const folder = folderOf({ 'new/album.yaml': policy });
  folders.push(folder);
  const config = { path: join(folder, 'audit.log'), additionalPaths: [], logRotation: undefined };
  const backend = await openFileBackend(config, (message) => assert.unreachable(message));
  await backend.write(records);
  await backend.close();
  return folder;
}

const replay = (folder: string, ...flags: readonly string[]) =>
  callAuthzc(['replay', 'audit.log', '--against', 'new', ...flags], folder);

async function reportOf(folder: string, ...flags: readonly string[]): Promise<ReplayReport> {
  const { stdout, stderr } = await replay(folder, '-o', 'json', ...flags);
  assert.is(stderr, '');
  return JSON.parse(stdout);
}

const SAME: Logged = { action: 'view', allowed: true, attr: { public: true } };
const WIDENED: Logged = { action: 'view', allowed: false, attr: { public: true } };
const NARROWED: Logged = { action: 'delete', allowed: true, roles: ['user', 'editor'] };

test('the facts by which each decision is made are listed', async () => {
  const hidden: Logged = { action: 'hide', allowed: true, attr: { title: 'x', a: 1 } };
  const policy = `${ALBUM}    - {actions: [hide], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '!has(R.attr.locked) && size(R.attr) < 9'}}}
`;
  const records = [SAME, { ...SAME, attr: {} }, NARROWED, hidden].map((logged) => recordFor(logged));
  const folder = await folderWith(records, policy);
  const { stdout } = await replay(folder, '--least', '--fail-on', 'none', '--examples', '0');
  const at = (line: number) => `line ${line}, 2025-01-31T00:00:00.000000000Z`;
  assert.is(
    stdout.slice(stdout.indexOf('\n\n') + 2),
    `ann: view album a1 is allowed by   ${at(1)}
  resource.attr.public = true
ann: view album a1 is denied by   ${at(2)}
  resource.attr.public is absent
ann: delete album a1 is denied by ids and roles alone   ${at(3)}
ann: hide album a1 is allowed by   ${at(4)}
  resource.attr.locked is absent
  resource.attr.title = "x"
  resource.attr.a = 1
  resource.attr has no other attributes

4 decisions: 2 unchanged, 0 widened, 2 narrowed
`,
  );
  assert.equal((await reportOf(folder, '--least', '--fail-on', 'none')).least?.[0]?.facts, [
    { fact: 'resource.attr.public', value: true },
  ]);
});

test('decisions that change are grouped by kind, action and roles, with examples', async () => {
  const folder = await folderWith([SAME, NARROWED, WIDENED, WIDENED].map((logged) => recordFor(logged)));
  const { code, stdout, stderr } = await replay(folder, '--examples', '1');
  assert.is(stderr, '');
  assert.is(code, 1);
  assert.is(
    stdout,
    `album
  NARROWED   delete   roles: editor, user   1 decision
    ann: delete album a1   line 2, 2025-01-31T00:00:00.000000000Z
      principal  {"id":"ann","roles":["user","editor"]}
      resource   {"kind":"album","id":"a1"}
      recorded   ALLOW  resource.album.vdefault
      replayed   DENY   resource.album.vdefault
  WIDENED   view   roles: user   2 decisions
    ann: view album a1   line 3, 2025-01-31T00:00:00.000000000Z
      principal  {"id":"ann","roles":["user"]}
      resource   {"kind":"album","id":"a1","attr":{"public":true}}
      recorded   DENY   resource.album.vdefault
      replayed   ALLOW  resource.album.vdefault

4 decisions: 1 unchanged, 2 widened, 1 narrowed
`,
  );
});

test('a decision about a principal with actors is replayed for all of them', async () => {
  const actor = { id: 'agent', policyVersion: '', roles: ['user'], attr: {}, scope: '' };
  const stranger = { ...actor, roles: ['stranger'] };
  const folder = await folderWith([
    recordFor({ ...SAME, actors: [actor] }),
    recordFor({ ...SAME, actors: [actor, stranger] }),
    recordFor({ ...SAME, allowed: false, actors: [stranger] }),
  ]);
  const { decisions, flips } = await reportOf(folder);
  assert.equal(decisions, { replayed: 3, unchanged: 2, widened: 0, narrowed: 1 });
  assert.equal(flips[0]?.examples[0]?.principal, {
    id: 'ann',
    roles: ['user'],
    actors: [
      { id: 'agent', roles: ['user'] },
      { id: 'agent', roles: ['stranger'] },
    ],
  });
});

test('a terminal shows how much of a slow log was read', async () => {
  if (NO_TERMINAL !== undefined) return skip(import.meta.url, NO_TERMINAL);
  const folder = await folderWith([recordFor(SAME)]);
  const command = `'${process.execPath}' '${PROGRAMS.authzc}' replay - --against new <&3`;
  const terminal = onTerminal(command, folder);
  let shown = '';
  const log = terminal.stdio[3] as unknown as Writable;
  terminal.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
    if (shown.includes('0 lines read ...') && !log.writableEnded) log.end(readFileSync(join(folder, 'audit.log')));
  });
  await new Promise((resolve) => terminal.on('close', resolve));
  // A slow compilation shows its steps before.
  const end = '\r\u001b[K0 lines read ...\r\u001b[K1 decision: 1 unchanged, 0 widened, 0 narrowed\r\n';
  assert.is(shown.slice(-end.length), end);
});

test('JSON has the same, and equal logs give equal bytes', async () => {
  const folder = await folderWith([SAME, NARROWED, WIDENED].map((logged) => recordFor(logged)));
  const { stdout } = await replay(folder, '-o', 'json', '--examples', '0');
  assert.is((await replay(folder, '-o', 'json', '--examples', '0')).stdout, stdout);
  const { decisions, flips } = JSON.parse(stdout) as ReplayReport;
  assert.equal(decisions, { replayed: 3, unchanged: 1, widened: 1, narrowed: 1 });
  assert.equal(flips, [
    { kind: 'album', action: 'delete', roles: ['editor', 'user'], change: 'narrowed', count: 1, examples: [] },
    { kind: 'album', action: 'view', roles: ['user'], change: 'widened', count: 1, examples: [] },
  ]);
});

test('--fail-on chooses the changes that fail', async () => {
  const folder = await folderWith([recordFor(WIDENED)]);
  assert.is((await replay(folder)).code, 1);
  assert.is((await replay(folder, '--fail-on', 'widened')).code, 1);
  assert.is((await replay(folder, '--fail-on', 'narrowed')).code, 0);
  assert.is((await replay(folder, '--fail-on', 'none')).code, 0);
  assert.is((await replay(folder, '--fail-on', 'undecided')).code, 2);
  assert.is((await replay(await folderWith([recordFor(SAME)]))).code, 0);
});

test('resources with masked values are counted, and others of the log are replayed', async () => {
  const masks = ['resource.attr.public', 'principal.id', 'principal.roles', 'auxData.jwt.email'];
  const folder = await folderWith([
    ...masks.map((mask) => recordFor({ ...WIDENED, jwt: { email: 'ann@example.com' } }, [mask])),
    recordFor(WIDENED, ['resource.attr.other']),
  ]);
  const { decisions, notReplayed } = await reportOf(folder);
  assert.is(notReplayed.masked, masks.length);
  assert.is(decisions.widened, 1);
  assert.is(decisions.replayed, 1);
});

test('conditions that read claims are only decided for requests that had claims', async () => {
  const share: Logged = { action: 'share', allowed: false };
  const folder = await folderWith([
    recordFor(share),
    recordFor({ ...share, jwt: { email: 'ann@example.com' } }),
    recordFor({ ...share, jwt: { email: 'bob@example.com' } }),
    recordFor(SAME),
  ]);
  const { decisions, notReplayed } = await reportOf(folder);
  assert.equal(decisions, { replayed: 3, unchanged: 2, widened: 1, narrowed: 0 });
  assert.is(notReplayed.withoutClaims, 1);
});

test('conditions read the time of the entry', async () => {
  const edit: Logged = { action: 'edit', allowed: true, attr: { until: '2025-06-01T00:00:00Z' } };
  const folder = await folderWith([recordFor(edit), recordFor({ ...edit, time: Date.UTC(2025, 6, 1) })]);
  const { decisions, flips } = await reportOf(folder);
  assert.equal(decisions, { replayed: 2, unchanged: 1, widened: 0, narrowed: 1 });
  assert.is(flips[0]?.examples[0]?.line, 2);
});

test('plans, calls that exceeded a limit and entries without attributes are counted', async () => {
  const { principal, resources, requestId, auxData, requestContext, includeMeta } = checkOf(SAME);
  const question = { kind: 'check' as const, requestId, principal, resources, auxData, requestContext, includeMeta };
  const exceeded = exceededEntry(sampleCall(), { question, error: 'too costly' } as never, CONTEXT, TIME);
  const plan = planEntry(sampleCall(), samplePlan(), DETAILS, CONTEXT, TIME);
  const folder = await folderWith([
    makeRecord('decision', exceeded, TIME, []),
    makeRecord('decision', plan, TIME, []),
    recordFor({ ...WIDENED, attr: { public: true, text: 'x'.repeat(MAX_ENTRY_LENGTH) } }),
    recordFor(SAME),
  ]);
  const { decisions, notReplayed } = await reportOf(folder);
  assert.equal(decisions, { replayed: 1, unchanged: 1, widened: 0, narrowed: 0 });
  const { exceeded: withoutDecisions, plans, oversized } = notReplayed;
  assert.equal({ withoutDecisions, plans, oversized }, { withoutDecisions: 1, plans: 1, oversized: 1 });
});

test('damaged lines are counted and named, and lines of other loggers are only counted', async () => {
  const folder = await folderWith([recordFor(SAME)]);
  const log = join(folder, 'audit.log');
  const whole = readFileSync(log, 'utf8').trim();
  const broken = [
    '{"log.logger":"authz.audit","log.kind":"decision"}',
    whole.replace('EFFECT_ALLOW', 'EFFECT_MAYBE'),
    whole.replace('"roles":["user"]', '"roles":"user"'),
    whole.replace('2025-01-31', 'yesterday'),
    'no JSON',
    '[]',
  ];
  appendFileSync(
    log,
    `{"log.logger":"authz","msg":"started"}\n${broken.join('\n')}\n\n${whole}\n${whole.slice(0, 99)}`,
  );
  const { lines, decisions } = await reportOf(folder);
  assert.equal(
    lines.firstDamaged,
    [3, 4, 5, 6, 7].map((line) => ({ log: 'audit.log', line })),
  );
  assert.is(lines.damaged, 7);
  assert.is(lines.other, 1);
  assert.is(decisions.replayed, 2);
  assert.match((await replay(folder)).stdout, '  7 damaged lines: 3, 4, 5, 6, 7, …\n');
});

test('no prefix of a log and no change of a byte ends the command with an error', async () => {
  const folder = await folderWith([recordFor({ ...SAME, jwt: { sub: 'ann' } })]);
  const log = join(folder, 'audit.log');
  const whole = readFileSync(log);
  const step = Math.max(1, Math.floor(whole.length / rounds(300)));
  const variants: Buffer[] = [whole];
  for (let at = 0; at < whole.length - 1; at += step) {
    const changed = Buffer.from(whole);
    changed[at] = changed[at] === 0x30 ? 0x5d : 0x30;
    variants.push(changed, Buffer.concat([whole.subarray(0, at), Buffer.from('\n')]));
  }
  writeFileSync(log, Buffer.concat(variants));
  const { lines, decisions } = await reportOf(folder);
  assert.ok(decisions.replayed > 0);
  assert.ok(lines.damaged > variants.length / 3);
});

test('a log can be compressed, also if its end is missing, or come from standard input', async () => {
  const folder = await folderWith(Array.from({ length: 500 }, () => recordFor(WIDENED)));
  const text = readFileSync(join(folder, 'audit.log'));
  const compressed = gzipSync(text);
  writeFileSync(join(folder, 'audit.log.gz'), compressed);
  writeFileSync(join(folder, 'cut.log.gz'), compressed.subarray(0, compressed.length - 100));
  const read = async (log: string): Promise<ReplayReport> => {
    const { stdout } = await callAuthzc(['replay', log, '--against', 'new', '-o', 'json'], folder);
    return JSON.parse(stdout.replaceAll(`"${log}"`, '"audit.log"'));
  };
  const expected = await read('audit.log');
  assert.is(expected.decisions.widened, 500);
  assert.equal(await read('audit.log.gz'), expected);
  const piped = await callAuthzc(['replay', '-', '--against', 'new', '-o', 'json'], folder, {}, text);
  assert.equal(JSON.parse(piped.stdout.replaceAll('"-"', '"audit.log"')), expected);
  const { lines, decisions } = await read('cut.log.gz');
  assert.is(lines.damaged, 1);
  assert.ok(decisions.widened > 0 && decisions.widened < 500);
});

/** A folder with the policies and a database, which the backend of the server writes. */
async function folderWithDatabase(records: readonly AuditRecord[]): Promise<{
  readonly folder: string;
  readonly stop: () => Promise<void>;
}> {
  const folder = folderOf({ 'new/album.yaml': ALBUM });
  folders.push(folder);
  const { local } = AUDIT_DEFAULTS;
  // Entries of the year 2025 are not to be deleted.
  const config = { ...local, storagePath: join(folder, 'audit'), retentionPeriod: 1e13 };
  const backend = await openLocalBackend(config, (message) => assert.unreachable(message));
  await backend.write(records);
  return { folder, stop: () => backend.close() };
}

test('a database of the backend `local` is read as it is, by its folder or its file', async () => {
  const records = [WIDENED, SAME, NARROWED].map((logged, at) => recordFor({ ...logged, time: TIME + 2_000 - at }));
  const { folder, stop } = await folderWithDatabase(records);
  await stop();
  const bytes = readFileSync(join(folder, 'audit/audit.db'));
  for (const log of ['audit', 'audit/audit.db']) {
    const { code, stdout, stderr } = await callAuthzc(['replay', log, '--against', 'new'], folder);
    assert.is(stderr, '');
    assert.is(code, 1);
    assert.match(stdout, /delete album a1 {3}line 1,/);
    assert.match(stdout, '3 decisions: 1 unchanged, 1 widened, 1 narrowed\n');
  }
  assert.equal(readFileSync(join(folder, 'audit/audit.db')), bytes);
  assert.equal(readdirSync(join(folder, 'audit')), ['audit.db']);
});

test('what a killed server left in the write-ahead log of its database is read too', async () => {
  const { folder, stop } = await folderWithDatabase([recordFor(WIDENED), recordFor(WIDENED)]);
  cpSync(join(folder, 'audit'), join(folder, 'killed'), { recursive: true });
  await stop();
  assert.ok(readFileSync(join(folder, 'killed/audit.db-wal')).length > 0);
  // As of a machine that was started again since.
  writeFileSync(join(folder, 'killed/owner'), '1 1 another-boot');
  const { stdout } = await callAuthzc(['replay', 'killed', '--against', 'new'], folder);
  assert.match(stdout, '2 decisions: 0 unchanged, 2 widened, 0 narrowed\n');
});

test('a database that a server uses, and one that is none, are errors with a fix', async () => {
  const { folder, stop } = await folderWithDatabase([recordFor(SAME)]);
  const used = await callAuthzc(['replay', 'audit', '--against', 'new'], folder);
  assert.is(used.code, 1);
  assert.is(
    used.stderr,
    `audit: error: the audit database cannot be read: it is in use by process ${process.pid}\n  note: stop the server, or read it through the server: \`authzc audit --kind decision --raw\`\n`,
  );
  await stop();
  writeFileSync(join(folder, 'cut.db'), readFileSync(join(folder, 'audit/audit.db')).subarray(0, 3000));
  for (const log of ['cut.db', 'new']) {
    const { code, stderr } = await callAuthzc(['replay', log, '--against', 'new'], folder);
    assert.is(code, 1);
    assert.match(stderr, `${log}: error: the audit database cannot be read: `);
  }
});

test('several logs are read in order, and places name the log', async () => {
  const folder = await folderWith([recordFor(SAME), recordFor(WIDENED)]);
  writeFileSync(join(folder, 'older.log'), `no JSON\n${readFileSync(join(folder, 'audit.log'), 'utf8')}`);
  const { stdout } = await callAuthzc(['replay', 'older.log', 'audit.log', '--against', 'new'], folder);
  assert.match(stdout, 'older.log line 3, ');
  assert.match(stdout, 'audit.log line 2, ');
  assert.match(stdout, '4 decisions: 2 unchanged, 2 widened, 0 narrowed\n');
  assert.match(stdout, '1 damaged line: older.log 1\n');
});

test('--against names a git revision, too', async () => {
  const { folder, commit, git, remove } = newRepository();
  try {
    commit({ 'policies/album.yaml': ALBUM.replace('roles: [user]', 'roles: [nobody]') });
    git('branch', 'strict');
    commit({ 'policies/album.yaml': ALBUM, 'other/album.yaml': ALBUM });
    const log = join(await folderWith([recordFor(WIDENED)]), 'audit.log');
    const summary = async (against: string): Promise<string | undefined> => {
      const { stdout } = await callAuthzc(['replay', log, '--against', against], folder);
      return stdout.trim().split('\n').at(-1);
    };
    assert.is(await summary('policies'), '1 decision: 0 unchanged, 1 widened, 0 narrowed');
    assert.is(await summary('strict'), '1 decision: 1 unchanged, 0 widened, 0 narrowed');
    assert.is(await summary('main:other'), '1 decision: 0 unchanged, 1 widened, 0 narrowed');
    const { code, stderr } = await callAuthzc(['replay', log, '--against', 'nowhere'], folder);
    assert.is(code, 1);
    assert.match(stderr, 'nowhere');
  } finally {
    remove();
  }
});

test('entries alone are read too, as `authzc audit --raw` prints them', async () => {
  const folder = await folderWith([]);
  writeFileSync(join(folder, 'audit.log'), Buffer.concat([recordFor(WIDENED).json, Buffer.from('\n')]));
  assert.is((await reportOf(folder)).decisions.widened, 1);
});

test('--kind, --action, --since and --until narrow what is replayed, and the report says so', async () => {
  const folder = await folderWith([
    recordFor(WIDENED),
    recordFor(NARROWED),
    recordFor({ ...NARROWED, kind: 'photo' }),
    recordFor({ ...WIDENED, time: Date.UTC(2025, 1, 28) }),
  ]);
  const counts = async (...flags: readonly string[]): Promise<readonly number[]> => {
    const { decisions } = await reportOf(folder, ...flags);
    return [decisions.widened, decisions.narrowed];
  };
  assert.equal(await counts(), [2, 2]);
  assert.equal(await counts('--kind', 'alb*'), [2, 1]);
  assert.equal(await counts('--action', 'delete'), [0, 2]);
  assert.equal(await counts('--since', '2025-02-28T00:00:00Z'), [1, 0]);
  assert.equal(await counts('--until', '2025-02-28T00:00:00Z'), [1, 2]);
  const { stdout } = await replay(folder, '--kind', 'photo', '--examples', '0');
  assert.match(stdout, 'only kind photo\n1 decision: 0 unchanged, 0 widened, 1 narrowed\n');
});

test('options of the engine apply: the version of requests without one, and globals', async () => {
  const policy = ALBUM.replace('version: default', 'version: "2"').replace('== true', '== globals.shown');
  const folder = await folderWith([recordFor(SAME)], policy);
  writeFileSync(join(folder, 'globals.yaml'), 'shown: true\n');
  writeFileSync(join(folder, 'server.yaml'), 'engine: {defaultPolicyVersion: "2", globals: {shown: true}}\n');
  assert.is((await reportOf(folder)).decisions.narrowed, 1);
  const flags = ['--default-policy-version', '2', '--globals', 'globals.yaml'];
  assert.is((await reportOf(folder, ...flags)).decisions.unchanged, 1);
  assert.is((await reportOf(folder, '--config', 'server.yaml')).decisions.unchanged, 1);
});

test('strict evaluation of the configuration applies', async () => {
  const policy = `${ALBUM}    - actions: [view]
      effect: EFFECT_DENY
      roles: [user]
      condition: {match: {expr: R.attr.missing == 1}}
`;
  const folder = await folderWith([recordFor(SAME)], policy);
  writeFileSync(join(folder, 'server.yaml'), 'engine: {strictEvaluation: true}\n');
  assert.is((await reportOf(folder)).decisions.unchanged, 1);
  assert.is((await reportOf(folder, '--config', 'server.yaml')).decisions.narrowed, 1);
});

test('resources whose conditions exceed the limits of the configuration are counted', async () => {
  const expression = "'R.attr.tags.all(a, R.attr.tags.all(b, a != b || a == b))'";
  const policy = ALBUM.replace('R.attr.public == true', expression);
  const tags = Array.from({ length: 300 }, (_, index) => `tag ${index}`);
  const folder = await folderWith([recordFor({ ...SAME, attr: { tags } })], policy);
  writeFileSync(join(folder, 'server.yaml'), 'engine: {limits: {evaluationCost: 1000}}\n');
  assert.is((await reportOf(folder)).decisions.unchanged, 1);
  const { decisions, notReplayed } = await reportOf(folder, '--config', 'server.yaml');
  assert.is(decisions.replayed, 0);
  assert.is(notReplayed.costly, 1);
});

test('attributes that are nested too deeply to be shown are no example', async () => {
  const folder = await folderWith([recordFor({ ...NARROWED, attr: { deep: 'x' } })]);
  const log = join(folder, 'audit.log');
  writeFileSync(log, readFileSync(log, 'utf8').replace('"x"', `${'['.repeat(1e6)}${']'.repeat(1e6)}`));
  const { decisions, flips } = await reportOf(folder);
  assert.is(decisions.narrowed, 1);
  assert.equal(flips[0]?.examples, []);
});

test('a log without decision entries is an error with a fix', async () => {
  const folder = await folderWith([]);
  const empty = await replay(folder);
  assert.is(empty.code, 2);
  assert.match(empty.stderr, /^audit\.log: error: the audit log has no decision entries\n {2}note: servers write/);
  writeFileSync(join(folder, 'audit.log'), 'no JSON\n{"log.logger":"authz.audit","log.kind":"access"}\n');
  assert.match((await replay(folder)).stderr, 'note: it has access entries and damaged lines\n');
  rmSync(join(folder, 'audit.log'));
  const missing = await replay(folder);
  assert.is(missing.code, 1);
  assert.is(missing.stderr, 'audit.log: error: the audit log cannot be read: file not found\n');
});

test('a wrong time is a usage error, and policies that do not compile are refused', async () => {
  const folder = await folderWith([recordFor(SAME)]);
  const { code, stderr } = await replay(folder, '--since', 'yesterday');
  assert.is(code, 2);
  assert.is(stderr, '--since: error: `yesterday` is not a time\n  note: write 2025-01-31T00:00:00Z\n');
  const refused = await folderWith([recordFor(SAME)], BROKEN_POLICY);
  assert.is((await replay(refused)).code, 3);
});

test.run();
