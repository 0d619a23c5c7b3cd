import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../compiled.js';

/**
 * The exports of the package and the source of each: `authz/runtime` is built from `runtime/engine/index.ts`. Pages are
 * checked and run against these.
 */
export const PACKAGE_SOURCES: { readonly [specifier: string]: string } = Object.fromEntries(
  Object.entries(exportsOf()).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[`authz${entry.slice(1)}`, target.default.replace('./dist/package/', '').replace(/\.js$/, '.ts')]],
  ),
);

function exportsOf(): { readonly [entry: string]: string | { readonly default: string } } {
  return (
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: ReturnType<typeof exportsOf> }
  ).exports;
}
