import { readFileSync } from 'node:fs';
import { type Archive, readArchive, type SignatureHeader, signatureHeaders } from '../../bundle/index.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { toPercent } from '../../analysis/coverage/coverage.js';
import { named } from '../bundles/archive-file.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';

/** The command line options of `authzc bundle inspect`. */
export interface BundleInspectOptions {
  readonly output: 'text' | 'json';
}

/** `authzc bundle inspect`: what an archive says about its bundle. Verifies no signature. Returns the exit code. */
export function bundleInspectCommand(
  file: string,
  { output }: BundleInspectOptions,
  { stdout }: CommandContext,
): number {
  const { archive, signatures } = named(file, () => {
    const read = readArchive(readFileSync(file));
    // A file that is not the one of the manifest is reported here, too.
    read.file('policies.js');
    read.file('policies.js.map');
    return { archive: read, signatures: signatureHeaders(read) };
  });
  stdout.write(
    output === 'json'
      ? `${visibleJson({ digest: archive.digest, manifest: archive.manifest, signatures: signatures.map((header) => header ?? null) }, 2)}\n`
      : formatArchive(archive, signatures),
  );
  return EXIT.done;
}

/** The parts as a table, in the order in which a reader asks for them. */
function formatArchive(archive: Archive, signatures: readonly (SignatureHeader | undefined)[]): string {
  const { digest, manifest } = archive;
  const { source = {}, tests } = manifest;
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ['digest', `sha256:${digest}`],
    ['policies', manifest.hash],
    ['compiler', manifest.compiler],
    ['engine', manifest.engine],
    ['repository', source.repository],
    ['revision', source.revision && `${source.revision}${source.dirty === true ? ' (with changes)' : ''}`],
    ['path', source.path],
    ['builder', manifest.builder],
    ['sequence', manifest.sequence === undefined ? undefined : String(manifest.sequence)],
    ['not before', manifest.notBefore],
    ['not after', manifest.notAfter],
    ['tests', tests && `${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`],
    ...Object.entries(tests?.coverage ?? {}).map(
      ([item, { covered, total }]) =>
        [`  ${item}`, `${covered} of ${total} (${toPercent({ covered, all: total })} %)`] as const,
    ),
    ...Object.entries(manifest.files).map(([name, { size }]) => ['file', `${name}, ${size} bytes`] as const),
    ...signatures.map(
      (header) => ['signature', header === undefined ? 'in an unknown form' : signatureText(header)] as const,
    ),
    ...(signatures.length === 0 ? [['signature', 'none'] as const] : []),
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : `${name.padEnd(12)}${visible(value)}\n`)).join('');
}

function signatureText({ alg, kid, iat }: SignatureHeader): string {
  const time = iat === undefined ? '' : `, ${new Date(iat * 1000).toISOString()}`;
  return `${kid} (${alg}${time}), not verified`;
}
