import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stopWithParent } from './stop-with-parent.js';

/** The one command of a newcomer: builds the programs, compiles policies/, serves the bundle. */
stopWithParent();
// They are for the server: the build would take them for programs.
const flags = process.argv.splice(2);
await import('./build.js');
const dist = process.env['AUTHZ_DIST'] ?? 'dist';
// Tests leave what is committed alone.
const generated = dist === 'dist' ? 'generated' : join(dist, 'generated');
// The program that was just built starts in a third of the time that its sources take.
const compilation = ['compile', 'policies', '--out', generated, '--bundle', join(dist, 'policies.js')];
const { status } = spawnSync(process.execPath, [join(dist, 'authzc.js'), ...compilation], { stdio: 'inherit' });
// One process starts faster and is easier to follow. Flags after it can ask for more.
process.argv.push('--set', 'server.workers=1', ...flags);
if (status === 0) await import(pathToFileURL(resolve(dist, 'server.js')).href);
else process.exitCode = status ?? 1;
