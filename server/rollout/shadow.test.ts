import { join } from 'node:path';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundle } from '../../compiler/bundle/index.js';
import { sampleCall, sampleEnd } from '../../tests/observe/sample-calls.js';
import { compileTexts, ROOT } from '../../tests/support/compiled.js';
import { loadConfig } from '../config.js';
import type { Logger } from '../observe/log/logger.js';
import { RolloutMetrics } from '../observe/metrics/rollout-metrics.js';
import type { Checked } from '../service/watcher.js';
import { type BundleText, readBundleFile } from '../bundle/read-bundle.js';
import { compare } from './comparison.js';
import { DifferenceLog } from './difference-log.js';
import { Shadow } from './shadow.js';
import { until } from '../../tests/support/timeout.js';

const test = suite('shadow');
const folder = mkdtempSync(join(tmpdir(), 'authz-shadow-'));
const shadows: Shadow[] = [];
test.after.each(async () => {
  for (const shadow of shadows.splice(0)) await shadow.close();
});
test.after(() => rmSync(folder, { recursive: true }));

/**
 * Allows `view`, and what conditions with markers allow: it is replaced by code that never ends. `loop` exceeds the limits.
 */
const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - {name: users, actions: [view], effect: EFFECT_ALLOW, roles: [user]}
    - name: loop
      actions: [loop]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: "R.attr.list.all(a, R.attr.list.all(b, R.attr.list.all(c, a + b + c >= 0.0)))"}}
    - name: hang
      actions: [hang]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: 'R.attr.now == true && R.attr.mode == "marker-hang"'}}
