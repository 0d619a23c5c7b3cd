import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { readLinked } from '../../../server/audit/chain/link.js';
import { type Checkpoint, ChainVerifier, type Problem, type Verification } from '../audit/chain-verifier.js';
import { linesOfLog } from '../audit/log-lines.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { InputError, MissingError } from '../report.js';
import { explainReadError } from '../../../server/read-error.js';

/** The command line options of `authzc audit verify`. */
export interface AuditVerifyOptions {
  readonly key: readonly string[];
  readonly checkpoint: readonly string[];
  readonly partial?: boolean;
  readonly reformatted?: boolean;
  readonly output: 'pretty' | 'json';
}

/**
 * `authzc audit verify` (docs/audit.md): verifies the chains of logs. Returns the exit code: no problem, problems, logs
 * that cannot be read.
 */
export async function auditVerify(
  logs: readonly string[],
  options: AuditVerifyOptions,
  context: CommandContext,
): Promise<number> {
  const verification = await verified(logs, options, context);
  context.stdout.write(options.output === 'json' ? `${visibleJson(verification, 2)}\n` : pretty(verification));
  return verification.problems.length > 0 ? EXIT.failed : EXIT.done;
}

async function verified(
  logs: readonly string[],
  { key, checkpoint, partial = false, reformatted = false }: AuditVerifyOptions,
  context: CommandContext,
): Promise<Verification> {
  const verifier = new ChainVerifier({
    isPartial: partial,
    isReformatted: reformatted,
    keys: key.map(readKey),
    checkpoints: checkpoint.flatMap(readCheckpoints),
  });
  for (const log of await inOrder(logs, context)) {
    let line = 0;
    for await (const text of linesOfLog(log, context, 'written')) {
      line += 1;
      verifier.add(text, `${log}:${line}`);
    }
  }
  return verifier.end();
}

/** Logs of a chain in the order of their first entries; a shell lists names in another order. */
async function inOrder(logs: readonly string[], context: CommandContext): Promise<readonly string[]> {
  if (logs.length === 1 || logs.includes('-')) return logs;
  const chains = new Map<string, { readonly log: string; readonly sequence: number }[]>();
  for (const [index, log] of logs.entries()) {
    const first = await firstPlace(log, context);
    // A log without an entry stays where it is.
    const id = first?.id ?? `log ${index}`;
    const others = chains.get(id) ?? [];
    others.push({ log, sequence: first?.sequence ?? 0 });
    chains.set(id, others);
  }
  return [...chains.values()].flatMap((group) =>
    group.toSorted((a, b) => a.sequence - b.sequence).map(({ log }) => log),
  );
}

/** So many lines at the beginning of a log are looked at. */
const MAX_LOOKED_AT = 100;

async function firstPlace(
  log: string,
  context: CommandContext,
): Promise<{ readonly id: string; readonly sequence: number } | undefined> {
  let looked = 0;
  for await (const text of linesOfLog(log, context, 'written')) {
    try {
      const linked = text === undefined ? undefined : readLinked(text);
      if (linked !== undefined) return linked.place;
    } catch {
      // The verification reports it.
    }
    looked += 1;
    if (looked === MAX_LOOKED_AT) return undefined;
  }
  return undefined;
}

function readKey(path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_') === false)
      throw new MissingError(`the key cannot be read: ${explainReadError(error)}`, undefined, [], path);
    throw new InputError('the key cannot be read: it is not a public key in PEM', undefined, [], path);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new InputError('the key is not an Ed25519 key', undefined, [], path);
}

/** The state file of a chain, or the output of an earlier verification. */
function readCheckpoints(path: string): readonly Checkpoint[] {
  try {
    const value = JSON.parse(new TextDecoder().decode(readFileSync(path))) as {
      readonly id?: unknown;
      readonly written?: { readonly sequence: number; readonly hash: string };
      readonly chains?: readonly Checkpoint[];
    };
    const found = value.chains ?? [{ id: value.id, ...value.written }];
    // A chain that has no entry yet requires none.
    return found.map(readCheckpoint).filter(({ sequence }) => sequence > 0);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined)
      throw new MissingError(`the checkpoints cannot be read: ${explainReadError(error)}`, undefined, [], path);
    const reason = 'it is neither a state file nor the JSON output of a verification';
    throw new InputError(`the checkpoints cannot be read: ${reason}`, undefined, [], path);
  }
}

function readCheckpoint(value: unknown): Checkpoint {
  const { id, sequence, hash } = value as { readonly [member: string]: unknown };
  if (typeof id !== 'string' || typeof sequence !== 'number' || typeof hash !== 'string')
    throw new Error('not a checkpoint');
  return { id, sequence, hash };
}

function pretty({ chains, problems, omitted, unchained, torn }: Verification): string {
  const entries = chains.reduce((sum, chain) => sum + chain.entries, 0);
  const lost = chains.reduce((sum, chain) => sum + chain.lost, 0);
  const found = problems.length + omitted;
  const notes = [
    ...(unchained > 0 ? [`${counted(unchained, 'line')} before the first entry of a chain`] : []),
    ...(torn > 0 ? [`${counted(torn, 'line')} torn when a server was killed`] : []),
    ...(lost > 0 ? [`${counted(lost, 'entry', 'entries')} that the server could not write, according to the log`] : []),
  ];
  return [
    ...problems.map(problemLine),
    ...(omitted > 0 ? [`and ${omitted} more`] : []),
    ...notes.map((note) => `note: ${note}`),
    `${found === 0 ? 'no problem' : counted(found, 'problem')} in ${counted(entries, 'entry', 'entries')} of ${counted(chains.length, 'chain')}`,
    '',
  ].join('\n');
}

function problemLine({ kind, place, message }: Problem): string {
  return visible(`${place === undefined ? '' : `${place}: `}${kind}: ${message}`);
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
