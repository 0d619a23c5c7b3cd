import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureOneCheck } from './house/check-coverage.js';
import { unresolvedIn } from './house/citations.js';
import { type ClassShape, findClasses } from './house/classes.js';
import { folderCycles } from './house/folder-cycles.js';
import { arrows, floors, importGraph, within, withOneImporter } from './house/import-graph.js';
import { countNames, type NameCounts } from './house/names.js';
import { type Figure, type Row, table } from './house/table.js';
import { readBudgets } from './test/budgets.js';
import {
  crossSuiteImports,
  isGenerated,
  isMessageLayer,
  isTest,
  linesOf,
  longLines,
  PRODUCT,
  ROOT,
  textOf,
  trackedFiles,
} from './house/tree.js';

/*
 * `npm run house`: how easy this tree is to read, in figures, each beside its aim. It measures and never fails. `npm
 * run house -- --files` also lists the files of one check and of the message layer.
 */

/** Columns that a line may have. */
const COLUMNS = 120;
/** A field of requests: the hand-written files that name it are those to edit for one more field like it. */
const FIELD = 'includeMeta';
/** A key of the configuration and a function of CEL: the hand-written files that name them are those to edit for another. */
const KEY = 'maxActionsPerResource';
const CEL_FUNCTION = 'isLoopback';
const CITING = /\.(ts|cjs|mjs|proto|ya?ml|md|sh|service)$|(^|\/)Dockerfile$/;

/** The CPU seconds that the test files of a run should need at most. The second run is that of CI. */
const CPU_AIMS: { readonly [run: string]: number } = { quick: 340, 'full at quick': 1_800 };

const files = trackedFiles();
const budgets = Object.entries(readBudgets());
const messageLayer = files.filter(isMessageLayer);
const { files: ofCheck, calls, passes, frames } = await measureOneCheck();
const { graph, importing } = importGraph(PRODUCT);
const engine = within(graph, 'runtime/engine');
const oneImporter = [...withOneImporter(graph)].filter((file) => importing.has(file));
const citing = files.filter((file) => CITING.test(file) && !isGenerated(file));
const byHand = files.filter((file) => file.endsWith('.ts') && !isGenerated(file));
const names = byHand.filter(isProduct).map((file) => countNames(textOf(file)));
const classes = byHand.filter(isProduct).flatMap((file) => findClasses(textOf(file)));
const long = byHand.map((file) => longLines(textOf(file), COLUMNS));

const rows: readonly Row[] = [
  {
    what: 'one REST check runs through',
    figures: [count(calls, 150, 'calls'), count(ofCheck.length, 36, 'files'), count(linesOf(ofCheck), 3_000, 'lines')],
  },
  { what: 'of these calls, those of functions that only call another one', figures: [count(passes, 35, 'calls')] },
  {
    what: 'from the listener to a condition of that check',
    figures: [count(frames.length, 26, 'frames'), count(new Set(frames).size, 16, 'files')],
  },
  {
    what: 'from the service to the decision of an action',
    figures: [count(frames.findIndex(decides) + 1 - frames.findIndex(isOfService), 11, 'frames')],
  },
  {
    what: 'runtime/engine',
    figures: [
      count(engine.size, 18, 'files'),
      count(floors(engine), 7, 'floors'),
      count(arrows(engine), 59, 'imports'),
    ],
  },
  { what: 'cycles of folders', figures: [count(folderCycles(graph).length, 0, '')] },
  {
    what: 'functions named after what they return, as `textOf`',
    figures: [count(percentage(names, 'named', 'functions'), 2, '%')],
  },
  {
    what: 'doc comments that begin with a preposition',
    figures: [count(sum(names.map(({ prepositions }) => prepositions)), 0, '')],
  },
  {
    what: 'lines of TypeScript: product, tests and tools, generated',
    figures: [
      count(linesOf(byHand.filter(isProduct)), 132_000, ''),
      { value: linesOf(byHand.filter((file) => !isProduct(file))), unit: '' },
      count(linesOf(files.filter((file) => file.endsWith('.ts') && isGenerated(file))), 7_000, ''),
    ],
  },
  {
    what: 'message layer written by hand',
    figures: [count(messageLayer.length, 22, 'files'), count(linesOf(messageLayer), 3_000, 'lines')],
  },
  {
    what: `files of that layer that name the field ${FIELD}`,
    figures: [count(messageLayer.filter(namesField).length, 0, '')],
  },
  {
    what: `places of a key of the configuration, as ${KEY}, and of a function of CEL, as ${CEL_FUNCTION}`,
    figures: [
      count(filesNaming(KEY, 'server/config/'), 1, ''),
      count(filesNaming(CEL_FUNCTION, 'packages/cel/'), 2, ''),
    ],
  },
  {
    what: 'classes that wrap an engine, and runners of a unary call',
    figures: [count(classes.filter(isEngineShaped).length, 0, ''), count(byHand.filter(runsCalls).length, 1, '')],
  },
  {
    what: 'files with exactly one importer, of those that import',
    figures: [count((100 * oneImporter.length) / importing.size, 40, '%')],
  },
  { what: 'lines that cite a section nobody can open', figures: [count(sum(citing.map(unresolvedLines)), 0, '')] },
  ...['', 'examples/contact-api/'].flatMap(generatedRows),
  {
    what: 'imports from the folder of another test suite',
    figures: [
      count(sum(files.map((file) => (file.endsWith('.ts') ? crossSuiteImports(file, textOf(file)).length : 0))), 0, ''),
    ],
  },
  {
    what: `lines over ${COLUMNS} columns that a formatter could break`,
    figures: [count(sum(long.map(({ code }) => code)), 0, '')],
  },
  {
    what: `lines that a string makes longer than ${COLUMNS} columns: product, tests and tools`,
    figures: [
      count(sum(long.map(({ text }, index) => (isProduct(byHand[index] as string) ? text : 0))), 0, ''),
      count(sum(long.map(({ text }, index) => (isProduct(byHand[index] as string) ? 0 : text))), 0, ''),
    ],
  },
  ...budgets.map(([tier, suites]) => ({
    what: `tests of the tier ${tier}: CPU time, as recorded`,
    figures: [{ value: sum(Object.values(suites)), unit: 's', ...aimOf(tier) }],
  })),
];

