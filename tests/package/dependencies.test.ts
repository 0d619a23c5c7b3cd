import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { ROOT } from '../support/compiled.js';

test('packages that only tests and scripts import are not shipped', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: { readonly [name: string]: string };
  };
  const product = ['compiler', 'packages', 'proto', 'runtime', 'server'].flatMap(sourcesIn).join('\n');
  const unused = Object.keys(dependencies).filter(
    (name) => !product.includes(`'${name}'`) && !product.includes(`'${name}/`),
  );
  assert.equal(unused, []);
});

test('this repository imports itself by the entry points of the library', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: object };
  const library = PACKAGES.find(({ name }) => name === PACKAGE_NAMES.library);
  assert.equal(
    exports,
    Object.fromEntries(Object.entries(library?.entries ?? {}).map(([entry, source]) => [entry, `./${source}`])),
  );
});

test.run();

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(ROOT, folder, path), 'utf8'));
}
