import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfOneCheck } from './house/check-coverage.js';
import { unresolvedIn } from './house/citations.js';
import { arrows, floors, importGraph, within, withOneImporter } from './house/import-graph.js';
import { type Figure, type Row, table } from './house/table.js';
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
const CITING = /\.(ts|cjs|mjs|proto|ya?ml|md|sh|service)$|(^|\/)Dockerfile$/;

const files = trackedFiles();
const messageLayer = files.filter(isMessageLayer);
const ofCheck = await filesOfOneCheck();
const { graph, importing } = importGraph(PRODUCT);
const engine = within(graph, 'runtime/engine');
const oneImporter = [...withOneImporter(graph)].filter((file) => importing.has(file));
const citing = files.filter((file) => CITING.test(file) && !isGenerated(file));
const byHand = files.filter((file) => file.endsWith('.ts') && !isGenerated(file));
const long = byHand.map((file) => longLines(textOf(file), COLUMNS));

const rows: readonly Row[] = [
  {
    what: 'one REST check runs through',
    figures: [count(ofCheck.length, 30, 'files'), count(linesOf(ofCheck), 3_000, 'lines')],
  },
  {
    what: 'runtime/engine',
    figures: [
      count(engine.size, 18, 'files'),
      count(floors(engine), 7, 'floors'),
      count(arrows(engine), 59, 'imports'),
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
    what: 'files with exactly one importer, of those that import',
    figures: [count((100 * oneImporter.length) / importing.size, 40, '%')],
  },
  { what: 'lines that cite a section nobody can open', figures: [count(sum(citing.map(unresolvedLines)), 0, '')] },
  ...['', 'examples/contact-api/'].map((folder) => ({
    what: `generated lines for a line of YAML, ${folder}policies`,
    figures: [count(generatedLines(folder), 3, '')],
  })),
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
];

console.log(table(rows));
if (process.argv.includes('--files')) {
  console.log(`\none REST check runs through\n${ofCheck.map((file) => `  ${file}\n`).join('')}`);
  console.log(`message layer written by hand\n${messageLayer.map((file) => `  ${file}\n`).join('')}`);
}

function count(value: number, aim: number, unit: string): Figure {
  return { value, aim, unit };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function isProduct(file: string): boolean {
  return PRODUCT.some((folder) => file.startsWith(`${folder}/`)) && !isTest(file);
}

function namesField(file: string): boolean {
  return textOf(file).includes(FIELD);
}

/** Tests of the citations themselves write ones that do not resolve. */
function unresolvedLines(file: string): number {
  if (file.startsWith('scripts/house')) return 0;
  const unresolved = unresolvedIn(textOf(file), (path) => (existsSync(join(ROOT, path)) ? textOf(path) : undefined));
  return new Set(unresolved.map(({ line }) => line)).size;
}

/** All modules of a generated folder, for each line of the policies that it was generated from. */
function generatedLines(folder: string): number {
  const policies = files.filter(
    (file) => file.startsWith(`${folder}policies/`) && /\.ya?ml$/.test(file) && !/_test\.ya?ml$/.test(file),
  );
  const modules = files.filter(
    (file) => file.startsWith(`${folder}generated/`) && file.endsWith('.ts') && !isTest(file),
  );
  return linesOf(modules) / Math.max(1, linesOf(policies));
}
