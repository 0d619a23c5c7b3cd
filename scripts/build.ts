import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { build } from 'esbuild';

/** Tests build into a separate folder. */
const folder = process.env['AUTHZ_DIST'] ?? 'dist';

/**
 * Bundles the two programs. Dependencies stay external: esbuild is a binary, and grpc-js loads files from its package.
 */
await build({
  entryPoints: { authzc: 'cli/authzc.ts', server: 'cli/server.ts' },
  outdir: folder,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
  define: { AUTHZ_RELEASE: JSON.stringify(releaseOf()) },
});
await chmod(`${folder}/authzc.js`, 0o755);

/**
 * What ServerInfo answers: the version of the package, the commit and its date; a build outside git knows only the
 * first.
 */
function releaseOf(): { readonly version: string; readonly commit: string; readonly buildDate: string } {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      return 'unknown';
    }
  };
  return { version, commit: git('rev-parse', '--short', 'HEAD'), buildDate: git('log', '-1', '--format=%cI') };
}
