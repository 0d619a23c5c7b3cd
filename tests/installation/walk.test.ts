import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { ROOT } from '../support/compiled.js';
import { readPage } from '../support/docs/blocks.js';
import { openShell, type ShellPrograms, writeScript } from '../support/docs/shell-blocks.js';
import { runSteps } from '../support/docs/steps.js';
import { isRegistryReachable, npmProgram } from '../support/npm.js';
import { packedPackages } from '../support/packed-packages.js';
import { skip } from '../support/skip.js';

/** The page for newcomers, performed with the archives of the packages, which npm installs with their dependencies. */
const test = suite('the first ten minutes');

const TEN_MINUTES = 600_000;

test('every command on the page prints what is shown', async () => {
  const page = readPage(join(ROOT, 'docs/first-ten-minutes.md'));
  assert.ok(page.installs && page.startsEmpty);
  const shell = openShell(page, 'http://localhost:3000', await packedPrograms());
  assert.equal(await runSteps(page, shell, async () => ['there is no server for requests']), []);
});

for (const { name } of PACKAGES) {
  test(`the page of ${name} on a registry begins with steps that work`, async () => {
    const page = readPage(join(ROOT, 'scripts/packages/readme', `${name}.md`));
    assert.ok(page.installs && page.startsEmpty && page.blocks.length > 2);
    const shell = openShell(page, 'http://localhost:3000', await packedPrograms());
    assert.equal(await runSteps(page, shell, async () => ['there is no server for requests']), []);
  });
}

if (await isRegistryReachable()) test.run();
else skip(import.meta.url, 'the package registry cannot be reached');

/**
 * npm as it is. npx runs what the project has installed, and before that `authzc` from its archive, as
 * docs/install.md describes.
 */
async function packedPrograms(): Promise<ShellPrograms> {
  const archives = packedPackages();
  const archive = archives.find((path) => path.includes(`/${PACKAGE_NAMES.compiler}-`)) ?? '';
  const npm = `exec node "${npmProgram()}"`;
  const npx = [
    'command="$1"',
    'shift',
    '[ -x "node_modules/.bin/$command" ] && exec "node_modules/.bin/$command" "$@"',
    '[ "$command $1" = "authzc init" ] || { echo "$command is not installed"; exit 1; }',
    `${npm} exec --yes --package "${archive}" -- authzc "$@" --packages "${dirname(archive)}"`,
  ].join('\n');
  // The packages of this repository are installed from their archives.
  const words = PACKAGES.map(({ name }, index) => `[ "$word" = ${name} ] && word="${archives[index]}"`);
  const install = ['for word in "$@"; do', 'shift', ...words, 'set -- "$@" "$word"', 'done'];
  return {
    write: (bin) => {
      writeScript(bin, 'npm', [...install, `${npm} "$@"`].join('\n'));
      writeScript(bin, 'npx', npx);
    },
    environment: {
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
    },
    // Outside of the repository, whose packages would be found from below it.
    parent: tmpdir(),
    timeout: TEN_MINUTES,
  };
}
