import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../compiler/compile.js';
import { Source } from '../compiler/diagnostics/source.js';
import { type AccessRequest, type CompiledBundle, createEngine } from '../runtime/engine/index.js';
import { createFactsEngine, type FactsEngine } from '../runtime/facts/index.js';
import { loaded } from '../tests/support/compiled.js';
import { gzippedBytes } from './harness/gzipped-bytes.js';
import { ROOT } from './harness/paths.js';
import { aim, figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Contestant, measure } from './harness/rounds.js';

export const FACTS_TITLE = 'Facts on demand';

/** The policies of albums, by which `authzc` and the documentation show facts. */
const POLICIES = ['album.yaml', 'album_roles.yaml'];

/** The library of facts, without the program of the policies, in bytes with gzip. */
const MOST_BYTES = 25 * 1024;

/** What a decision costs where the caller sends all facts, and where some are not known. */
export async function factsBench(): Promise<Section> {
  const texts = POLICIES.map((name) => new Source(name, readFileSync(join(ROOT, 'policies', name), 'utf8')));
  const policies = (await loaded(compile(texts, undefined, { facts: true }))).policies as CompiledBundle;
  const engine = createEngine(policies);
  const authz = createFactsEngine(policies, {
    sources: [{ of: 'album', provides: Object.keys(TYPES), types: TYPES, load: async () => new Map() }],
  });
  const partial = policies.partial?.(policies.guard, {});
  if (partial === undefined) throw new Error('the policies have no program');
  const whole = requests(() => true);
  const open = requests((name, index) => name.length % 3 !== index % 3);
  const unknown = open.map(
    ({ resource: { attr = {} } }) =>
      new Set(Object.keys(TYPES).flatMap((name) => (name in attr ? [] : [`resource.attr.${name}`]))),
  );
  const at = (index: number): AccessRequest => whole[index] as AccessRequest;
  const contestants: readonly Contestant[] = [
    { name: ENGINE, run: (index) => engine.isAllowed(at(index)) },
    { name: NOW, run: (index) => authz.decideNow(at(index)) },
    {
      name: PARTIAL,
      run: (index) => partial.partial(open[index] as AccessRequest, unknown[index] as ReadonlySet<string>),
    },
    { name: PLAN, run: (index) => engine.plan(planOf(at(index))) },
  ];
  compareAnswers(authz, engine, whole);
  const measured = measure(contestants, whole.length, { passes: 4 });
  const minimum = (name: string): number => measured.find((one) => one.name === name)?.minimum ?? Number.NaN;
  const bytes = await gzippedBytes(join(ROOT, 'runtime', 'facts', 'index.ts'));
  return {
    title: FACTS_TITLE,
    text: [
      'Nanoseconds per decision about albums. `decideNow` with all four attributes sent returns a decision that lists them; `partial` lacks one to three of them.',
      table(
        ['measured', 'ratio', 'minimum ns', 'median ns', 'spread'],
        measured.map((one) => [
          one.name,
          ratio(one.minimum / minimum(ENGINE)),
          figure(one.minimum),
          figure(one.median),
          percent(one.spread),
        ]),
      ),
      `\`authz/facts\` has ${bytes.toLocaleString('en-US')} bytes with gzip, without the program of the policies.`,
      [
        aim('`decideNow` at most 1.05x the time of `isAllowed`', minimum(NOW) / minimum(ENGINE) <= 1.05),
        aim('`partial` in at most 25 µs', minimum(PARTIAL) <= 25_000),
        aim('`authz/facts` in at most 25 KB with gzip', bytes <= MOST_BYTES),
      ].join('\n'),
    ].join('\n\n'),
    failures: [],
  };
}

const ENGINE = 'isAllowed';
const NOW = 'decideNow, all sent';
const PARTIAL = 'partial';
const PLAN = 'plan';

const TYPES = { owner: 'string', status: 'string', visibility: 'string', friends: 'list' } as const;

/** Requests of which some attributes are sent. The same for every run. */
function requests(isSent: (name: string, index: number) => boolean): readonly AccessRequest[] {
  const pick = <Item>(items: readonly Item[], number: number): Item => items[number % items.length] as Item;
  return Array.from({ length: 2_048 }, (_, index) => {
    // Digits of a number that mixes the index, so that the parts of requests vary independently.
    const mixed = Math.imul(index + 1, 2_654_435_761) >>> 8;
    const attr = {
      owner: pick(['ann', 'bob'], mixed),
      status: pick(['OPEN', 'LOCKED'], mixed >> 1),
      visibility: pick(['public', 'friends', 'private'], mixed >> 2),
      friends: [pick(['ann', 'bob'], mixed >> 4)],
    };
    return {
      principal: { id: pick(['ann', 'bob'], mixed >> 5), roles: [pick(['user', 'curator', 'guest:x'], mixed >> 6)] },
      resource: {
        kind: 'album',
        id: String(index),
        attr: Object.fromEntries(Object.entries(attr).filter(([name]) => isSent(name, index))),
      },
      action: pick(['view', 'edit', 'delete', 'comment:create'], mixed >> 8),
    };
  });
}

function planOf({ principal, resource: { kind }, action }: AccessRequest) {
  return { principal, resource: { kind }, actions: [action] };
}

/** A contestant whose decisions differ is not measured. */
function compareAnswers(
  authz: FactsEngine,
  engine: ReturnType<typeof createEngine>,
  requests: readonly AccessRequest[],
): void {
  for (const request of requests)
    if (authz.decideNow(request)?.allowed !== engine.isAllowed(request))
      throw new Error(`decideNow answers otherwise: ${JSON.stringify(request)}`);
}
