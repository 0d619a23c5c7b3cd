import { PACKAGES } from '../../../scripts/packages/packages.js';

/**
 * What can be imported from the packages, and the source of each: `authz/runtime` is built from
 * `runtime/engine/index.ts`. Pages are checked and run against these.
 */
export const PACKAGE_SOURCES: { readonly [specifier: string]: string } = withFacades(
  Object.fromEntries(
    PACKAGES.flatMap(({ name, entries = {} }) =>
      Object.entries(entries).map(([entry, source]) => [`${name}${entry.slice(1)}`, source]),
    ),
  ),
);

function withFacades(sources: { readonly [specifier: string]: string }): { readonly [specifier: string]: string } {
  const facades = PACKAGES.flatMap(({ name, facades: targets = {} }) =>
    Object.entries(targets).map(([entry, target]) => [`${name}${entry.slice(1)}`, sources[target] as string]),
  );
  return { ...sources, ...Object.fromEntries(facades) };
}
