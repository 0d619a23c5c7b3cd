import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { policies } from '../../generated/index.js';
import { audience } from '../../generated/resource/album.js';
import type { Rule } from '../../runtime/policy/index.js';
import { loadConfig } from '../../server/config.js';
import { startServer } from '../../server/main.js';
import { isPassThrough } from './pass-through.js';
import { ROOT } from './tree.js';

/** How many requests precede the measurement, so that everything is loaded and connected. */
const WARM = 20;
/** How many requests are measured. What a timer runs beside one of them is not part of a check. */
const MEASURED = 5;

/**
 * The check that README.md follows from YAML to a decision: a policy with derived roles and a condition, as most have.
 */
const REQUEST = JSON.stringify({
  principal: { id: 'alice', roles: ['user'] },
  resources: [
    {
      resource: { kind: 'album', id: 'a1', attr: { owner: 'bob', visibility: 'friends', friends: ['alice'] } },
      actions: ['view'],
    },
  ],
});

/** What one check runs through. */
export interface CheckFigures {
  /** Sorted, with paths from the root. */
  readonly files: readonly string[];
  /** Calls of functions of these files. */
  readonly calls: number;
  /** Those of functions that only call another one. */
  readonly passes: number;
  /** The files of the calls under way while the condition of the rule is evaluated, from the listener to the rule. */
  readonly frames: readonly string[];
}

/**
 * The files of this repository that one POST to /api/check/resources runs a function of, sorted: in a warm server in
 * this process, with the policies of `generated/` and no watcher. Files that only declare types, or only ran while they
 * were loaded, are not among them.
 */
export async function measureOneCheck(): Promise<CheckFigures> {
  const { config } = loadConfig({
    sets: ['server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0'],
    environment: {},
  });
  const session = new Session();
  session.connect();
  const stack = recordStack(audience);
  const server = await startServer(config, { policies });
  try {
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    for (let count = 0; count < WARM; count += 1) await check(server.httpAddress);
    let always: readonly string[] | undefined;
    let calls = Number.POSITIVE_INFINITY;
    let passes = Number.POSITIVE_INFINITY;
    const passesOn = createPassCheck(session);
    for (let count = 0; count < MEASURED; count += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await check(server.httpAddress);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const files = calledFiles(result, ROOT);
      always = always === undefined ? files : always.filter((file) => files.includes(file));
      calls = Math.min(calls, callsIn(result, ROOT));
      passes = Math.min(passes, callsIn(await selectFunctions(result, passesOn), ROOT));
    }
    return { files: always ?? [], calls, passes, frames: stack.frames() };
  } finally {
    stack.restore();
    session.disconnect();
    await server.close();
  }
}

/** Tells whether a function, by its script and the offsets of its text, only calls another one. */
type PassCheck = (scriptId: string, start: number, end: number) => Promise<boolean>;

function createPassCheck(session: Session): PassCheck {
  const sources = new Map<string, string>();
  return async (scriptId, start, end) => {
    const known = sources.get(scriptId);
    const source = known ?? (await session.post('Debugger.getScriptSource', { scriptId })).scriptSource;
    sources.set(scriptId, source);
    return isPassThrough(source.slice(start, end));
  };
}

/** The functions of scripts of this repository that a check holds for. */
function selectFunctions(
  scripts: readonly Profiler.ScriptCoverage[],
  holds: PassCheck,
): Promise<readonly Profiler.ScriptCoverage[]> {
  return Promise.all(
    scripts
      .filter(({ url }) => url.startsWith('file:'))
      .map(async (script) => {
        const functions: Profiler.FunctionCoverage[] = [];
        for (const each of script.functions) {
          const [whole] = each.ranges;
          if (whole === undefined || whole.count === 0) continue;
          if (await holds(script.scriptId, whole.startOffset, whole.endOffset)) functions.push(each);
        }
        return { ...script, functions };
      }),
  );
}

/** Records the files of the calls that are under way whenever the condition of a rule is evaluated. */
function recordStack(rule: Rule): { readonly frames: () => readonly string[]; readonly restore: () => void } {
  const { when } = rule;
  let latest: readonly string[] = [];
  const replace = (condition: Rule['when']): void => void Object.assign(rule, { when: condition });
  replace((request) => {
    latest = stackUrls();
    return when?.(request) === true;
  });
  return { frames: () => framesIn(latest, ROOT), restore: () => replace(when) };
}

/** The URLs of the scripts of the calls that are under way, the innermost first. */
function stackUrls(): readonly string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? '');
    return new Error().stack as unknown as readonly string[];
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

/** The files of a stack below a folder, by paths from that folder: the outermost call first. */
export function framesIn(urls: readonly string[], root: string): readonly string[] {
  return urls
    .filter((url) => url.startsWith('file:'))
    .map((url) => relative(root, fileURLToPath(url.split('?')[0] as string)))
    .filter(isOwn)
    .toReversed();
}

function isOwn(path: string): boolean {
  return !/^\.\.|^node_modules\/|^scripts\/|\/node_modules\//.test(path);
}

/** The scripts below a folder with a function that was called, by paths from that folder, sorted. */
export function calledFiles(scripts: readonly Profiler.ScriptCoverage[], root: string): readonly string[] {
  return [...new Set(ownScripts(scripts, root).map(({ path }) => path))].toSorted();
}

/** How many calls of functions there were in the scripts below a folder. */
export function callsIn(scripts: readonly Profiler.ScriptCoverage[], root: string): number {
  // The first range of a function is all of it.
  return ownScripts(scripts, root).reduce(
    (sum, { functions }) => sum + functions.reduce((calls, { ranges }) => calls + (ranges[0]?.count ?? 0), 0),
    0,
  );
}

function ownScripts(
  scripts: readonly Profiler.ScriptCoverage[],
  root: string,
): readonly { readonly path: string; readonly functions: readonly Profiler.FunctionCoverage[] }[] {
  return scripts
    .filter(
      ({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    )
    .map(({ url, functions }) => ({ path: relative(root, fileURLToPath(url.split('?')[0] as string)), functions }))
    .filter(({ path }) => isOwn(path));
}

async function check(address: string): Promise<void> {
  const response = await fetch(`http://${address}/api/check/resources`, {
    method: 'POST',
    body: REQUEST,
    headers: { 'content-type': 'application/json' },
  });
  const answer = await response.text();
  if (!answer.includes('EFFECT_ALLOW')) throw new Error(`the server did not decide: ${answer}`);
}
