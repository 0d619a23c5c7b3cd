import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleCall, sampleCheck } from '../../tests/support/audit/samples.js';
import { Random } from '../../tests/support/oracle/random.js';
import { rounds } from '../../tests/support/effort.js';
import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import type { Checked } from '../service/watcher.js';
import type { ReadSet } from '../../runtime/policy/index.js';
import { factName, type FactRoot } from '../../runtime/facts/fact-names.js';
import { checkEntry } from './entry.js';
import type { AuditEntry, DecisionDetails } from './entry.js';
import { entryText } from './entry-text.js';
import { metadataRules } from './metadata-rules.js';
import { askOncePerKind, type FindReadSets, keepReadSets } from './read-set.js';

/*
 * Entries of batches: what is made once for many resources is as if it were made for each.
 */

const context = { metadata: metadataRules([], []), policySource: { embeddedPdp: { bundleHash: 'abc' } } };

const NAMES = ['a', 'b', 'x y', '__proto__', '1', 'toJSON', 'é"'];
const SCALARS = ['', 'x', '\u2028"\\', '\ud800', 'y'.repeat(120), null, true, -0, 1.5, Number.NaN];
const ROOTS = [['principal', 'attr'], ['resource', 'attr'], ['resource', 'attr'], ['auxData', 'jwt'], ['resource'], []];

type Attr = { readonly [name: string]: unknown };

/** What is asked about one resource, and decided. */
interface Asked {
  readonly resource: Checked['resources'][number]['resource'];
  readonly decision: Checked['decisions'][number];
  readonly errors: DecisionDetails['evaluationErrors'][number];
}

interface Batch {
  readonly principal: Attr;
  readonly jwt: Attr;
  readonly requestId: string;
  readonly asked: readonly Asked[];
  readonly readByKind: { readonly [kind: string]: ReadSet['paths'] };
}

/** Makes batches that are the same for the same seed. */
class Batches {
  private readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  next(): Batch {
    return {
      principal: this.attributes(2),
      jwt: this.attributes(2),
      requestId: this.random.pick(['', 'req-1']),
      // Some with more distinct lists than are compared with each other.
      asked: this.random.times(0, this.random.pick([6, 6, 30]), () => this.asked()),
      readByKind: {
        album: this.random.times(0, 5, () => this.path()),
        photo: this.random.times(0, 5, () => this.path()),
      },
    };
  }

  private asked(): Asked {
    const [kind, policyVersion] = [this.random.pick(['album', 'photo']), this.random.pick(['', 'v1'])];
    const [id, scope] = [this.random.pick(['', 'a1']), this.random.pick(['', 's'])];
    const actions = this.random.times(0, 3, () => ({
      action: this.random.pick(['view', 'edit', '__proto__']),
      effect: this.random.pick([1, 2] as const),
      matchedPolicy: this.random.pick(['', 'p', 'q']),
      matchedScope: this.random.pick(['', 's']),
    }));
    const effectiveDerivedRoles = this.random.times(0, 2, () => this.random.pick(['r1', 'r2']));
    return {
      resource: { kind, policyVersion, id, attr: this.attributes(3) as never, scope },
      decision: { actions, effectiveDerivedRoles, outputs: [], validationErrors: [] },
      errors: this.random.times(0, 1, () => ({ celError: { expression: this.random.pick(NAMES), message: 'é"' } })),
    };
  }

  private path(): ReadSet['paths'][number] {
    const path = [...this.random.pick(ROOTS), ...this.random.times(0, 3, () => this.random.pick([...NAMES, '*']))];
    return { path, leaf: this.random.pick(['value', 'shape', 'has']), lines: [] };
  }

  private attributes(depth: number): Attr {
    return Object.fromEntries(this.random.times(0, 5, () => [this.random.pick(NAMES), this.value(depth - 1)]));
  }

  private value(depth: number): unknown {
    const choice = this.random.below(depth > 0 ? 4 : 2);
    if (choice < 2) return this.random.pick(SCALARS);
    return choice === 2 ? this.random.times(0, 4, () => this.value(depth - 1)) : this.attributes(depth);
  }
}

function entryOf({ principal, jwt, requestId }: Batch, asked: readonly Asked[]): DecisionLogEntry {
  const checked = sampleCheck(
    {
      requestId,
      auxData: { jwt: jwt as never, jwts: {} },
      resources: asked.map(({ resource, decision }) => ({
        resource,
        actions: decision.actions.map(({ action }) => action),
      })),
      decisions: asked.map(({ decision }) => decision),
    },
    principal as never,
  );
  const details = { evaluationErrors: asked.map(({ errors }) => errors), effectivePolicies: {} };
  return checkEntry(sampleCall(), checked, details, context, 0);
}

