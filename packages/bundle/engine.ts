import semver from 'semver';
import { ArchiveError } from './archive-error.js';
import type { Manifest } from './manifest.js';

/** The version of the engine of this build. A release writes it. */
export const engineVersion = '0.1.0';

/**
 * The engines that may run what this build compiles: those of the same minor version that are not older. Patch releases
 * keep the contract between bundle and engine (docs/versioning.md#bundles).
 */
export const engineRange = `~${engineVersion}`;

/** Throws an ArchiveError if a bundle is for another version of the engine. */
export function requireEngine({ engine, compiler }: Manifest, version = engineVersion): void {
  if (semver.satisfies(version, engine, { includePrerelease: true })) return;
  throw new ArchiveError(
    'engine_unsupported',
    `needs an engine of version ${engine}, and this one is ${version}; it was compiled by authzc ${compiler}`,
  );
}
