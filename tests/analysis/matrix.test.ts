import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AccessRequest, createEngine } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { countUsers, type MatrixUser } from '../../packages/analysis/people/count-people.js';
import {
  type Cell,
  type Matrix,
  type MatrixRow,
  type MatrixTable,
  makeMatrix,
} from '../../packages/analysis/matrix/matrix.js';
import { matrixText } from '../../packages/analysis/matrix/report/text.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { isTrueFor } from '../support/analysis/formulas.js';
import { compileRules, compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds, roundsUntil } from '../support/effort.js';

/** The number of stores of random policies, and of requests for each cell; SEED is the first seed. */
const STORES = rounds(12, 1);
const REQUESTS = 3;

/** Roles that policies of random stores name. */
const ROLES: readonly string[] = ['user', 'admin', 'guest', 'auditor'];

const NOW = { seconds: 1_735_689_600, nanos: 0, offset: 0 };

const test = suite('who may do what');

test('every cell is what the engine decides, for one role and for several', async () => {
  const seen = new Map<Cell['answer'], number>();
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.4) });
    const compilation = compileTexts(policyFiles(documents));
    const { policies } = await loaded(compilation);
    const lenientScopeSearch = random.chance(0.4);
    const engine = createEngine(policies, { clock: () => NOW, lenientScopeSearch });
    const matrix = makeMatrix(fold(compilation.lowered as Program), { lenientScopeSearch });
    assert.ok(matrix.tables.length > 0);
    for (const table of matrix.tables)
      for (const check of checksOf(table, random)) {
        const { cells, request } = check;
        for (const { answer } of cells) seen.set(answer, (seen.get(answer) ?? 0) + 1);
        if (cells.some(({ answer }) => answer === 'undecided')) continue;
        assert.is(
          cells.some((cell) => isAllowed(cell, request)),
          engine.isAllowed(request),
          `seed ${seed}: ${JSON.stringify(request)}: ${JSON.stringify(cells.map((cell) => ('condition' in cell ? cell.condition : cell.answer)))}`,
        );
      }
  }
  for (const answer of ['allowed', 'denied', 'condition'] as const)
    assert.ok((seen.get(answer) ?? 0) > STORES * 10, `${answer}: ${seen.get(answer)}`);
});

test('what a known resource leaves of conditions is what the engine decides for it', async () => {
  const seen = new Map<string, number>();
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const compilation = compileTexts(policyFiles(randomStore(random, { outputs: false, runtime: random.chance(0.4) })));
    const { policies } = await loaded(compilation);
    const program = fold(compilation.lowered as Program);
    const engine = createEngine(policies, { clock: () => NOW });
    const attr = randomAttributes(random);
    const all = makeMatrix(program, {});
    const left = makeMatrix(program, { known: { id: 'r', attr } });
    for (const matrix of [all, left])
      for (const { answer } of matrix.tables.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells)))
        count(seen, `${answer} ${matrix === left ? 'of one' : 'of all'}`);
    for (const table of left.tables)
      for (const { cells, request } of checksOf(table, random, attr)) {
        if (cells.some(({ answer }) => answer === 'undecided')) continue;
        assert.is(
          cells.some((cell) => isAllowed(cell, request)),
          engine.isAllowed(request),
          `seed ${seed}: ${JSON.stringify(request)}`,
        );
      }
  }
  const ofOne = seen.get('condition of one') ?? 0;
  assert.ok(ofOne > 0 && ofOne < (seen.get('condition of all') ?? 0), JSON.stringify([...seen]));
});

