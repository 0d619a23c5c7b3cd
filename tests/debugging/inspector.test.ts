import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type Debugger, type Profiler, Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decode } from '@jridgewell/sourcemap-codec';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { bundle } from '../../compiler/bundle/index.js';
import { bundleFiles } from '../../packages/cli/outputs/write-outputs.js';
import { evaluateBundle } from '../../server/swap/evaluate-bundle.js';
import { compileTexts, ROOT } from '../support/compiled.js';

/**
 * What a debugger does, over the inspector protocol: it finds the code of a line of a policy through the source map,
 * sets a breakpoint by the URL of the script, and shows the place where it stops.
 */
const test = suite('debugging a policy');

/** `^` marks the places below the line before it; a comment names what they belong to. */
const POLICIES = {
  'roles.yaml': `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id # derived role
`,
  'kinds/album.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [people]
  variables:
    local:
      is_open: R.attr.state == "OPEN" # variable
  rules:
    - name: view
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          all:
            of:
              - expr: V.is_open # first
              - expr: >-
                  R.attr.kind in ["a", "b"] &&
                  size(R.attr.tags) < 5
      output:
        when:
          ruleActivated: R.attr.kind + "!" # output
    - name: edit
      actions: [edit]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
    - name: search
      actions: [search]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.words.exists(w, w == P.attr.word) # hot
`,
  // Of the same shape as the next one.
  'one.yaml': twin('one'),
  'two.yaml': twin('two'),
};

function twin(kind: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.name == "${kind}"
`;
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'authz debugging ')));
const script = join(folder, 'dist', 'policies.js');
const session = new Session();
const principal = { id: 'ann', roles: ['user'], attr: { word: 'last' } };
const attr = { owner: 'ann', state: 'OPEN', kind: 'b', tags: ['x'], name: 'two' };
let engine: Engine;
let map: Mappings;

test.before(async () => {
  for (const [path, text] of Object.entries(POLICIES)) write(join('policies', path), text);
  const place = { folder: join(folder, 'dist'), policies: join(folder, 'policies') };
  for (const { path, text } of bundleFiles(
    script,
    await bundle(compileTexts(POLICIES).files, join(ROOT, 'runtime'), place),
  ))
    write(path.slice(folder.length), text.join(''));
  map = JSON.parse(readFileSync(`${script}.map`, 'utf8')) as Mappings;
  // As a server does.
  engine = createEngine((await evaluateBundle(readFileSync(script, 'utf8'), script)).policies);
  session.connect();
  await session.post('Debugger.enable');
});
test.after(() => {
  session.disconnect();
  rmSync(folder, { recursive: true, force: true });
});

const isAllowed = (kind: string, action: string) => () =>
  engine.isAllowed({ principal, resource: { kind, id: 'a', attr }, action });
const check = (kind: string, action: string) => () =>
  engine.check({
    principal,
    resources: [{ resource: { kind, id: 'a', attr }, actions: [action] }],
    outputs: true,
  } as never);

const STOPS: readonly (readonly [line: string, file: string, run: () => unknown])[] = [
  ['expr: V.is_open', 'kinds/album.yaml', isAllowed('album', 'view')],
  ['expr: V.is_open', 'kinds/album.yaml', check('album', 'view')],
  ['is_open: R.attr.state', 'kinds/album.yaml', isAllowed('album', 'view')],
  ['is_open: R.attr.state', 'kinds/album.yaml', check('album', 'view')],
  ['size(R.attr.tags)', 'kinds/album.yaml', isAllowed('album', 'view')],
  ['expr: R.attr.owner', 'roles.yaml', isAllowed('album', 'edit')],
  ['expr: R.attr.owner', 'roles.yaml', check('album', 'edit')],
  ['ruleActivated: R.attr', 'kinds/album.yaml', check('album', 'view')],
  ['expr: R.attr.name', 'one.yaml', isAllowed('one', 'view')],
  ['expr: R.attr.name', 'two.yaml', isAllowed('two', 'view')],
];

