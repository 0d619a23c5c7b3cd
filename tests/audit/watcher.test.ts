import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import type { AuditEntry } from '../../server/audit/entry.js';
import type { AuditRecord } from '../../server/audit/record.js';
import { AUDIT_DEFAULTS, type AuditConfig, type DecisionLogFilters } from '../../server/config/audit-config.js';
import { type AuditLog, openAuditLog } from '../../server/audit/audit-log.js';
import { type AuditWatch, auditWatcher } from '../../server/audit/audit-watcher.js';
import type { AuditedBundle } from '../../server/audit/audited-bundle.js';
import type { AuditSink } from '../../server/audit/sink.js';
import type { Checked, Planned } from '../../server/service/watcher.js';
import { configWith, ENDED, sampleCall, sampleCheck, samplePlan } from '../support/audit/samples.js';
import { bytesInUse } from '../support/heap.js';
import { inTempFolder } from './temp-folder.js';

const BUNDLE: AuditedBundle = { policySource: { embeddedPdp: { bundleHash: 'one' } } };

/** A watcher over a sink that keeps its entries. */
function watch(
  config: AuditConfig,
  bundle: () => AuditedBundle = () => BUNDLE,
): { readonly watch: AuditWatch; readonly records: AuditRecord[]; readonly problems: string[] } {
  const records: AuditRecord[] = [];
  const problems: string[] = [];
  const sink = {
    put: (record: AuditRecord) => void records.push(record),
    deliver: async (record: AuditRecord) => void records.push(record),
    close: async () => {},
  } as unknown as AuditSink;
  return {
    watch: auditWatcher({ config, sink, bundle, onProblem: (message) => problems.push(message) }),
    records,
    problems,
  };
}

/** Entries are made in the check phase of the event loop. A timer may be due before it, if this process had to wait. */
const turn = async (): Promise<void> => {
  for (let phases = 0; phases < 2; phases += 1) await new Promise((resolve) => setImmediate(resolve));
};
const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
/** Of 50 resources. */
const largeCheck = (): Checked => {
  const { resources, decisions, ...check } = sampleCheck();
  const repeated = <Item>(list: readonly Item[]): readonly Item[] => Array.from({ length: 50 }, () => list).flat();
  return { ...check, resources: repeated(resources), decisions: repeated(decisions) };
};
const entryOf = (record: AuditRecord | undefined): AuditEntry => JSON.parse(record?.json.toString() ?? '');
const withFilters = (
  checkResources: Partial<DecisionLogFilters['checkResources']>,
  planResources: Partial<DecisionLogFilters['planResources']>,
): AuditConfig =>
  configWith({
    decisionLogFilters: {
      checkResources: { ...AUDIT_DEFAULTS.decisionLogFilters.checkResources, ...checkResources },
      planResources: { ...AUDIT_DEFAULTS.decisionLogFilters.planResources, ...planResources },
    },
  });

test('a call writes a decision entry and an access entry, both after the reply and with its id', async () => {
  const { watch: audit, records } = watch(configWith({}));
  let asked = 0;
  const call = sampleCall({
    peer: () => ({ address: String(++asked), authInfo: '', userAgent: '', forwardedFor: '' }),
  });
  audit.watcher.checked?.(call, sampleCheck());
  audit.watcher.ended?.(call, ENDED);
  assert.is(records.length, 0);
  assert.is(asked, 0);
  await turn();
  assert.equal(
    records.map(({ kind }) => kind),
    ['decision', 'access'],
  );
  for (const record of records) assert.is(entryOf(record).callId, call.id);
});

test('the entries of many calls in one turn of the event loop are made before it ends, in order', async () => {
  const { watch: audit, records } = watch(configWith({}));
  const ids: string[] = [];
  for (let index = 0; index < 100; index++) {
    const call = sampleCall({ id: String(index).padStart(26, '0') });
    ids.push(call.id, call.id);
    audit.watcher.checked?.(call, sampleCheck());
    audit.watcher.ended?.(call, ENDED);
    await tick();
    assert.ok(ids.length - records.length < 16);
  }
  await audit.close();
  assert.equal(
    records.map((record) => entryOf(record).callId),
    ids,
  );
});

test('the entries of a call with many resources are made as soon as it has ended', async () => {
  const { watch: audit, records } = watch(configWith({}));
  audit.watcher.checked?.(sampleCall(), largeCheck());
  await tick();
  assert.is(records.length, 0);
  audit.watcher.ended?.(sampleCall(), ENDED);
  assert.is(records.length, 0);
  await tick();
  assert.is(records.length, 2);
});

