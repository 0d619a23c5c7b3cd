import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';

/** Bundles the two programs. Their dependencies stay packages: esbuild is a binary and grpc-js loads files of its own. */
await build({
  entryPoints: { authzc: 'compiler/cli.ts', server: 'server/cli.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
});
await chmod('dist/authzc.js', 0o755);
