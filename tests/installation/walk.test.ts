import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { ROOT } from '../support/compiled.js';
import { readPage } from '../support/docs/blocks.js';
import { openShell, type ShellPrograms, writeScript } from '../support/docs/shell-blocks.js';
import { runSteps } from '../support/docs/steps.js';
import { isRegistryReachable, npmProgram } from '../support/npm.js';
import { packedPackages, unpackedPackages } from '../support/packed-packages.js';
import { skip } from '../support/skip.js';

/*
 * The page for newcomers, performed with the archives of the packages, which npm installs with their dependencies. The pages
 * of the packages are performed with unpacked archives: installed-packages.test.ts installs each archive with npm.
 */
const test = suite('the first ten minutes');

const TEN_MINUTES = 600_000;

test('every command on the page prints what is shown', async () => {
  const page = readPage(join(ROOT, 'docs/first-ten-minutes.md'));
  assert.ok(page.installs && page.startsEmpty);
  const shell = openShell(page, 'http://localhost:3000', packedPrograms());
  assert.equal(await runSteps(page, shell, async () => ['there is no server for requests']), []);
});

for (const { name } of PACKAGES) {
  test(`the page of ${name} on a registry begins with steps that work`, async () => {
    const page = readPage(join(ROOT, 'scripts/packages/readme', `${name}.md`));
    assert.ok(page.installs && page.startsEmpty && page.blocks.length > 2);
    const shell = openShell(page, 'http://localhost:3000', unpackedPrograms());
    assert.equal(await runSteps(page, shell, async () => ['there is no server for requests']), []);
  });
}

if (await isRegistryReachable()) test.run();
else skip(import.meta.url, 'the package registry cannot be reached');

/**
 * npm as it is. npx runs what the project has installed, and before that `authzc init` from its unpacked archive, with
 * the archives that docs/install.md describes.
 */
function packedPrograms(): ShellPrograms {
  const archives = packedPackages();
  const npm = `exec node "${npmProgram()}"`;
  const init = [
    '[ "$command $1" = "authzc init" ] || { echo "$command is not installed"; exit 1; }',
    `exec node "${join(unpackedPackages(), 'authzc/dist/authzc.js')}" "$@" --packages "${dirname(archives[0] ?? '')}"`,
  ];
  // The packages of this repository are installed from their archives.
  const words = PACKAGES.map(({ name }, index) => `[ "$word" = ${name} ] && word="${archives[index]}"`);
  const install = ['for word in "$@"; do', 'shift', ...words, 'set -- "$@" "$word"', 'done'];
  return programs([...install, `${npm} "$@"`], init);
}

/** npm that links the unpacked packages into a project, and nothing else. npx runs what the project has. */
function unpackedPrograms(): ShellPrograms {
  const install = PACKAGES.flatMap(({ name, bin = {} }) => [
    `case " $* " in *" ${name} "*)`,
    `ln -s "${join(unpackedPackages(), name)}" node_modules/${name}`,
    ...Object.entries(bin).map(
      ([command, program]) => `ln -s ../${name}/dist/${program}.js node_modules/.bin/${command}`,
    ),
    ';; esac',
  ]);
  const npm = [
    '[ "$1" = install ] || { echo "only npm install"; exit 1; }',
    "[ -e package.json ] || echo '{}' > package.json",
    'mkdir -p node_modules/.bin',
    ...install,
  ];
  return programs(npm, ['echo "$command is not installed"', 'exit 1']);
}

/** @param otherwise what npx does with a command that is not installed, which is in `$command`. */
function programs(npm: readonly string[], otherwise: readonly string[]): ShellPrograms {
  const npx = [
    'command="$1"',
    'shift',
    '[ -x "node_modules/.bin/$command" ] && exec "node_modules/.bin/$command" "$@"',
    ...otherwise,
  ];
  return {
    write: (bin) => {
      writeScript(bin, 'npm', npm.join('\n'));
      writeScript(bin, 'npx', npx.join('\n'));
    },
    environment: {
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
    },
    areCalled: false,
    // Outside of the repository, whose packages would be found from below it.
    parent: tmpdir(),
    timeout: TEN_MINUTES,
  };
}
