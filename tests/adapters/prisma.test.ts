import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ColumnReport, type ConformanceReport, ROWS } from '../../packages/adapters/conformance/index.js';
import { prismaAdapter } from '../../packages/adapters/prisma/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { Random } from '../support/oracle/random.js';
import { bundleWithClient, generateClient, PRISMA } from '../support/prisma-client.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { type Composition, compositionsOf, holds } from './compositions.js';
import { randomTypedAttributes } from './random-conditions.js';
import { noteMapping } from './prisma-mapping.js';
import { typeQuestions, type TypeAnswers, typesSchema } from './prisma-types.js';
import { compared, type RandomPlan, randomPlans, type StoredRow } from './random-plans.js';
import { rounds } from '../support/effort.js';

const test = suite('adapter for Prisma');

const schemaOf = (provider: 'postgresql' | 'sqlite'): string => `generator client {
  provider = "prisma-client"
  output   = "client"
}
datasource db {
  provider = "${provider}"
}
model Note {
  id     String   @id
  owner  String?
  status String?
  amount Int?
  price  Float?
  shared Boolean?
  touched Int?
  tags   ${provider === 'sqlite' ? 'Tag[]' : 'String[]'}
  home   Home?
  shares Share[]
}
model Home {
  id     Int     @id
  city   String?
  size   Int?
  live   Boolean?
  noteId String  @unique
  note   Note    @relation(fields: [noteId], references: [id])
}
model Share {
  id     Int     @id
  user   String
  role   String?
  deleted Int?
  noteId String
  note   Note    @relation(fields: [noteId], references: [id])
}
${
  provider === 'sqlite'
    ? `model Tag {
  id     Int    @id
  value  String
  noteId String
  note   Note   @relation(fields: [noteId], references: [id])
}`
    : ''
}
${typesSchema(provider)}`;

/** The number of random compositions. */
const COMPOSITIONS = rounds(60, 20);

interface Answers {
  readonly kit: ConformanceReport;
  readonly answers: Answer[];
  readonly compositions: readonly {
    readonly where: object;
    readonly ids: readonly string[];
    readonly count: number;
    readonly updated?: number;
    readonly touched?: readonly string[];
    readonly deleted?: number;
  }[];
  readonly ways: readonly {
    readonly plan: number;
    readonly where: object;
    readonly and: { readonly [way: string]: readonly string[] };
    readonly ofRecord: { readonly [way: string]: object | null };
    readonly related: { readonly [way: string]: readonly string[] };
  }[];
  readonly raw: {
    readonly cans: readonly { readonly id: string; readonly [column: string]: unknown }[];
    /** The ids that a mask by each plan shows, as a column and in a source. */
    readonly shown: readonly (readonly (readonly string[])[])[];
    readonly marked: { readonly isKept: boolean; readonly count: number; readonly asked: number };
  };
  /** The facts of each record. */
  readonly facts: readonly Attributes[];
  /** How many records each attribute alone selects where all are allowed, and where none is. */
  readonly constants: readonly {
    readonly name: string;
    readonly where: object;
    readonly isAllowed: boolean;
    readonly counts: { readonly [way: string]: number };
  }[];
  readonly typed: { readonly found: TypeAnswers; readonly kit: ColumnReport };
}
type Answer = { readonly ids: readonly string[] } | { readonly failed: string } | { readonly refused: string };