test('the entries of such a call are made as soon when its reply waits for them', async () => {
  const { watch: audit, records } = watch(configWith({ delivery: 'before_reply' }));
  audit.watcher.checked?.(sampleCall(), largeCheck());
  void audit.deliver?.(sampleCall(), ENDED);
  await tick();
  assert.is(records.length, 2);
});

test('entries list the derived roles whether the caller requested them or not, and cost nothing when auditing is off', async () => {
  const asked: unknown[] = [];
  const derivedRoles: AuditedBundle['derivedRoles'] = (request) => {
    asked.push(request);
    return [['owner']];
  };
  const { watch: audit, records } = watch(configWith({}), () => ({ ...BUNDLE, derivedRoles }));
  const check = sampleCheck();
  const bare = {
    ...check,
    decisions: check.decisions.map((decision) => ({ ...decision, effectiveDerivedRoles: [] })),
    includeMeta: false,
  };
  audit.watcher.checked?.(sampleCall(), bare);
  assert.equal(asked, []);
  await turn();
  const [{ checkResources }] = records.map((record) => entryOf(record) as DecisionLogEntry) as [DecisionLogEntry];
  assert.equal(
    checkResources?.outputs?.map(({ effectiveDerivedRoles }) => effectiveDerivedRoles),
    [['owner']],
  );
  audit.watcher.checked?.(sampleCall(), check);
  await turn();
  assert.is(asked.length, 1);
});

test('an invalid call has no id and no entry', async () => {
  const { watch: audit, records } = watch(configWith({}));
  audit.watcher.ended?.(sampleCall({ id: '' }), { ...ENDED, code: 'invalid_argument' });
  await audit.close();
  assert.is(records.length, 0);
});

test('each kind of entry can be disabled', async () => {
  const { watcher: noDecisions } = watch(configWith({ decisionLogsEnabled: false })).watch;
  assert.equal(Object.keys(noDecisions), ['ended']);
  const kindsWith = async (changes: Partial<AuditConfig>): Promise<readonly string[]> => {
    const { watch: audit, records } = watch(configWith(changes));
    audit.watcher.checked?.(sampleCall(), sampleCheck());
    audit.watcher.planned?.(sampleCall(), samplePlan());
    audit.watcher.ended?.(sampleCall(), ENDED);
    await turn();
    return records.map(({ kind }) => kind);
  };
  assert.equal(await kindsWith({ decisionLogsEnabled: false }), ['access']);
  assert.equal(await kindsWith({ accessLogsEnabled: false }), ['decision', 'decision']);
});

test('filters drop checks without a denial, all plans, or plans that always allow, and keep access entries', async () => {
  const kindsWith = async (
    config: AuditConfig,
    kind: 'check' | Planned['plan']['filter']['kind'],
    effect: 1 | 2 = 1,
  ): Promise<readonly string[]> => {
    const { watch: audit, records } = watch(config);
    const [decision] = sampleCheck().decisions;
    if (kind === 'check')
      audit.watcher.checked?.(
        sampleCall(),
        sampleCheck({
          decisions: [
            {
              ...(decision as NonNullable<typeof decision>),
              actions: [{ action: 'view', effect, matchedPolicy: 'p', matchedScope: '' }],
            },
          ],
        }),
      );
    else audit.watcher.planned?.(sampleCall(), samplePlan({}, kind));
    audit.watcher.ended?.(sampleCall(), ENDED);
    await audit.close();
    return records.map((record) => record.kind);
  };
  const both = ['decision', 'access'];
  assert.equal(await kindsWith(withFilters({ ignoreAllowAll: true }, {}), 'check'), ['access']);
  assert.equal(await kindsWith(withFilters({ ignoreAllowAll: true }, {}), 'check', 2), both);
  assert.equal(await kindsWith(withFilters({}, { ignoreAlwaysAllow: true }), 'check'), both);
  assert.equal(await kindsWith(withFilters({}, { ignoreAll: true }), 'KIND_CONDITIONAL'), ['access']);
  assert.equal(await kindsWith(withFilters({}, { ignoreAlwaysAllow: true }), 'KIND_ALWAYS_ALLOWED'), ['access']);
  assert.equal(await kindsWith(withFilters({}, { ignoreAlwaysAllow: true }), 'KIND_ALWAYS_DENIED'), both);
  assert.equal(await kindsWith(withFilters({ ignoreAllowAll: true }, {}), 'KIND_ALWAYS_ALLOWED'), both);
});

