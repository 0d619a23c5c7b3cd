import * as v from 'valibot';
import { auditKeys } from './audit-keys.js';
import { bundleKeys } from './bundle-keys.js';
import { keySets } from './key-sets.js';
import {
  type ForeignKey,
  ignored,
  isSection,
  key,
  optionalKey,
  quiet,
  refused,
  type Section,
  section,
  type UsedKey,
  usedKey,
} from './section.js';
import { serverKeys } from './server-keys.js';
import { sourcesKeys } from './sources-keys.js';
import { tenantsKeys } from './tenants.js';
import { bool, duration, globals, integer, name, pickOne, text } from './value-types.js';

const MEBI = 1024 * 1024;

const IN_THE_BUNDLE = 'policies are compiled into the bundle';

/** `'null'` in quotes is the former word; without quotes it is YAML's null, which sets nothing. */
const missingWord = v.pipe(
  v.unknown(),
  v.transform((written) => (written === 'null' ? 'nulls' : written)),
  pickOne('has', 'nulls'),
);

const engineKeys = section(
  {
    defaultPolicyVersion: key(name, 'default', 'policy version of requests without one'),
    defaultScope: key(text, '', 'scope of requests without one'),
    lenientScopeSearch: key(
      bool,
      false,
      'if the requested scope has no policy, use the nearest parent scope that has one',
    ),
    globals: key(globals, {}, 'values that conditions read as `globals`'),
    strictEvaluation: key(bool, false, 'deny the action if a condition cannot be evaluated'),
    plan: section({
      referenceShapes: key(
        bool,
        false,
        'write plans in the shapes that Cerbos returns, for adapters that expect them; in strict evaluation, only ' +
          'shapes with the same meaning',
      ),
      missing: key(
        missingWord,
        'has',
        'how plans say that an attribute is missing: with the operators `has` and `unless`, or with `nulls`, for adapters ' +
          'that lack these operators and programs that leave out attributes whose column is NULL',
      ),
    }),
    limits: section({
      evaluationCost: key(
        integer(1000, Number.MAX_SAFE_INTEGER),
        50_000_000,
        'maximum cost of the conditions of one call, in steps of about ten nanoseconds: elements that macros and ' +
          'list functions visit, bytes that are read and created, and outputs, once for each role of the principal; calls ' +
          'that exceed it fail with 429 / RESOURCE_EXHAUSTED',
      ),
      evaluationMemory: key(
        integer(MEBI, 1024 * MEBI),
        100 * MEBI,
        'maximum memory, in bytes, of the values that conditions create, for each resource of a check; calls that ' +
          'exceed it fail with 429 / RESOURCE_EXHAUSTED',
      ),
    }),
    celErrorLogLevel: key(
      pickOne('none', 'debug', 'info', 'warn', 'error'),
      'warn',
      'log level for conditions that cannot be evaluated',
    ),
  },
  {
    policyLoaderTimeout: ignored(IN_THE_BUNDLE, duration()),
    numWorkers: ignored('`server.workers` sets the number of processes'),
  },
);

/** Every key of a configuration file (docs/spec/server.md#configuration). Any other key is an error at start. */
export const CONFIGURATION = section({
  server: serverKeys,
  bundle: bundleKeys,
  engine: engineKeys,
  auxData: section({
    jwt: section(
      {
        keySets: key(keySets, [], 'keys that verify tokens'),
        disableVerification: key(
          bool,
          false,
          'do not verify signatures; only for callers that have verified the tokens',
        ),
        acceptableTimeSkew: key(duration(), '0s', 'allowed clock skew for `exp`, `nbf` and `iat`'),
      },
      { cacheSize: ignored('verified tokens are not cached') },
    ),
  }),
  schema: section(
    {
      enforcement: key(
        pickOne('none', 'warn', 'reject'),
        'none',
        'whether violations of JSON schemas are reported (`warn`) or also deny (`reject`)',
      ),
    },
    { cacheSize: ignored('schemas are compiled into the bundle') },
  ),
  tenants: tenantsKeys,
  sources: sourcesKeys,
  audit: auditKeys,
  storage: section(
    {
      disk: section(
        {
          directory: optionalKey(name, 'folder of policies that `authzc serve` compiles; `policies` if not set'),
          watchForChanges: key(
            bool,
            false,
            'compile again when a policy changes, as `authzc serve --watch`; for a bundle, see `server.watchBundle`',
          ),
        },
        { scratchDir: ignored('no scratch space is needed') },
      ),
    },
    { driver: ignored(IN_THE_BUNDLE, text, (value) => value === 'disk'), '*': ignored(IN_THE_BUNDLE) },
  ),
  compile: section({}, { '*': ignored(IN_THE_BUNDLE) }),
  telemetry: section(
    {},
    { disabled: refused('authz sends no telemetry', bool, (value) => value === true), '*': quiet },
  ),
  vocabulary: section({}, { '*': quiet }),
  hub: section({}, { '*': ignored('authz has no such service') }),
  tracing: section({}, { '*': ignored('configure traces with the environment variables of OpenTelemetry') }),
});

/** The value of every key that the server reads, in the blocks of a file. */
export type Settings = v.InferOutput<typeof CONFIGURATION>;

/** The path of a key that the server reads. */
export type KeyPath = PathOf<typeof CONFIGURATION>;

type PathOf<S> =
  S extends Section<infer E>
    ? { [K in keyof E & string]: E[K] extends Section ? `${K}.${PathOf<E[K]>}` : K }[keyof E & string]
    : never;

/** What the server makes of a key. */
export type ConfigKey = UsedKey | ForeignKey;

/** Every key by its path. A path that ends in `.*` covers every key below it that is not named. */
export const KEYS: { readonly [path: string]: ConfigKey } = Object.fromEntries(listKeys(CONFIGURATION, ''));

function* listKeys({ entries, foreign }: Section, block: string): Iterable<readonly [string, ConfigKey]> {
  for (const [name, key] of Object.entries(foreign)) if (name !== '*') yield [block + name, key];
  for (const [name, entry] of Object.entries(entries)) {
    if (isSection(entry as v.GenericSchema)) yield* listKeys(entry as Section, `${block}${name}.`);
    else yield [block + name, usedKey(entry as v.GenericSchema)];
  }
  if (foreign['*'] !== undefined) yield [`${block}*`, foreign['*']];
}