for (const provider of ['postgresql', 'sqlite'] as const)
  test(`a where object selects exactly the rows that check allows: ${provider}`, async () => {
    if (!existsSync(join(PRISMA, '@prisma/adapter-libsql')))
      return skip(import.meta.url, 'Prisma is not installed (.ci/run does)');
    const cluster = provider === 'postgresql' ? await startCluster() : undefined;
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const folder = mkdtempSync(join(tmpdir(), 'authz-prisma-'));
    try {
      await prepare(folder, provider);
      const urlOf = cluster
        ? `postgresql://${cluster.connection.user}@${encodeURIComponent(cluster.connection.host)}/${cluster.connection.database}`
        : `file:${join(folder, 'notes.db')}`;
      const { rows, plans } = await randomPlans(randomTypedAttributes);
      const combined = combinedOf(provider, plans, rows);
      const all = [...ROWS.filter(({ isTyped }) => isTyped), ...rows];
      const types = await typeQuestions(provider);
      const { facts, kit, answers, compositions, ways, constants, typed, raw } = ask(folder, {
        provider,
        url: urlOf,
        rows: all,
        filters: plans.map(({ filter }) => filter),
        combined: { ...combined, plans: combined.plans.map(({ filter }) => filter) },
        types: types.questions,
      });
      assert.equal(
        facts,
        all.map(({ attr }) => factsAmong(attr)),
      );
      const { overGrants, underGrants, refusals, failures, ...counts } = kit;
      console.log(`  ${provider}: ${JSON.stringify({ ...counts, refusals: refusals.length })}`);
      const tally = compared(plans, rows, (_, index) => {
        const answer = answers[index] as Answer;
        if ('failed' in answer) throw new Error(answer.failed);
        return 'ids' in answer ? new Set(answer.ids) : undefined;
      });
      assert.equal([...overGrants, ...failures], []);
      assert.equal(tally.overGrants.slice(0, 5), []);
      // A number beyond 1e308 is not selected (docs/adapters.md#prisma).
      assert.equal(
        underGrants.filter(({ condition, ids }) => !condition.includes('R.attr.price') || ids.join() !== 'extreme'),
        [],
      );
      assert.equal(tally.underGrants.slice(0, 5), []);
      assert.ok(counts.exact > 320 && tally.selected > tally.plans * 10, 'the adapter refuses too much');
      assert.ok(counts.asked.ways > 200 && counts.asked.combinations > 100 && counts.asked.attributes > 20);
      types.assertTypes(typed.found);
      assert.equal([...typed.kit.overGrants, ...typed.kit.underGrants, ...typed.kit.failures].slice(0, 5), []);
      assert.ok(typed.kit.answered > 300);
      assertComposed(combined, compositions, all);
      assertWays(combined, ways, all);
      assertRaw(combined, raw, all);
      const own = combined.own[0]?.length as number;
      for (const { name, where, isAllowed, counts: found } of constants)
        assert.equal(
          found,
          isAllowed
            ? { plain: all.length, and: own, or: all.length, not: 0 }
            : { plain: 0, and: 0, or: own, not: all.length },
          `${name}: ${JSON.stringify(where)}`,
        );
    } finally {
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

test.run();

/** The attributes that a source of facts reads. */
function factsAmong({ owner, status, amount, price, shared }: Attributes): Attributes {
  return JSON.parse(JSON.stringify({ owner, status, amount, price, shared }));
}

/** Generates the client, and bundles the program with it. */
async function prepare(folder: string, provider: 'postgresql' | 'sqlite'): Promise<void> {
  writeFileSync(join(folder, 'schema.prisma'), schemaOf(provider));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  await generateClient(folder, '--schema', 'schema.prisma');
  await bundleWithClient(new URL('prisma-program.mjs', import.meta.url), folder);
}

/** Plans that are always, never and sometimes allowed, own conditions, and how they are combined. */
interface Combined {
  readonly plans: readonly Pick<RandomPlan, 'name' | 'filter' | 'isAllowed'>[];
  /** The ids that a condition of the application selects. */
  readonly own: readonly (readonly string[])[];
  readonly compositions: readonly Composition[];
}

function combinedOf(
  provider: 'postgresql' | 'sqlite',
  plans: readonly RandomPlan[],
  rows: readonly StoredRow[],
): Combined {
  const random = new Random(1);
  const constant = (kind: 'KIND_ALWAYS_ALLOWED' | 'KIND_ALWAYS_DENIED'): Combined['plans'][number] => ({
    name: kind,
    filter: { kind },
    isAllowed: () => kind === 'KIND_ALWAYS_ALLOWED',
  });
  const ids = [...ROWS.filter(({ isTyped }) => isTyped), ...rows].map(({ id }) => id);
  const own = [0, 1, 2].map(() => ids.filter(() => random.chance(0.5)));
  const allowed = prismaAdapter('Note', noteMapping(provider));
  const translated = plans.filter(({ filter, isWhole }) => {
    if (!isWhole || filter.kind !== 'KIND_CONDITIONAL') return false;
    try {
      return Boolean(allowed({ filter }));
    } catch {
      return false;
    }
  });
  const combined = [
    constant('KIND_ALWAYS_ALLOWED'),
    constant('KIND_ALWAYS_DENIED'),
    ...random.some(translated, 10, 10),
  ];
  return {
    plans: combined,
    own,
    compositions: compositionsOf({ plans: combined.length, own: own.length }, random, COMPOSITIONS),
  };
}

function assertComposed(
  { plans, own, compositions }: Combined,
  answers: Answers['compositions'],
  rows: readonly StoredRow[],
): void {
  let selected = 0;
  for (const [index, composition] of compositions.entries()) {
    const { where, ids, count, updated, touched, deleted } = answers[index] as Answers['compositions'][number];
    const expected = rows
      .filter((row) =>
        holds(
          composition,
          (plan) => plans[plan]?.isAllowed(row) === true,
          (condition) => own[condition]?.includes(row.id) === true,
        ),
      )
      .map(({ id }) => id);
    const message = `${JSON.stringify(composition)}: ${JSON.stringify(where)}`;
    assert.equal([...ids].sort(), expected.sort(), message);
    assert.is(count, expected.length, `count: ${message}`);
    if (touched === undefined) continue;
    assert.equal([...touched].sort(), expected, `updateMany: ${message}`);
    assert.equal([updated, deleted], [expected.length, expected.length], `updateMany, deleteMany: ${message}`);
    selected += 1;
  }
  assert.ok(selected > 10);
}

function assertWays({ plans, own: [own = []] }: Combined, ways: Answers['ways'], rows: readonly StoredRow[]): void {
  for (const { plan, where, and, ofRecord, related } of ways) {
    const { name, isAllowed } = plans[plan] as Combined['plans'][number];
    const allowed = new Set(rows.filter(isAllowed).map(({ id }) => id));
    const expected = own.filter((id) => allowed.has(id)).sort();
    for (const [way, ids] of Object.entries(and))
      assert.equal([...ids].sort(), expected, `${way}: ${name}: ${JSON.stringify(where)}`);
    for (const [way, record] of Object.entries(ofRecord))
      assert.is(record !== null, allowed.has(own[0] as string), `${way}: ${name}: ${JSON.stringify(where)}`);
    const withShares = rows.filter(({ attr }) => (attr.shares as readonly unknown[]).length > 0).map(({ id }) => id);
    for (const [way, ids] of Object.entries(related))
      assert.equal(
        [...new Set(ids)].sort(),
        withShares.filter((id) => allowed.has(id) !== (way === 'isNot')).sort(),
        `${way}: ${name}: ${JSON.stringify(where)}`,
      );
  }
}

/** Can columns and masks of raw queries are what check decides. */
function assertRaw({ plans }: Combined, { cans, shown, marked }: Answers['raw'], rows: readonly StoredRow[]): void {
  let cells = 0;
  assert.is(cans.length, rows.length);
  for (const [index, { name, isAllowed }] of plans.entries()) {
    const values = new Map(cans.map((row) => [row.id, row[`canA${index}`]]));
    // An action without SQL has NULL.
    if (values.get(rows[0]?.id as string) === null) continue;
    const allowed = rows.filter(isAllowed).map(({ id }) => id);
    for (const { id } of rows) assert.is(Boolean(values.get(id)), allowed.includes(id), `${name} of ${id}`);
    for (const ids of shown[index] ?? []) assert.equal([...ids].sort(), [...allowed].sort(), `mask by ${name}`);
    cells += rows.length;
  }
  assert.ok(cells > 2 * rows.length, 'most plans have no SQL');
  assert.equal(marked, { isKept: true, count: rows.length, asked: 2 * rows.length });
}

function ask(folder: string, questions: object): Answers {
  const output = execFileSync(process.execPath, [join(folder, 'bundled.mjs')], {
    cwd: folder,
    input: JSON.stringify(questions),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output.toString()) as Answers;
}
