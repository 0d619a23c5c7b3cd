import { type Command, InvalidArgumentError, Option } from 'commander';
import { referenceArgument, withRegistryOptions } from '../bundles/registry-options.js';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { durationOption, timeOption } from '../bundles/time-option.js';
import { collect } from '../option-values.js';

/** Adds `authzc bundle` and the commands below it. */
export function addBundleCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
  const bundle = program
    .command('bundle')
    .description('compile a folder of policies to one file, an archive that can be signed')
    // Flags after the name of a command below it are those of that command.
    .enablePositionalOptions()
    .argument('[dir]', 'the folder of the policies', 'policies')
    .option('-o, --output <file>', 'the file of the archive', 'dist/policies.authzbundle')
    .addOption(
      new Option('--fail-on <severity>', 'minimum severity that fails the build')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .option('--explain', 'add what explains decisions: the conditions as they were written')
    .option('--checks-only', 'leave out what plans and strict evaluation need')
    .option('--strict-types', 'report attributes that are not in the JSON schemas, or that may be missing, as errors')
    .option('--allow-empty', 'bundle a folder without policies; it denies everything')
    .option('--tests [dir]', 'run the tests, and record their number and coverage; default is the folder of policies')
    .option('--sequence <number>', 'a number that increases with each build: servers refuse to go back', sequence)
    .option('--not-before <time>', 'refuse the bundle before this time, or duration from now', timeOption)
    .option('--not-after <time>', 'refuse the bundle after this time, or duration from now, such as 90d', timeOption)
    .option('--builder <name>', 'who builds it; default is the URL of the CI job, if there is one')
    .action(async (directory, options) => {
      const { bundleCommand } = await import('./bundle.js');
      onEnd(await bundleCommand(directory, options, context));
    });

  bundle
    .command('inspect')
    .description('print what an archive says about its bundle; verifies no signature')
    .argument('<file>', 'the archive')
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json']).default('text'))
    .action(async (file, options) => {
      const { bundleInspectCommand } = await import('./bundle-inspect.js');
      onEnd(bundleInspectCommand(file, options, context));
    });

  bundle
    .command('sign')
    .description('add a signature to an archive')
    .argument('<file>', 'the archive')
    .requiredOption('--key <file>', 'the private key in PEM: Ed25519, P-256 or P-384')
    .option('-o, --output <file>', 'the file of the signed archive; default is the same file')
    .action(async (file, options) => {
      const { bundleSignCommand } = await import('./bundle-sign.js');
      onEnd(await bundleSignCommand(file, options, context));
    });

  bundle
    .command('verify')
    .description('check whether a server that trusts these keys accepts an archive: exit code 0 if it does, 1 if not')
    .argument('<file>', 'the archive')
    .requiredOption('--key <file>', 'public keys in PEM, or a JWK set; repeatable', collect)
    .option('--required <number>', 'how many of the keys must have signed', required, 1)
    .option('--max-age <duration>', 'signatures that are older do not count', durationOption)
    .action(async (file, options) => {
      const { bundleVerifyCommand } = await import('./bundle-verify.js');
      onEnd(await bundleVerifyCommand(file, options, context));
    });

  withRegistryOptions(
    bundle
      .command('push')
      .description('upload an archive to an OCI registry; prints the reference with its digest')
      .argument('<reference>', 'oci://HOST/REPOSITORY:TAG', referenceArgument)
      .argument('<file>', 'the archive'),
  ).action(async (reference, file, options) => {
    const { bundlePushCommand } = await import('./bundle-push.js');
    onEnd(await bundlePushCommand(reference, file, options, context));
  });

  withRegistryOptions(
    bundle
      .command('pull')
      .description('download an archive from an OCI registry, with the signatures that are attached to it')
      .argument('<reference>', 'oci://HOST/REPOSITORY:TAG or @sha256:…', referenceArgument)
      .argument('<file>', 'the file of the archive'),
  ).action(async (reference, file, options) => {
    const { bundlePullCommand } = await import('./bundle-pull.js');
    onEnd(await bundlePullCommand(reference, file, options, context));
  });

  withRegistryOptions(
    bundle
      .command('attach')
      .description('attach the signatures of an archive to the same archive in an OCI registry')
      .argument('<reference>', 'oci://HOST/REPOSITORY:TAG or @sha256:…', referenceArgument)
      .argument('<file>', 'the signed archive'),
  ).action(async (reference, file, options) => {
    const { bundleAttachCommand } = await import('./bundle-push.js');
    onEnd(await bundleAttachCommand(reference, file, options, context));
  });

  bundle
    .command('keygen')
    .description('create a key pair: NAME.key.pem and NAME.pub.pem')
    .argument('<name>', 'the path of the files, without `.key.pem` and `.pub.pem`')
    .addOption(new Option('--type <type>', 'type of the keys').choices(['ed25519', 'p256', 'p384']).default('ed25519'))
    .action(async (name, options) => {
      const { bundleKeygenCommand } = await import('./bundle-keygen.js');
      onEnd(await bundleKeygenCommand(name, options, context));
    });
}

function sequence(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It is an integer from 0 to 9007199254740991.');
}

function required(text: string): number {
  if (/^(?:[1-9]|1[0-6])$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number from 1 to 16.');
}
