import { register } from 'node:module';

/*
 * Preloaded by a test that runs with other versions of some packages: imports of them by this repository resolve as if
 * they came from the folder AUTHZ_PEERS. Their own imports stay as they are.
 */
register(
  `data:text/javascript,${encodeURIComponent(`
    const folder = ${JSON.stringify(process.env['AUTHZ_PEERS'])};
    const names = new Set(${process.env['AUTHZ_PEER_NAMES']});
    export function resolve(specifier, context, next) {
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
      if (!names.has(name) || context.parentURL?.includes('/node_modules/')) return next(specifier, context);
      return next(specifier, { ...context, parentURL: new URL('importer.js', folder).href });
    }
  `)}`,
);