test('as many users as a cell counts may do it, whatever the rest of a request is', async () => {
  const seen = new Map<string, number>();
  const wanted = ['condition exact', 'condition range', 'allowed exact', 'least', 'most'];
  for (const round of roundsUntil(STORES, () => wanted.every((what) => (seen.get(what) ?? 0) > 10))) {
    const seed = SEED + round;
    const random = new Random(seed);
    const documents = policyFiles(randomStore(random, { outputs: false, runtime: random.chance(0.4) }));
    // Conditions of random stores read resources.
    const texts = random.chance(0.6)
      ? Object.fromEntries(Object.entries(documents).map(([file, text]) => [file, text.replaceAll('R.attr', 'P.attr')]))
      : documents;
    const compilation = compileTexts(texts);
    const { policies } = await loaded(compilation);
    const engine = createEngine(policies, { clock: () => NOW });
    // One role each: a cell is about this role alone.
    const list = Array.from({ length: 20 }, (_, index): MatrixUser & { readonly attr: Attributes } => ({
      id: random.pick([`v${index}`, 'v1']),
      roles: [random.pick(ROLES)],
      attr: { n: random.below(10), ...(random.chance(0.5) && { a: random.pick(['x', 'y']) }) },
      ...(random.chance(0.5) && { scope: random.pick(['', 'a']) }),
    }));
    const attributes = random.pick([undefined, ['n'], ['a', 'b', 'n']]);
    const matrix = makeMatrix(fold(compilation.lowered as Program), { count: countUsers({ list, attributes }) });
    for (const { rows, actions, ...table } of matrix.tables)
      for (const { role, principal, cells, people } of rows) {
        if (principal !== null || role === null || !ROLES.includes(role.example)) continue;
        const inRow = list.filter(({ roles }) => roles[0] === role.example);
        assert.is(people, new Set(inRow.map(({ id }) => id)).size);
        for (const [index, { example: action }] of actions.entries()) {
          const { answer, people: counted = { least: 0, most: 0 } } = cells[index] as Cell;
          const { least, most, dependsOn } = counted;
          assert.is(dependsOn === undefined || dependsOn.length === 0, least === most);
          count(seen, `${answer} ${least === most ? 'exact' : 'range'}`);
          if (answer === 'undecided') continue;
          for (let i = 0; i < REQUESTS * 2; i += 1) {
            const resource = {
              kind: table.kind,
              id: random.pick(['r', 'v1']),
              scope: table.scope,
              policyVersion: table.version,
              attr: randomAttributes(random),
            };
            const more = { owner: random.pick(['r', 'v1']), flag: random.chance(0.5), b: random.pick(['x', 'y']) };
            const scope = random.pick(['', 'a', 'a.b']);
            const known = (attr: Attributes): Attributes =>
              Object.fromEntries(Object.entries(attr).filter(([name]) => attributes?.includes(name)));
            const allowed = new Set(
              inRow.flatMap((user) => {
                const attr =
                  attributes === undefined ? user.attr : { ...withoutNames(more, attributes), ...known(user.attr) };
                const asked = { scope, ...user, attr };
                return engine.isAllowed({ principal: asked, resource, action }) ? [user.id] : [];
              }),
            ).size;
            const said = `seed ${seed}: ${allowed}, ${least} to ${most}: ${role.label} ${action} ${JSON.stringify(resource)}`;
            assert.ok(least <= allowed && allowed <= most, said);
            if (least < most) count(seen, allowed === least ? 'least' : allowed === most ? 'most' : 'between');
          }
        }
      }
  }
  for (const what of wanted) assert.ok((seen.get(what) ?? 0) > 10, `${what}: ${JSON.stringify([...seen])}`);
});

test('two runs give equal tables, whatever the order of files', () => {
  const random = new Random(SEED);
  const files = Object.entries(policyFiles(randomStore(random, { outputs: false, runtime: true })));
  const textOf = (each: typeof files): string =>
    JSON.stringify(plain(makeMatrix(fold(compileTexts(Object.fromEntries(each)).lowered as Program), {})));
  assert.is(textOf(files), textOf(files.toReversed()));
});

test('too many globs are said to be so', () => {
  const actions = Array.from({ length: 40 }, (_, index) => `*${String.fromCharCode(97 + (index % 26))}*${index}*`);
  const rule = { actions, effect: 'EFFECT_ALLOW', roles: ['user'] };
  const matrix = makeMatrix(fold(compileRules('note', [rule]).lowered as Program), {});
  assert.equal(
    matrix.tables.map(({ isComplete }) => isComplete),
    [false],
  );
  assert.match(
    matrixText(matrix, (file) => file),
    '  too many globs: ',
  );
});

