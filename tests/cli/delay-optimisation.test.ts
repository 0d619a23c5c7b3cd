import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { delayOptimisation } from '../../packages/cli/delay-optimisation.js';

const test = suite('optimising later');

/** The flags that are set on a version of Node. */
function flagsOf(version: string): readonly string[] {
  const flags: string[] = [];
  delayOptimisation(version, (flag) => flags.push(flag));
  return flags;
}

test('versions of Node with other compilers of V8 are left as they are', () => {
  for (const version of ['18.20.0', '23.0.0', '200.1.0', '']) assert.equal(flagsOf(version), [], version);
});

test('V8 knows the flag of its version', () => {
  const [flag] = flagsOf(process.versions.node);
  if (flag === undefined) return;
  assert.is(spawnSync(process.execPath, [flag, '--eval', '0'], { encoding: 'utf8' }).stderr, '');
});

test('the other versions that are supported have one too', () => {
  for (const version of ['20.19.0', '22.12.0', '24.0.0', '26.0.0']) assert.is(flagsOf(version).length, 1, version);
});

test.run();
