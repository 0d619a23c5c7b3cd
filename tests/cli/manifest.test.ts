import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { extendManifest, type Manifest, ManifestError, newManifest } from '../../packages/cli/project/manifest.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

const KEYS: Manifest = {
  scripts: { test: 'node --test', 'authz:compile': 'authzc compile' },
  dependencies: { authz: '^1.0.0' },
  devDependencies: { authzc: '^1.0.0', hono: '^4.0.0' },
};

test('keys are added in the formatting of the file', () => {
  const text = '{\r\n\t"name": "shop",\r\n\t"scripts": {\r\n\t\t"test": "vitest"\r\n\t}\r\n}\r\n';
  assert.is(
    extendManifest(text, { scripts: { start: 'node .' }, private: true }).text,
    '{\r\n\t"name": "shop",\r\n\t"scripts": {\r\n\t\t"test": "vitest",\r\n\t\t"start": "node ."\r\n\t},\r\n\t"private": true\r\n}\r\n',
  );
});

test('a package that is a dependency of another kind is not added', () => {
  const { text, added } = extendManifest('{"dependencies": {"authzc": "1.0.0"}}', {
    devDependencies: { authzc: '^1.0.0' },
  });
  assert.is(text, '{"dependencies": {"authzc": "1.0.0"}}');
  assert.equal(added, []);
});

test('a file that is not an object, or has a group that is not one, is refused', () => {
  for (const text of ['', '[]', '{"scripts": []}', '{"scripts": "x"}', '{"scripts": null}', '{"a": 1,}', '{"a": 1'])
    assert.throws(
      () => extendManifest(text, KEYS),
      (error: unknown) => error instanceof ManifestError,
      text,
    );
});

test('a new manifest has its keys in the usual order, and sorted dependencies', () => {
  const text = newManifest({ dependencies: { b: '1', a: '1' }, scripts: { z: '', a: '' }, name: 'x' });
  assert.is(
    JSON.stringify(JSON.parse(text)),
    '{"name":"x","scripts":{"z":"","a":""},"dependencies":{"a":"1","b":"1"}}',
  );
});

const FILES = rounds(300);

test(`in ${FILES} random files, what was there stays in its place, and a second time adds nothing`, () => {
  const random = new Random(SEED);
  for (let round = 0; round < FILES; round += 1) {
    const before = randomManifest(random);
    const indent = random.pick(['', '  ', '    ', '\t']);
    const text = JSON.stringify(before, undefined, indent);
    const extended = extendManifest(text, KEYS);
    const after = JSON.parse(extended.text) as Groups;
    for (const [key, value] of Object.entries(before)) {
      if (typeof value !== 'object') assert.is(after[key], value, text);
      else assert.equal(without(after[key], extended.added), value, text);
    }
    assert.equal(
      Object.keys(after).filter((key) => Object.hasOwn(before, key)),
      Object.keys(before),
      text,
    );
    for (const { path, value } of extended.added)
      assert.is((after[path[0] as string] as Group)[path[1] as string], value);
    assert.is(extendManifest(extended.text, KEYS).text, extended.text);
    assert.is(extendManifest(extended.text, KEYS).added.length, 0);
  }
});

test.run();

interface Group {
  readonly [name: string]: string;
}

interface Groups {
  readonly [key: string]: string | Group;
}

const NAMES = ['test', 'authz:compile', 'authz', 'authzc', 'hono', 'a "quoted" name', '__proto__', 'toString', 'é'];

function randomManifest(random: Random): Groups {
  const group = (): Group =>
    Object.fromEntries(NAMES.filter(() => random.chance(0.3)).map((name) => [name, `own ${name}`]));
  const keys: readonly (readonly [string, () => string | Group])[] = [
    ['name', () => 'shop'],
    ['scripts', group],
    ['dependencies', group],
    ['devDependencies', group],
    ['constructor', () => 'x'],
  ];
  return Object.fromEntries(keys.filter(() => random.chance(0.6)).map(([key, value]) => [key, value()]));
}

/** A group without the names that were added to it, in the order of the file. */
function without(group: string | Group | undefined, added: readonly { readonly path: readonly string[] }[]): object {
  const names = new Set(added.map(({ path }) => path[1]));
  return Object.fromEntries(
    Object.entries(group ?? {}).filter(([name, value]) => !names.has(name) || value.startsWith('own ')),
  );
}