`;

/** An expression that does this if the resource says so, and not when the bundle is tried at its start. */
function armed(action: string): string {
  return `(() => { let isArmed = false; try { isArmed = R.attr.now === true; } catch {} if (isArmed) { ${action} } return ""; })()`;
}

let candidate: BundleText;
/** The thread, as programs contain it. */
const thread = pathToFileURL(join(folder, 'thread.mjs'));
test.before(async () => {
  await build({
    entryPoints: [join(ROOT, 'server/rollout/shadow-thread.ts')],
    outfile: fileURLToPath(thread),
    bundle: true,
    format: 'esm',
    platform: 'node',
    define: { AUTHZ_RELEASE: '{}' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const { files } = compileTexts({ 'document.yaml': POLICY });
  const { js } = await bundle(files, join(ROOT, 'runtime'));
  const text = js.replaceAll('"marker-hang"', armed('for (;;);'));
  assert.not.match(text, /marker/);
  const file = join(folder, 'candidate.js');
  writeFileSync(file, text);
  candidate = await readBundleFile(file);
});

interface Tried {
  readonly shadow: Shadow;
  readonly results: () => { readonly [result: string]: number };
  readonly differences: () => readonly string[];
  readonly warnings: string[];
  readonly file: string;
}

let tried = 0;
function startShadow(
  sets: readonly string[] = [],
  options: { readonly patience?: number; readonly pause?: number } = {},
): Tried {
  const file = join(folder, `differences-${tried++}.log`);
  const masking = join(folder, 'mask.yaml');
  writeFileSync(masking, 'audit: {mask: [principal.attr.secret]}');
  const { config } = loadConfig({
    file: masking,
    sets: ['bundle.rollout.rate=1', `bundle.rollout.log=${file}`, ...sets],
    environment: {},
  });
  const warnings: string[] = [];
  const tell = (message: string): void => void warnings.push(message);
  const logger: Logger = { debug: tell, info: tell, warn: tell, error: tell, members: tell, writes: () => true };
  const events = new RolloutMetrics();
  const hashes = () => ({ current: 'current', candidate: 'candidate' });
  const log = new DifferenceLog({ audit: config.audit, file, logger, hashes });
  const shadow = new Shadow({ thread, config, events, log, logger, ...options });
  shadows.push(shadow);
  const family = (name: string) => events.snapshot().find((one) => one.name === name)?.series ?? [];
  return {
    shadow,
    warnings,
    file,
    results: () =>
      Object.fromEntries(
        family('authz_rollout_compared_total').map((series) => [
          series.labels[0] as string,
          (series as unknown as { readonly value: number }).value,
        ]),
      ),
    differences: () =>
      family('authz_rollout_differences_total').map(
        (series) => `${series.labels.join(' ')} ${(series as unknown as { readonly value: number }).value}`,
      ),
  };
}

interface LoggedDifference {
  readonly candidate: { readonly changes: readonly string[]; readonly outputs: readonly Output[] };
  readonly checkResources: { readonly outputs: readonly Output[] };
}

interface Output {
  readonly actions: { readonly view: { readonly effect: string } };
}

/** A check that the current bundle has answered, as a server tells its watchers. */
function tellCheck(
  { shadow }: Tried,
  actions: readonly (readonly [action: string, effect: 1 | 2])[],
  attr: { readonly [name: string]: unknown } = {},
  requestSize = 100,
): void {
  const call = sampleCall();
  const checked: Checked = {
    requestId: '',
    principal: { id: 'ann', policyVersion: '', roles: ['user'], attr: { secret: 'hush' }, scope: '', actors: [] },
    resources: [
      {
        resource: { kind: 'document', policyVersion: '', id: 'd1', attr, scope: '' },
        actions: actions.map(([action]) => action),
      },
    ],
    decisions: [
      {
        actions: actions.map(([action, effect]) => ({ action, effect, matchedPolicy: 'p', matchedScope: '' })),
        effectiveDerivedRoles: [],
        outputs: [],
        validationErrors: [],
      },
    ],
    auxData: { jwt: {}, jwts: {} },
    requestContext: undefined,
    includeMeta: false,
    duration: 0.01,
  };
  shadow.watcher.checked?.(call, checked);
  shadow.watcher.ended?.(call, sampleEnd({ requestSize }));
}

const idle = ({ shadow }: Tried) => until(() => shadow.waiting === 0, 'an idle shadow');

test('differences are counted by kind and action, and logged with the request, masked, for `authzc replay`', async () => {
  const one = startShadow();
  one.shadow.follow(candidate);
  tellCheck(one, [
    ['view', 1],
    ['edit', 2],
  ]);
  tellCheck(one, [
    ['view', 2],
    ['edit', 1],
  ]);
  await idle(one);
  assert.equal(one.results(), { same: 1, different: 1, limited: 0, failed: 0, dropped: 0 });
  assert.equal(one.differences(), ['check document view deny_to_allow 1', 'check document edit allow_to_deny 1']);
  await one.shadow.close();
  const [line = '', ...others] = readFileSync(one.file, 'utf8').split('\n');
  assert.equal(others, ['']);
  assert.not.match(line, /hush/);
  const entry = JSON.parse(line) as LoggedDifference;
  assert.equal(entry.candidate.changes, ['deny_to_allow', 'allow_to_deny']);
  assert.is(entry.candidate.outputs[0]?.actions.view.effect, 'EFFECT_ALLOW');
  assert.is(entry.checkResources.outputs[0]?.actions.view.effect, 'EFFECT_DENY');
});

test('a plan differs by the kind of its filter', async () => {
  const one = startShadow();
  one.shadow.follow(candidate);
  const call = sampleCall();
  const request = {
    requestId: '',
    action: 'view',
    actions: [],
    principal: { id: 'ann', policyVersion: '', roles: ['user'], attr: {}, scope: '', actors: [] },
    resource: { kind: 'document', policyVersion: '', attr: {}, scope: '' },
    auxData: undefined,
    includeMeta: false,
    requestContext: undefined,
  };
  const planned = (kind: 'KIND_ALWAYS_ALLOWED' | 'KIND_ALWAYS_DENIED') => ({
    request,
    plan: { filter: { kind }, filterDebug: '', matchedScopes: undefined, validationErrors: [], unplanned: [] },
    auxData: { jwt: {}, jwts: {} },
    duration: 1,
  });
  one.shadow.watcher.planned?.(call, planned('KIND_ALWAYS_ALLOWED'));
  one.shadow.watcher.planned?.(call, planned('KIND_ALWAYS_DENIED'));
  one.shadow.watcher.ended?.(call, sampleEnd());
  await idle(one);
  assert.equal(one.results(), { same: 1, different: 1, limited: 0, failed: 0, dropped: 0 });
  assert.equal(one.differences(), ['plan document view always_denied_to_always_allowed 1']);
});

test('a candidate that exceeds the limits is counted, and the next call is compared', async () => {
  const one = startShadow(['engine.limits.evaluationCost=100000']);
  one.shadow.follow(candidate);
  tellCheck(one, [['loop', 1]], { list: Array.from({ length: 200 }, () => 1) });
  tellCheck(one, [['view', 1]]);
  await idle(one);
  assert.equal(one.results(), { same: 1, different: 0, limited: 1, failed: 0, dropped: 0 });
  await one.shadow.close();
  assert.match(readFileSync(one.file, 'utf8'), /"result":"limited","error":"/);
});

test('a candidate that throws is a result', () => {
  const throwing = (): never => {
    throw new Error('it throws');
  };
  const principal = { id: 'ann', policyVersion: '', roles: ['user'], attr: {}, scope: '', actors: [] };
  const call = { principal, resources: [], auxData: { jwt: {}, jwts: {} }, includeMeta: false };
  const item = { kind: 'check', time: 0, call, effects: [] } as const;
  assert.equal(compare({ check: throwing, plan: throwing }, item), { result: 'failed', message: 'it throws' });
});

test('a candidate that never ends is stopped and starts again; the event loop turns meanwhile', async () => {
  const one = startShadow([], { patience: 5000, pause: 100 });
  one.shadow.follow(candidate);
  tellCheck(one, [['view', 1]]);
  await idle(one);
  tellCheck(one, [['hang', 2]], { now: true, mode: 'x' });
  // On a busy machine, starting a thread may have taken too long before.
  const before = one.warnings.length;
  const { turns, stop } = watchLoop();
  await until(() => one.warnings.length > before, 'a stop');
  stop();
  assert.match(one.warnings.at(-1) as string, /the thread of the candidate failed/);
  assert.ok(turns() > 5, `the event loop turned ${turns()} times`);
  await until(() => {
    tellCheck(one, [['view', 1]]);
    return (one.results()['same'] as number) > 1;
  }, 'a comparison after the pause');
});

test('what waits is bounded in number and bytes; the rest is dropped and counted', async () => {
  const one = startShadow([], { patience: 60_000 });
  one.shadow.follow(candidate);
  tellCheck(one, [['hang', 2]], { now: true, mode: 'x' });
  await sleep(50);
  for (let index = 0; index < 3000; index++) tellCheck(one, [['view', 1]]);
  assert.ok(one.shadow.waiting <= 1001, String(one.shadow.waiting));
  assert.is(one.results()['dropped'], 3001 - one.shadow.waiting);
  one.shadow.follow(undefined);
  assert.is(one.results()['dropped'], 3001);
  one.shadow.follow(candidate);
  tellCheck(one, [['hang', 2]], { now: true, mode: 'x' });
  await sleep(50);
  for (let index = 0; index < 1000; index++) tellCheck(one, [['view', 1]], {}, 200_000);
  assert.ok(one.shadow.waiting <= 42, 'eight megabytes');
  tellCheck(one, [['view', 1]], {}, 300_000);
});

test('a candidate that cannot be loaded is reported, and nothing waits for it', async () => {
  const one = startShadow([], { pause: 60_000 });
  one.shadow.follow({ ...candidate, text: 'export const policies = 1;', digest: 'other' });
  await until(() => one.warnings.length > 0, 'a warning');
  tellCheck(one, [['view', 1]]);
  assert.is(one.shadow.waiting, 0);
  assert.is(one.results()['dropped'], 1);
});

test.run();

/** How often the event loop has turned, at most each hundredth of a second. */
function watchLoop(): { readonly turns: () => number; readonly stop: () => void } {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 10);
  return { turns: () => turns, stop: () => clearInterval(timer) };
}
