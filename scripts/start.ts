import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stop } from 'esbuild';
import { buildProgramsToStart, writePage } from './build-programs.js';
import { PACKAGES } from './packages/packages.js';
import { stopWithParent } from './stop-with-parent.js';

/** The one command of a newcomer: builds the programs, compiles policies/, serves the bundle. */
stopWithParent();
const dist = process.env['AUTHZ_DIST'] ?? 'dist';
// esbuild, which reads it, stops before its memory matters.
process.env['GOGC'] ??= '800';
await buildProgramsToStart(
  Object.assign({}, ...PACKAGES.map(({ programs }) => programs)),
  dist,
  Object.assign({}, ...PACKAGES.map(({ threads }) => threads)),
);
const [status] = await Promise.all([compilePolicies(), writePage(dist)]);
await stop();
// One process starts faster and is easier to follow. Flags after it can ask for more.
process.argv.splice(2, 0, '--set', 'server.workers=1');
if (status === 0) await import(pathToFileURL(resolve(dist, 'server.js')).href);
else process.exitCode = status;

/** The exit code of the compilation. */
async function compilePolicies(): Promise<number> {
  // Tests leave what is committed alone.
  const generated = dist === 'dist' ? 'generated' : join(dist, 'generated');
  const words = ['compile', 'policies', '--out', generated, '--bundle', join(dist, 'policies.js')];
  // The program that was just built starts in a third of the time that its sources take.
  const compiler = spawn(process.execPath, [join(dist, 'authzc.js'), ...words], { stdio: 'inherit' });
  const [code] = (await once(compiler, 'exit')) as [number | null];
  return code ?? 1;
}
