import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explorerAssetsText } from '../../scripts/explorer-assets.js';
import { ROOT } from '../support/compiled.js';

const test = suite('the files of the explorer page');

test('the committed assets are up to date with their sources', async () => {
  const committed = readFileSync(join(ROOT, 'server/explorer/gen/assets.ts'), 'utf8');
  assert.is(committed, await explorerAssetsText(), 'run: node --import tsx scripts/generate-explorer.ts');
});

test('the sources type-check with the DOM types', () => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const check = (): unknown =>
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', join(ROOT, 'server/explorer/client/tsconfig.json')], {
      stdio: 'inherit',
    });
  assert.not.throws(check);
});

test.run();
