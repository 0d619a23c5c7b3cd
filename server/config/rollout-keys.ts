import { type ConfigKey, used } from './key.js';
import { duration, integer, oneOf, path, refuse, text, type ValueType } from './value-types.js';

/** A fraction. */
const fraction: ValueType<number> = {
  read: (node, key) => {
    const written = node.kind === 'scalar' ? node.value : undefined;
    const value = /^(?:0|1|0\.\d{1,9}|1\.0+)$/.test(String(written)) ? Number(written) : Number.NaN;
    return value <= 1 ? value : refuse(node, key, 'a number from 0 to 1');
  },
  write: (value) => value,
  words: 'number from 0 to 1',
  schema: { type: 'number', minimum: 0, maximum: 1 },
};

/** The keys of rollouts (docs/rollout.md). */
export const rolloutKeys = {
  'bundle.minWait': used(
    duration(),
    2000,
    'how long a call waits for the bundle that it demands with `authz-min-bundle`',
  ),
  'bundle.rollout.candidate': used<string | undefined>(
    path,
    undefined,
    'bundle file to try beside the current one ([rollout](rollout.md)); reloaded like the bundle',
  ),
  'bundle.rollout.stage': used(
    oneOf('shadow', 'canary'),
    'shadow',
    'how each new candidate begins: it decides beside, and differences are reported (`shadow`), or it decides for ' +
      '`percent` of the principals (`canary`)',
  ),
  'bundle.rollout.percent': used(
    integer(0, 100),
    0,
    'share of the principals for whom the candidate decides in stage `canary`, from 0 to 100',
  ),
  'bundle.rollout.id': used(
    text,
    '',
    'what principals are hashed with: the same id always chooses the same principals; the hash of the candidate if empty',
  ),
  'bundle.rollout.rate': used(fraction, 0.1, 'share of calls that the candidate decides in stage `shadow`'),
  'bundle.rollout.log': used<string | undefined>(
    path,
    undefined,
    'file for a sample of the differences, as JSON lines for `authzc replay`; the log of the server if not set',
  ),
} as const satisfies { readonly [path: string]: ConfigKey };