test('evaluation errors are listed with their resource, and effective policies in the audit trail', async () => {
  const bundle: AuditedBundle = {
    ...BUNDLE,
    explain: () => ({
      evaluationErrors: [
        [],
        [{ policy: 'resource.album.vdefault', rule: 'r', expression: 'R.attr.x', message: 'no such key: x' }],
      ],
      effectivePolicies: [{ policy: 'resource.album.vdefault', source: 'album.yaml' }],
      effectiveDerivedRoles: undefined,
    }),
  };
  const { watch: audit, records } = watch(configWith({}), () => bundle);
  const { resources, decisions } = sampleCheck();
  const [entry] = resources;
  const bad = {
    ...(entry as NonNullable<typeof entry>),
    resource: { ...(entry as NonNullable<typeof entry>).resource, id: 'bad' },
  };
  audit.watcher.checked?.(
    sampleCall(),
    sampleCheck({ resources: [entry as NonNullable<typeof entry>, bad], decisions: [...decisions, ...decisions] }),
  );
  await audit.close();
  const { checkResources, auditTrail } = entryOf(records[0]) as DecisionLogEntry;
  assert.equal(
    checkResources?.outputs.map(({ evaluationErrors }) => evaluationErrors),
    [undefined, [{ celError: { expression: 'R.attr.x', message: 'no such key: x' } }]],
  );
  assert.equal(auditTrail, {
    effectivePolicies: { 'resource.album.vdefault': { attributes: { driver: 'embedded', source: 'album.yaml' } } },
  });
});

test('an entry names the bundle that decided, even after another one was loaded', async () => {
  let current = BUNDLE;
  const { watch: audit, records } = watch(configWith({}), () => current);
  audit.watcher.checked?.(sampleCall(), sampleCheck());
  current = { policySource: { embeddedPdp: { bundleHash: 'two' } } };
  await audit.close();
  assert.equal(entryOf(records[0]).policySource, { embeddedPdp: { bundleHash: 'one' } });
});

test('missing details and entries that cannot be built are logged and delay nothing', async () => {
  const fail = (): never => {
    throw new Error('boom');
  };
  const { watch: audit, records, problems } = watch(configWith({}), () => ({ ...BUNDLE, explain: fail }));
  audit.watcher.checked?.(sampleCall(), sampleCheck());
  audit.watcher.ended?.(sampleCall({ peer: fail }), ENDED);
  audit.watcher.ended?.(sampleCall(), ENDED);
  await audit.close();
  assert.equal(
    records.map(({ kind }) => kind),
    ['decision', 'access'],
  );
  assert.is(problems.length, 2);
});

test('100,000 entries are all written at the end, in bounded memory', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const config = configWith({
      backend: 'file',
      file: { ...AUDIT_DEFAULTS.file, path },
      mask: [{ root: 'principal', steps: ['attr', 'ssn'] }],
    });
    const log = (await openAuditLog(config, assert.unreachable)) as AuditLog;
    const audit = auditWatcher({ config, sink: log.sink, bundle: () => BUNDLE, onProblem: assert.unreachable });
    const checked = sampleCheck();
    const before = bytesInUse();
    let most = 0;
    for (let index = 0; index < 50_000; index++) {
      const call = sampleCall({ id: String(index).padStart(26, '0') });
      audit.watcher.checked?.(call, checked);
      audit.watcher.ended?.(call, ENDED);
      if (index % 500 === 499) {
        await new Promise((resolve) => setImmediate(resolve));
        await log.sink.ready();
      }
      if (index % 5000 === 4999) {
        most = Math.max(most, bytesInUse() - before);
      }
    }
    await audit.close();
    assert.equal(log.counts(), [
      { kind: 'access', written: 50_000, dropped: 0, failed: 0 },
      { kind: 'decision', written: 50_000, dropped: 0, failed: 0 },
    ]);
    const text = readFileSync(path, 'utf8');
    assert.is(text.split('\n').length - 1, 100_000);
    assert.not.match(text, '123-45-6789');
    assert.ok(most < 100 * 1024 * 1024, `${most}`);
  }));

test('a producer faster than the disk loses only entries that are counted as dropped', () =>
  inTempFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const config = configWith({
      backend: 'file',
      file: { ...AUDIT_DEFAULTS.file, path },
      queue: { maxEntries: 1000, maxSizeMB: 64 },
    });
    const log = (await openAuditLog(config, () => {})) as AuditLog;
    const audit = auditWatcher({ config, sink: log.sink, bundle: () => BUNDLE, onProblem: () => {} });
    for (let index = 0; index < 5000; index++) audit.watcher.ended?.(sampleCall(), ENDED);
    await audit.close();
    const [access] = log.counts();
    assert.is((access?.written ?? 0) + (access?.dropped ?? 0), 5000);
    assert.ok((access?.dropped ?? 0) > 0);
    assert.is(readFileSync(path, 'utf8').split('\n').length - 1, access?.written);
  }));

test.run();
