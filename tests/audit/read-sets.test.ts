import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReplayReport } from '../../packages/analysis/replay/report.js';
import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import { auditWatcher } from '../../server/audit/audit-watcher.js';
import type { AuditRecord } from '../../server/audit/record.js';
import type { AuditSink } from '../../server/audit/sink.js';
import type { AuditedBundle } from '../../server/audit/audited-bundle.js';
import { loadConfig } from '../../server/config.js';
import type { AuditConfig } from '../../server/config/audit-config.js';
import { parseMaskPath } from '../../server/config/mask-path.js';
import type { MaskPath } from '../../server/config/mask-path.js';
import type { Checked } from '../../server/service/watcher.js';
import { servingEngine } from '../../server/swap/serving-engine.js';
import { configWith, ENDED, sampleCall, sampleCheck, samplePlan } from '../support/audit/samples.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { inTempFolder } from './temp-folder.js';

/*
 * `audit.facts`: entries of a server that keep what decisions read, or nothing, and how they are replayed.
 */

const test = suite('audit entries that keep read sets');

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.public || R.attr.place.city == P.attr.city || "x" in request.auxData.jwt.groups}}
    - actions: [list]
      effect: EFFECT_ALLOW
      roles: [user]
`;

async function auditedWith(facts: boolean): Promise<AuditedBundle> {
  const bundle = await loaded(compileTexts({ 'album.yaml': ALBUM }, { facts }));
  const { config } = loadConfig({
    sets: ['audit.enabled=true', 'audit.backend=file', 'audit.facts=read-set'],
    environment: {},
  });
  return (await servingEngine(config, bundle)).audited;
}

function checkOf(attr: object, { action = 'view', allowed = true, principal = {}, jwt = {} } = {}): Checked {
  return sampleCheck({
    principal: { id: 'ann', policyVersion: '', roles: ['user'], attr: principal, scope: '', actors: [] },
    resources: [
      { resource: { kind: 'album', policyVersion: '', id: 'a1', attr: attr as never, scope: '' }, actions: [action] },
    ],
    decisions: [
      {
        actions: [{ action, effect: allowed ? 1 : 2, matchedPolicy: 'resource.album.vdefault', matchedScope: '' }],
        effectiveDerivedRoles: [],
        outputs: [],
        validationErrors: [],
      },
    ],
    auxData: { jwt, jwts: {} },
  });
}

interface Written {
  readonly entries: readonly DecisionLogEntry[];
  readonly records: readonly AuditRecord[];
  readonly problems: readonly string[];
}

/** The decision entries that a server writes of some checks. */
async function write(
  checks: readonly Checked[],
  bundle: AuditedBundle,
  changes: Partial<AuditConfig> = {},
): Promise<Written> {
  const records: AuditRecord[] = [];
  const problems: string[] = [];
  const sink = {
    put: (record: AuditRecord) => void records.push(record),
    close: async () => {},
  } as unknown as AuditSink;
  const config = configWith({ facts: 'read-set', accessLogsEnabled: false, ...changes });
  const { watcher, close } = auditWatcher({
    config,
    sink,
    bundle: () => bundle,
    onProblem: (text) => problems.push(text),
  });
  for (const checked of checks) {
    const call = sampleCall();
    watcher.checked?.(call, checked);
    watcher.ended?.(call, ENDED);
  }
  await close();
  const entries = records.map(({ json }) => JSON.parse(json.toString()) as DecisionLogEntry);
  return { entries, records, problems };
}

const SECRET = '123-45-6789';
const WHOLE = checkOf(
  { public: false, place: { city: 'Oslo', street: SECRET }, ssn: SECRET },
  { principal: { city: 'Oslo', ssn: SECRET }, jwt: { groups: ['x'], sub: SECRET } },
);

test('an entry keeps what the decision reads, and says what that is', async () => {
  const { entries, problems } = await write([WHOLE], await auditedWith(true));
  assert.equal(problems, []);
  const [entry] = entries;
  const [input] = entry?.checkResources?.inputs ?? [];
  assert.equal(input?.resource.attr, { public: false, place: { city: 'Oslo' } });
  assert.equal(input?.principal.attr, { city: 'Oslo' });
  assert.equal(input?.auxData, { jwt: { groups: ['x'] } });
  assert.not.match(JSON.stringify(input), SECRET);
  const [kept] = entry?.facts?.inputs ?? [];
  assert.is(entry?.facts?.kept, 'read-set');
  assert.match(kept?.set ?? '', /^[0-9a-f]{12}$/);
  assert.equal(kept?.partial, ['resource.attr.place']);
  assert.is(kept?.absent, undefined);
});

test('an entry names the facts that the request did not have', async () => {
  const { entries } = await write([checkOf({ ssn: SECRET })], await auditedWith(true));
  assert.equal(entries[0]?.facts?.inputs?.[0]?.absent, [
    'auxData.jwt.groups',
    'principal.attr.city',
    'resource.attr.place',
    'resource.attr.public',
  ]);
  assert.equal(entries[0]?.checkResources?.inputs[0]?.resource, { kind: 'album', id: 'a1' });
});

test('values are masked in what is kept', async () => {
  const mask = [parseMaskPath('resource.attr.place.city') as MaskPath];
  const { entries } = await write([WHOLE], await auditedWith(true), { mask });
  assert.equal(entries[0]?.checkResources?.inputs[0]?.resource.attr, { public: false, place: { city: '***' } });
});

test('nothing is kept with `none`, for policies without read sets, and if these cannot be found', async () => {
  const bundle = await auditedWith(true);
  const broken: AuditedBundle = {
    ...bundle,
    readSets: () => {
      throw new Error('no read sets');
    },
  };
  const cases = [
    await write([WHOLE], bundle, { facts: 'none' }),
    await write([WHOLE], await auditedWith(false)),
    await write([WHOLE], broken),
  ];
  for (const { entries } of cases) {
    assert.equal(entries[0]?.facts, { kept: 'none' });
    assert.not.match(JSON.stringify(entries[0]?.checkResources?.inputs), /attr|auxData/);
  }
  assert.equal(
    cases.map(({ problems }) => problems.length),
    [0, 0, 1],
  );
  const { entries } = await write([WHOLE], bundle, { facts: 'all' });
  assert.is(entries[0]?.facts, undefined);
  assert.match(JSON.stringify(entries[0]?.checkResources?.inputs), SECRET);
});

test('plans keep what their decisions read', async () => {
  const bundle = await auditedWith(true);
  const records: AuditRecord[] = [];
  const sink = {
    put: (record: AuditRecord) => void records.push(record),
    close: async () => {},
  } as unknown as AuditSink;
  const { watcher, close } = auditWatcher({
    config: configWith({ facts: 'read-set' }),
    sink,
    bundle: () => bundle,
    onProblem: (text) => assert.unreachable(text),
  });
  watcher.planned?.(sampleCall(), samplePlan());
  await close();
  const entry = JSON.parse(records[0]?.json.toString() ?? '') as DecisionLogEntry;
  assert.is(entry.planResources?.input.principal.attr, undefined);
  assert.is(entry.facts?.kept, 'read-set');
});

test('other policies decide an entry as they decide the request, or name what they need', () =>
  inTempFolder(async (folder) => {
    const bundle = await auditedWith(true);
    const checks = [
      WHOLE,
      checkOf({ public: true }, { jwt: { groups: [] } }),
      checkOf({ ssn: SECRET }, { action: 'list' }),
      checkOf({ region: 'eu' }, { allowed: false, jwt: { groups: [] } }),
    ];
    const { records } = await write(checks, bundle);
    const { records: bare } = await write([WHOLE], bundle, { facts: 'none' });
    writeFileSync(join(folder, 'audit.log'), [...records, ...bare].map(({ json }) => `${json.toString()}\n`).join(''));
    const report = async (policy: string): Promise<ReplayReport> => {
      mkdirSync(join(folder, 'new'), { recursive: true });
      writeFileSync(join(folder, 'new', 'album.yaml'), policy);
      const { stdout, stderr } = await callAuthzc(['replay', 'audit.log', '--against', 'new', '-o', 'json'], folder);
      assert.is(stderr, '');
      return JSON.parse(stdout) as ReplayReport;
    };
    const same = await report(ALBUM);
    assert.equal(same.decisions, { replayed: 4, unchanged: 4, widened: 0, narrowed: 0 });
    assert.is(same.notReplayed.withoutFacts, 1);
    assert.is(same.needs.decisions, 0);

    // What is public is known of all; the region only where it does not matter.
    const regional = await report(ALBUM.replace('R.attr.public ||', 'R.attr.public || R.attr.region == "eu" ||'));
    assert.equal(regional.decisions, { replayed: 3, unchanged: 3, widened: 0, narrowed: 0 });
    assert.equal(regional.needs, { decisions: 1, facts: [{ fact: 'resource.attr.region', decisions: 1 }] });

    const denying = await report(`${ALBUM}    - actions: [view]
      effect: EFFECT_DENY
      roles: [user]
      condition: {match: {expr: R.attr.blocked}}
`);
    // A DENY by an attribute that nobody kept may hold.
    assert.equal(denying.decisions, { replayed: 2, unchanged: 2, widened: 0, narrowed: 0 });
    assert.equal(denying.needs, { decisions: 2, facts: [{ fact: 'resource.attr.blocked', decisions: 2 }] });

    const narrower = await report(ALBUM.replace('R.attr.public ||', 'R.attr.public && false ||'));
    assert.equal(narrower.decisions, { replayed: 4, unchanged: 3, widened: 0, narrowed: 1 });
    const pretty = await callAuthzc(['replay', 'audit.log', '--against', 'new'], folder);
    assert.match(pretty.stdout, '1 resource of which the log keeps no attributes');
  }));

test.run();