/** Read sets that nothing has been prepared of. */
function readSetsOf({ readByKind }: Batch): FindReadSets {
  const sets: { readonly [kind: string]: ReadSet } = Object.fromEntries(
    Object.entries(readByKind).map(([kind, paths]) => [
      kind,
      { paths, facts: new Set<string>(), now: false, whole: [] },
    ]),
  );
  return ({ resource }) => [sets[resource.kind] as ReadSet];
}

function forEachBatch(check: (one: Batch) => void): void {
  const batches = new Batches(44);
  for (let round = 0; round < rounds(3000); round += 1) check(batches.next());
}

test('the text of an entry is that of JSON.stringify', () => {
  forEachBatch((one) => {
    const entry = entryOf(one, one.asked);
    const entries: readonly AuditEntry[] = [
      entry,
      keepReadSets(entry, readSetsOf(one)),
      keepReadSets(entry, undefined),
    ];
    for (const each of entries) assert.is(entryText(each), JSON.stringify(each));
  });
});

test('an entry of a batch has what entries of its resources have', () => {
  forEachBatch((one) => {
    const entry = keepReadSets(entryOf(one, one.asked), askOncePerKind(readSetsOf(one)));
    const alone = one.asked.map((asked) => keepReadSets(entryOf(one, [asked]), readSetsOf(one)));
    const together = {
      inputs: alone.flatMap(({ checkResources }) => checkResources?.inputs ?? []),
      outputs: alone.flatMap(({ checkResources }) => checkResources?.outputs ?? []),
    };
    assert.is(JSON.stringify(entry.checkResources), JSON.stringify(together));
    assert.is(JSON.stringify(entry.facts?.inputs), JSON.stringify(alone.flatMap(({ facts }) => facts?.inputs ?? [])));
  });
});

test('an entry names the attributes that are read and that a request lacks', () => {
  forEachBatch((one) => {
    const entry = keepReadSets(entryOf(one, one.asked), askOncePerKind(readSetsOf(one)));
    const named = entry.facts?.inputs?.map(({ absent }) => absent ?? []);
    const lacking = one.asked.map(({ resource: { kind, attr } }) =>
      Object.entries({ principal: { attr: one.principal }, resource: { attr }, auxData: { jwt: one.jwt } }).flatMap(
        ([part, sides]) => lackingOf(one.readByKind[kind] ?? [], part, sides),
      ),
    );
    assert.equal(
      named,
      lacking.map((facts) => facts.sort()),
    );
  });
});

/** The facts of a part of a request that paths read and that it lacks; `*` if all of a side are read, or which there are. */
function lackingOf(paths: ReadSet['paths'], part: string, sides: { readonly [side: string]: Attr }): readonly string[] {
  const [[side = '', attributes = {}] = []] = Object.entries(sides);
  const own = paths.filter(({ path: [first = part, second = side] }) => first === part && second === side);
  const isAll = own.some(({ path, leaf }) =>
    path.length > 2 ? path[2] === '*' : leaf === 'value' || (leaf === 'shape' && path.length === 2),
  );
  if (isAll) return [`${part}.${side}.*`];
  const names = own.flatMap(({ path }) => path[2] ?? []);
  const root = `${part}.${side}` as FactRoot;
  return [...new Set(names)].filter((name) => !Object.hasOwn(attributes, name)).map((name) => factName(root, name));
}

test('what decisions read is asked for again where kind, place, principal or actions differ', () => {
  const asked: string[] = [];
  const find = askOncePerKind(({ resource, actions }) => {
    asked.push([resource.kind, resource.scope, resource.policyVersion, ...(actions ?? [])].join(' '));
    return [];
  });
  const principal = { id: 'ann' };
  const actions = ['view'];
  const input = { resource: { kind: 'album', scope: 's', policyVersion: 'v' }, principal, actions };
  for (const change of [
    {},
    { actions: ['view'] },
    { actions: ['edit'] },
    { actions: ['edit', 'view'] },
    { resource: { ...input.resource, kind: 'photo' } },
    { resource: { ...input.resource, scope: 't' } },
    { resource: { ...input.resource, policyVersion: 'w' } },
    { principal: { id: 'ann' } },
  ])
    find({ ...input, ...change });
  assert.equal(asked, [
    'album s v view',
    'album s v edit',
    'album s v edit view',
    'photo s v view',
    'album t v view',
    'album s w view',
    'album s v view',
  ]);
});

test.run();