console.log(table(rows));
for (const [tier, suites] of budgets) {
  const longest = Object.entries(suites).sort(([, one], [, other]) => other - one);
  console.log(`\nCPU seconds of the suites of the tier ${tier}`);
  for (const [suite, seconds] of longest) console.log(`${String(seconds).padStart(6)}  ${suite}`);
}
if (process.argv.includes('--files')) {
  console.log(`\none REST check runs through\n${ofCheck.map((file) => `  ${file}\n`).join('')}`);
  console.log(`from the listener to a condition\n${frames.map((file) => `  ${file}\n`).join('')}`);
  console.log(`message layer written by hand\n${messageLayer.map((file) => `  ${file}\n`).join('')}`);
}

function aimOf(tier: string): { readonly aim?: number } {
  const aim = CPU_AIMS[tier];
  return aim === undefined ? {} : { aim };
}

function count(value: number, aim: number, unit: string): Figure {
  return { value, aim, unit };
}

function percentage(counts: readonly NameCounts[], part: keyof NameCounts, whole: keyof NameCounts): number {
  return (100 * sum(counts.map((each) => each[part]))) / sum(counts.map((each) => each[whole]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function isOfService(file: string): boolean {
  return file.startsWith('server/service/');
}

function decides(file: string): boolean {
  return file.startsWith('runtime/engine/decide/');
}

function isProduct(file: string): boolean {
  return PRODUCT.some((folder) => file.startsWith(`${folder}/`)) && !isTest(file);
}

function namesField(file: string): boolean {
  return textOf(file).includes(FIELD);
}

/** How many hand-written files of the product below a folder name something. */
function filesNaming(name: string, folder: string): number {
  return byHand.filter((file) => isProduct(file) && file.startsWith(folder) && textOf(file).includes(name)).length;
}

/** Whether a class decides as an engine does, for all principals: parts of an engine say for which they do. */
function isEngineShaped({ name, methods }: ClassShape): boolean {
  const decides = ['check', 'isAllowed', 'plan'].every((method) => methods.has(method));
  return decides && !methods.has('handles') && name !== 'PolicyEngine';
}

function runsCalls(file: string): boolean {
  return isProduct(file) && /^import \{ begin, end, endFailed \} from/m.test(textOf(file));
}

/** Tests of the citations themselves write ones that do not resolve. */
function unresolvedLines(file: string): number {
  if (file.startsWith('scripts/house')) return 0;
  const unresolved = unresolvedIn(textOf(file), (path) => (existsSync(join(ROOT, path)) ? textOf(path) : undefined));
  return new Set(unresolved.map(({ line }) => line)).size;
}

/**
 * The lines generated for a line of YAML. The aim is for what a reviewer of decisions reads: policies and derived
 * roles. Beside it, without an aim, stand the filters of plans (`*.where.ts`) and the rest: index, hash, types, JSON
 * schemas.
 */
function generatedRows(folder: string): readonly Row[] {
  const policies = files.filter(
    (file) => file.startsWith(`${folder}policies/`) && /\.ya?ml$/.test(file) && !/_test\.ya?ml$/.test(file),
  );
  const lines = { decisions: 0, filters: 0, rest: 0 };
  for (const file of files) {
    if (!file.startsWith(`${folder}generated/`) || !file.endsWith('.ts') || isTest(file)) continue;
    lines[partOf(file.slice(`${folder}generated/`.length))] += linesOf([file]);
  }
  const perLine = (count: number): number => count / Math.max(1, linesOf(policies));
  return [
    {
      what: `generated lines that decide, for a line of ${folder}policies`,
      figures: [count(perLine(lines.decisions), 3, '')],
    },
    {
      what: 'beside them: filters, the rest',
      figures: [lines.filters, lines.rest].map((value) => ({ value: perLine(value), unit: '' })),
    },
  ];
}

/** What a generated module is for, by its path. */
function partOf(path: string): 'decisions' | 'filters' | 'rest' {
  if (!/^(derived_roles|principal|resource|role)\//.test(path)) return 'rest';
  return path.endsWith('.where.ts') ? 'filters' : 'decisions';
}