test('more cells than anybody reads are an error', () => {
  const rules = Array.from({ length: 400 }, (_, index) => ({
    actions: [`a${index}`],
    effect: 'EFFECT_ALLOW',
    roles: [`r${index}`],
  }));
  const program = fold(compileRules('note', rules).lowered as Program);
  assert.throws(() => makeMatrix(program, {}), /^too many cells: narrow with --kind/);
  assert.is(makeMatrix(program, { onlyAction: 'a7' }).tables.length, 1);
});

test.run();

/** A role and an action that no policy of a store names or matches, but with `*`. */
const UNKNOWN = 'zz';

interface Check {
  readonly request: AccessRequest;
  /** One of them has to allow. */
  readonly cells: readonly Cell[];
}

function checksOf(table: MatrixTable, random: Random, attr?: Attributes): readonly Check[] {
  const everybody = table.rows.filter(({ principal }) => principal === null);
  const own = table.rows.filter(({ principal }) => principal !== null);
  const roles = [...new Set(table.rows.flatMap(({ role }) => role?.example ?? []))];
  const names = [...roles, UNKNOWN];
  const actions = [...table.actions.map(({ example }) => example), UNKNOWN];
  const checks: Check[] = [];
  for (const who of [null, ...new Set(own.map(({ principal }) => JSON.stringify(principal)))]) {
    const rows = own.filter(({ principal }) => JSON.stringify(principal) === who);
    const principal = rows[0]?.principal ?? null;
    for (const role of names)
      for (const action of actions)
        for (let i = 0; i < REQUESTS; i += 1) {
          const held = [role, ...(i === 0 ? [] : random.some(names, 0, 2))];
          const request: AccessRequest = {
            principal: {
              id: principal?.id ?? random.pick(['someone', 'nobody']),
              roles: [...new Set(held)],
              attr: { n: random.below(10) },
              scope: principal?.scope ?? random.pick(['', 'a']),
              ...(principal?.version != null && { policyVersion: principal.version }),
            },
            resource: {
              kind: table.kind,
              id: 'r',
              scope: table.scope,
              policyVersion: table.version,
              attr: attr ?? randomAttributes(random),
            },
            action,
          };
          const cells = request.principal.roles.map((name) =>
            cellOf(rowOf(rows, everybody, name), columnOf(table, action)),
          );
          checks.push({ request, cells });
        }
  }
  return checks;
}

/** A principal's own row, or that of everybody with the role; without one, everything is denied. */
function rowOf(own: readonly MatrixRow[], everybody: readonly MatrixRow[], role: string): MatrixRow | undefined {
  const isAbout = (row: MatrixRow): boolean =>
    row.role === null || (role === UNKNOWN ? row.role.label === 'any other' : row.role.example === role);
  return own.find(isAbout) ?? everybody.find(isAbout);
}

function columnOf({ actions }: MatrixTable, action: string): number {
  return actions.findIndex(({ label, example }) => (action === UNKNOWN ? label === 'any other' : example === action));
}

function cellOf(row: MatrixRow | undefined, index: number): Cell {
  return row?.cells[index] ?? { answer: 'denied' };
}

function isAllowed(cell: Cell, request: AccessRequest): boolean {
  return cell.answer === 'condition' ? isTrueFor(cell.formula, request, NOW) : cell.answer === 'allowed';
}

/** Attributes of which the table of users says nothing. */
function withoutNames(attr: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(attr).filter(([name]) => !names.includes(name)));
}

function count(seen: Map<string, number>, name: string): void {
  seen.set(name, (seen.get(name) ?? 0) + 1);
}

function plain(matrix: Matrix): unknown {
  return matrix.tables.map(({ rows, ...table }) => ({
    ...table,
    rows: rows.map((row) => ({ ...row, cells: row.cells.map((cell) => ({ ...cell, formula: undefined })) })),
  }));
}
