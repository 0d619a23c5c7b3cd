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
    .description('compile policies to a single archive file, which can be signed')
    // Flags after the name of a command below it are those of that command.
    .enablePositionalOptions()
    .argument('[dir]', 'policy folder', 'policies')
    .option('--out <file>', 'archive file', 'dist/policies.authzbundle')
    .addOption(
      new Option('--fail-on <severity>', 'minimum severity that fails the build')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .option('--explain', 'include the data that explain needs: the conditions as they were written')
    .option('--facts', 'include what `authz/facts` needs to decide while attributes are unknown')
    .option('--checks-only', 'leave out what plans and strict evaluation need')
    .option('--strict-types', 'report attributes that are missing from the JSON schemas or optional as errors')
    .option('--allow-empty', 'accept a folder without policies; the bundle denies every request')
    .option(
      '--tests [dir]',
      'run the tests in this folder (default: the policy folder), and record their number and coverage',
    )
    .option('--sequence <number>', 'number that increases with each build; servers refuse lower ones', sequence)
    .option('--not-before <time>', 'servers refuse the bundle before this time, or duration from now', timeOption)
    .option(
      '--not-after <time>',
      'servers refuse the bundle after this time, or duration from now, such as 90d',
      timeOption,
    )
    .option('--builder <name>', 'builder of the bundle; default is the URL of the CI job')
    .action(async (directory, options) => {
      const { bundleCommand } = await import('./bundle.js');
      onEnd(await bundleCommand(directory, options, context));
    });

  bundle
    .command('inspect')
    .description('print the manifest of an archive; does not verify signatures')
    .argument('<file>', 'archive')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (file, options) => {
      const { bundleInspectCommand } = await import('./bundle-inspect.js');
      onEnd(bundleInspectCommand(file, options, context));
    });

  bundle
    .command('sign')
    .description('add a signature to an archive')
    .argument('<file>', 'archive')
    .requiredOption('--key <file>', 'private key (PEM): Ed25519, P-256 or P-384')
    .option('--out <file>', 'file for the signed archive; default is the input file')
    .action(async (file, options) => {
      const { bundleSignCommand } = await import('./bundle-sign.js');
      onEnd(await bundleSignCommand(file, options, context));
    });

  bundle
    .command('verify')
    .description('check whether a server that trusts these keys would accept an archive; exits with 0 or 1')
    .argument('<file>', 'archive')
    .requiredOption('--key <file>', 'public keys (PEM) or a JWK set; repeatable', collect)
    .option('--required <number>', 'number of keys that must have signed', required, 1)
    .option('--max-age <duration>', 'ignore signatures that are older than this', durationOption)
    .action(async (file, options) => {
      const { bundleVerifyCommand } = await import('./bundle-verify.js');
      onEnd(await bundleVerifyCommand(file, options, context));
    });

  withRegistryOptions(
    bundle
      .command('push')
      .description('upload an archive to an OCI registry; prints the reference with its digest')
      .argument('<reference>', 'oci://HOST/REPOSITORY:TAG', referenceArgument)
      .argument('<file>', 'archive'),
  ).action(async (reference, file, options) => {
    const { bundlePushCommand } = await import('./bundle-push.js');
    onEnd(await bundlePushCommand(reference, file, options, context));
  });

  withRegistryOptions(
    bundle
      .command('pull')
      .description('download an archive and its attached signatures from an OCI registry')
      .argument('<reference>', 'oci://HOST/REPOSITORY:TAG or @sha256:…', referenceArgument)
      .argument('<file>', 'archive file'),
  ).action(async (reference, file, options) => {
    const { bundlePullCommand } = await import('./bundle-pull.js');
    onEnd(await bundlePullCommand(reference, file, options, context));
  });

  withRegistryOptions(
    bundle
      .command('attach')
      .description('attach the signatures of a local archive to the same archive in an OCI registry')
      .argument('<reference>', 'oci://HOST/REPOSITORY:TAG or @sha256:…', referenceArgument)
      .argument('<file>', 'signed archive'),
  ).action(async (reference, file, options) => {
    const { bundleAttachCommand } = await import('./bundle-push.js');
    onEnd(await bundleAttachCommand(reference, file, options, context));
  });

  bundle
    .command('keygen')
    .description('create a key pair: NAME.key.pem and NAME.pub.pem')
    .argument('<name>', 'path of the key files, without `.key.pem` and `.pub.pem`')
    .addOption(new Option('--type <type>', 'key type').choices(['ed25519', 'p256', 'p384']).default('ed25519'))
    .action(async (name, options) => {
      const { bundleKeygenCommand } = await import('./bundle-keygen.js');
      onEnd(await bundleKeygenCommand(name, options, context));
    });
}

function sequence(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It must be an integer from 0 to 9007199254740991.');
}

function required(text: string): number {
  if (/^(?:[1-9]|1[0-6])$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1 to 16.');
}
