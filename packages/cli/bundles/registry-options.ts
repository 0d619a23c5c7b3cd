import { type Command, InvalidArgumentError } from 'commander';
import type { OciRegistry } from '../../../server/bundle/oci/registry.js';
import type { CommandContext } from '../context.js';
import { type OciReference, parseOciReference, writeOciReference } from '../../../server/config/oci-reference.js';

/** The command line options of commands that use a registry. */
export interface RegistryOptions {
  /** A `config.json` of docker. */
  readonly dockerConfig?: string;
  readonly username?: string;
  /** The file of the password, or of the token if there is no user name. */
  readonly passwordFile?: string;
  /** CA certificates, in PEM. */
  readonly ca?: string;
  readonly plainHttp?: boolean;
}

/** Adds the options of a registry to a command. */
export function withRegistryOptions(command: Command): Command {
  return command
    .option('--docker-config <file>', 'Docker config.json with credentials; default is the one in $DOCKER_CONFIG')
    .option('--username <name>', 'user name for the registry')
    .option('--password-file <file>', 'file with the password, or with a token if no user name is given')
    .option('--ca <file>', 'CA certificates (PEM) to verify the registry')
    .option('--plain-http', 'connect to the registry without TLS');
}

/** Throws an InvalidArgumentError if an argument is not a reference. */
export function referenceArgument(written: string): OciReference {
  const reference = parseOciReference(written);
  if (reference !== undefined) return reference;
  throw new InvalidArgumentError('It must be oci://HOST/REPOSITORY:TAG, or have @sha256:… instead of the tag.');
}

const LIMITS = { connect: 10_000, idle: 30_000, whole: 300_000, maxSize: 1024 * 1024 * 1024 };

/** Runs work with a repository of a registry. Its errors get the reference. */
export async function withRegistry<T>(
  reference: OciReference,
  actions: 'pull' | 'pull,push',
  { dockerConfig, username, passwordFile, ca, plainHttp = false }: RegistryOptions,
  { env }: Pick<CommandContext, 'env'>,
  work: (registry: OciRegistry, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // The help of the commands does without it.
  const { openRegistry } = await import('../../../server/bundle/oci/open-registry.js');
  const secret = passwordFile === undefined ? undefined : { file: passwordFile };
  const { registry, client } = openRegistry({
    reference,
    actions,
    limits: LIMITS,
    tls: { ca, cert: undefined, key: undefined },
    proxy: { url: undefined, exceptions: undefined },
    credentials:
      username === undefined
        ? { username, password: undefined, token: secret }
        : { username, password: secret, token: undefined },
    oci: { dockerConfig: dockerConfig ?? environmentConfig(env), plainHttp },
  });
  try {
    return await work(registry, new AbortController().signal);
  } catch (error) {
    throw new Error(`${writeOciReference(reference)}: ${(error as Error).message}`);
  } finally {
    await client.close();
  }
}

function environmentConfig(env: NodeJS.ProcessEnv): string | undefined {
  const folder = env['DOCKER_CONFIG'];
  return folder === undefined || folder === '' ? undefined : `${folder}/config.json`;
}