for (const [index, [text, file, run]] of STOPS.entries()) {
  test(`a breakpoint on \`${text}\` of ${file} stops there (${index})`, async () => {
    const line = lineOf(file, text);
    const code = codeOf(file, line);
    const { breakpointId, locations } = await session.post('Debugger.setBreakpointByUrl', {
      url: pathToFileURL(script).href,
      lineNumber: code.line,
      columnNumber: code.column,
    });
    assert.is(locations.length, 1, 'the breakpoint is bound');
    const stops: string[] = [];
    const onPaused = ({ params }: { readonly params: Debugger.PausedEventDataType }): void => {
      const [frame] = params.callFrames as [Debugger.CallFrame];
      const { lineNumber, columnNumber = 0 } = frame.location;
      stops.push(placeAt(lineNumber, columnNumber));
    };
    session.on('Debugger.paused', onPaused);
    run();
    session.off('Debugger.paused', onPaused);
    await session.post('Debugger.removeBreakpoint', { breakpointId });
    assert.equal([...new Set(stops)], [`${file}:${line}:${code.original + 1}`]);
  });
}

test('a stack trace leads to the part of the condition', () => {
  const program = `
    import { policies } from ${JSON.stringify(pathToFileURL(script).href)};
    const { rules } = policies.resourcePolicies.find(({ kind }) => kind === 'album');
    const rule = rules.find(({ actions }) => actions.includes('view'));
    const attr = { state: 'OPEN', kind: 'b', get tags() { throw new Error('broken'); } };
    try { rule.when({ principal: {}, resource: { attr } }); } catch ({ stack }) { console.log(stack); }
  `;
  const options = ['--enable-source-maps', '--input-type=module', '--eval', program];
  const stack = execFileSync(process.execPath, options, { encoding: 'utf8' });
  const line = lineOf('kinds/album.yaml', 'size(R.attr.tags)');
  assert.match(stack, `${join(folder, 'policies/kinds/album.yaml')}:${line}:`);
});

test('a CPU profile leads to the expressions of a hot condition', async () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `word ${index}`);
  const search = { principal, resource: { kind: 'album', id: 'a', attr: { ...attr, words } }, action: 'search' };
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  // Samples are taken while the process computes, however long it waits for a processor.
  for (const before = process.cpuUsage(); process.cpuUsage(before).user < 300_000; ) engine.isAllowed(search);
  const { profile } = await session.post('Profiler.stop');
  const found = (profile as Profiler.Profile).nodes
    .filter(({ callFrame }) => callFrame.url === pathToFileURL(script).href)
    .map(({ callFrame }) => placeAt(callFrame.lineNumber, callFrame.columnNumber));
  const line = lineOf('kinds/album.yaml', 'R.attr.words.exists');
  assert.ok(
    found.some((place) => place.startsWith(`kinds/album.yaml:${line}:`)),
    found.join(),
  );
});

test.run();

interface Mappings {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** A file of the policies, by its URL in the map. */
function fileOf(source: string): string {
  return fileURLToPath(new URL(source, pathToFileURL(script))).slice(join(folder, 'policies/').length);
}

/** The line of a policy that contains a text, 1-based. */
function lineOf(file: string, text: string): number {
  return POLICIES[file as keyof typeof POLICIES].split('\n').findIndex((line) => line.includes(text)) + 1;
}

/** The code for a line of a policy as debuggers choose it: for its first column, the first code. */
function codeOf(
  file: string,
  line: number,
): { readonly line: number; readonly column: number; readonly original: number } {
  const candidates = decode(map.mappings).flatMap((segments, generated) =>
    segments.flatMap((segment) =>
      segment.length > 1 && fileOf(map.sources[segment[1] as number] as string) === file && segment[2] === line - 1
        ? [{ line: generated, column: segment[0], original: segment[3] as number }]
        : [],
    ),
  );
  const [first] = candidates.sort((a, b) => a.original - b.original || a.line - b.line || a.column - b.column);
  if (first === undefined) throw new Error(`${file}:${line} has no code`);
  return first;
}

/** The `file:line:column` of the policies for a place in the bundle, both 0-based there. */
function placeAt(line: number, column: number): string {
  const segment = decode(map.mappings)[line]?.findLast((candidate) => candidate[0] <= column);
  if (segment === undefined || segment.length === 1) return 'unmapped';
  return `${fileOf(map.sources[segment[1]] as string)}:${segment[2] + 1}:${segment[3] + 1}`;
}

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}
