import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ArchiveError, type ArchiveParts, isArchive, readArchive, writeArchive } from './index.js';

const PARTS: ArchiveParts = {
  js: `${'export const policies = {};\n'.repeat(50)}//# sourceMappingURL=policies.js.map\n`,
  map: '{"version":3,"sources":["ä.yaml"],"mappings":""}\n',
  manifest: {
    hash: '0123456789abcdef',
    compiler: '0.1.0',
    engine: '~0.1.0',
    source: { repository: 'https://git.example.org/policies', revision: 'c0ffee', path: 'policies', dirty: false },
    builder: 'https://ci.example.org/jobs/7',
    sequence: 7,
    notAfter: '2031-01-02T03:04:05Z',
    tests: { passed: 3, failed: 0, skipped: 1, coverage: { rules: { covered: 3, total: 4 } } },
  },
};

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return `${(error as ArchiveError).reason}: ${(error as Error).message}`;
  }
  return 'was read';
}

test('an archive has what it was made of', () => {
  const bytes = writeArchive(PARTS);
  assert.ok(isArchive(bytes));
  assert.not(isArchive(Buffer.from(PARTS.js)));
  const { manifest, digest, file, signatureBytes } = readArchive(bytes);
  assert.equal(
    { ...manifest, files: undefined, format: undefined },
    { ...PARTS.manifest, files: undefined, format: undefined },
  );
  assert.is(file('policies.js')?.toString(), PARTS.js);
  assert.is(file('policies.js.map')?.toString(), PARTS.map);
  assert.is(signatureBytes, undefined);
  assert.match(digest, /^[0-9a-f]{64}$/);
});

test('a source map may be missing', () => {
  const archive = readArchive(writeArchive({ ...PARTS, map: undefined }));
  assert.equal(Object.keys(archive.manifest.files), ['policies.js']);
  assert.is(archive.file('policies.js.map'), undefined);
});

test('other programs read archives', () => {
  const bytes = writeArchive(PARTS);
  assert.equal(Object.keys(unzipSync(bytes)), ['manifest.json', 'policies.js', 'policies.js.map']);
  const folder = mkdtempSync(join(tmpdir(), 'authz-archive-'));
  try {
    writeFileSync(join(folder, 'a.authzbundle'), bytes);
    const script =
      'import zipfile,sys; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])';
    execFileSync('python3', ['-c', script, join(folder, 'a.authzbundle'), folder]);
    assert.is(readFileSync(join(folder, 'policies.js'), 'utf8'), PARTS.js);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what does not fit in a manifest is not written', () => {
  const of = (manifest: object) =>
    refusal(() => writeArchive({ ...PARTS, manifest: { ...PARTS.manifest, ...manifest } }));
  assert.is(of({ notAfter: 'tomorrow' }), 'manifest_invalid: `manifest.json` has an invalid `notAfter`');
  assert.is(of({ sequence: -1 }), 'manifest_invalid: `manifest.json` has an invalid `sequence`');
  assert.is(of({ builder: 'x'.repeat(1025) }), 'manifest_invalid: `manifest.json` has an invalid `builder`');
  assert.match(of({ extra: 'x'.repeat(65_536) }), /^too_large: the manifest has \d+ bytes; at most 65536 are allowed$/);
});

test('no byte can be changed, added or removed', () => {
  const bytes = writeArchive(PARTS);
  const read = (changed: Uint8Array): string =>
    refusal(() => {
      const archive = readArchive(changed);
      // Deflate ends with up to seven bits that mean nothing.
      assert.is(archive.file('policies.js')?.toString(), PARTS.js);
      assert.is(archive.file('policies.js.map')?.toString(), PARTS.map);
      assert.is(archive.digest, readArchive(bytes).digest);
    });
  let meaningless = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    for (const bit of [0, 7]) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << bit);
      const found = read(flipped);
      if (found === 'was read') meaningless += 1;
      else assert.match(found, /^(malformed|too_large|manifest_invalid): /, `byte ${at}`);
    }
    assert.match(read(bytes.subarray(0, at)), /^malformed: /, `${at} bytes`);
  }
  // One bit at the end of each entry, at most.
  assert.ok(meaningless <= 3, String(meaningless));
  assert.match(read(Buffer.concat([bytes, Buffer.from([0])])), /^malformed: /);
  assert.match(read(Buffer.concat([Buffer.from([0]), bytes])), /^malformed: /);
});

test.run();
