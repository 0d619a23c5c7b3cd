import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig, loadSettings } from '../../server/config.js';
import { KEYS } from '../../server/config/keys.js';
import { ROOT } from '../support/compiled.js';

const test = suite('keys that are null');
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-null-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const file = join(folder, 'c.yaml');
  writeFileSync(file, text);
  return file;
}

/** A file with one path; the last name is in the last line. */
function nested(path: string, value: string): string {
  const names = path.split('.');
  return names
    .map((name, depth) => `${'  '.repeat(depth)}${name}:${depth === names.length - 1 ? value : ''}`)
    .join('\n');
}

test('each key and each block is reported with its place', () => {
  const keys = Object.keys(KEYS).map((path) => path.replace('*', 'any'));
  const blocks = keys.flatMap((path) => {
    const names = path.split('.').slice(0, -1);
    return names.map((_, length) => names.slice(0, length + 1).join('.'));
  });
  const before = loadSettings({ file: fileOf(''), environment: {} }).settings;
  for (const path of new Set([...keys, ...blocks]))
    for (const value of ['', ' null', ' ~']) {
      const file = fileOf(nested(path, value));
      const { settings, warnings } = loadSettings({ file, environment: {} });
      const depth = path.split('.').length;
      assert.is(warnings.length, 1, path);
      assert.match(warnings[0] as string, `${file}:${depth}:${2 * depth - 1}: \`${path}\` is null, `);
      assert.equal(settings, before, path);
    }
});

test('null in a flag is reported, too', () => {
  const { warnings } = loadSettings({ sets: ['engine.plan.missing=null'], environment: {} });
  assert.equal(warnings, [
    '--set engine.plan.missing: `engine.plan.missing` is null, which leaves it unset; remove the key, or write a value: one of `has`, `nulls`',
  ]);
});

test('the word of each page for what is missing is one of the configuration, in files and in flags', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((page) =>
    page.endsWith('.md'),
  );
  const words = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/`engine\.plan\.missing: ([^`]*)`/g)].map(
      ([, word]) => [page, word] as const,
    ),
  );
  assert.ok(words.length >= 4);
  for (const [page, word] of words) {
    const file = fileOf(`engine: {plan: {missing: ${word}}}`);
    for (const sources of [{ file }, { sets: [`engine.plan.missing=${word}`] }]) {
      const { config, warnings } = loadConfig({ ...sources, environment: {} });
      assert.is(config.engine.missing, 'nulls', page);
      assert.equal(warnings, [], page);
    }
  }
});

test.run();
