import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ArchiveError, readArchive, signArchive, writeArchive } from '../../packages/bundle/index.js';
import { canonicalJson } from '../../packages/bundle/canonical-json.js';
import { loadBundle } from '../../packages/bundle/load-bundle.js';
import { readZip, writeZip, type ZipEntry } from '../../packages/bundle/zip.js';
import { readBundle } from '../../server/bundle/read-bundle.js';
import { SignedBundles } from '../../server/bundle/signed-bundles.js';
import { evaluateBundleText } from '../../server/swap/evaluate-bundle.js';
import { newKey } from '../support/archives/keys.js';
import { SEED, rounds } from '../support/effort.js';
import { assertCheaper } from '../support/growth.js';

/*
 * Archives that nobody may accept, read as a server and as a program read them. The bundle sets a global when it is
 * evaluated.
 *
 * SEED and MUTATIONS choose the random ones.
 */
const test = suite('attacks on archives');

const MUTATIONS = rounds(2000);

const [key, stranger] = await Promise.all([newKey(), newKey('P-256')]);
const folder = mkdtempSync(join(tmpdir(), 'authz-attacks-'));
writeFileSync(join(folder, 'key.pem'), key.publicPem);
test.after(() => rmSync(folder, { recursive: true, force: true }));

const JS = `globalThis.evaluated = true;
var policies = { hash: 'h', resourcePolicies: [], principalPolicies: [], rolePolicies: [] };
export {
  policies
};
`;
const MANIFEST = { hash: 'h', compiler: '0.1.0', engine: '~0.1.0', sequence: 5 };
const unsigned = writeArchive({ js: JS, map: '{"version":3}', manifest: MANIFEST });
const good = await signArchive(unsigned, key.signing, Date.now());
const NAMES = ['manifest.json', 'policies.js', 'policies.js.map', 'signatures.json'];
const [manifest, js, map, signatures] = readZip(good, NAMES) as [ZipEntry, ZipEntry, ZipEntry, ZipEntry];

const trust = await SignedBundles.open(
  {
    keys: [join(folder, 'key.pem')],
    required: 1,
    maxAge: undefined,
    requireSequence: false,
    clockSkew: 60_000,
  },
  undefined,
);

/** The reason why neither a server nor a program runs these bytes. */
async function refusal(bytes: Uint8Array): Promise<string> {
  const evaluated = globalThis as { evaluated?: boolean };
  delete evaluated.evaluated;
  const reasonOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'was accepted',
      ({ reason, message, stack }: ArchiveError) => {
        assert.ok(reason, `no reason: ${stack}`);
        assert.not.match(message, /\n/);
        return reason;
      },
    );
  const ofServer = await reasonOf(readBundle(bytes, 'policies.authzbundle', trust).then(evaluateBundleText));
  const ofProgram = await reasonOf(loadBundle(bytes, { trust: { keys: key.publicPem } }));
  if (ofServer === 'was accepted') assert.is(evaluated.evaluated, true);
  else assert.is(evaluated.evaluated, undefined, 'it was evaluated');
  if (ofServer !== 'unsigned') assert.is(ofProgram, ofServer);
  return ofServer;
}

function entry(name: string, content: string | Uint8Array): ZipEntry {
  const bytes = Buffer.from(content);
  return { name, deflated: deflateRawSync(bytes), crc: crc32(bytes), size: bytes.length };
}

/** A manifest that says something else. */
function manifestWith(change: object): ZipEntry {
  return entry('manifest.json', canonicalJson({ ...readArchive(good).manifest, ...change }));
}

function patched(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = value;
  return copy;
}

/** Where the header of an entry in the central directory is. */
function central(bytes: Uint8Array, index: number): number {
  let at = -1;
  for (let found = 0; found <= index; found += 1) at = Buffer.from(bytes).indexOf('PK\x01\x02', at + 1, 'latin1');
  return at;
}

test('the archive itself is accepted', async () => assert.is(await refusal(good), 'was accepted'));

test('entries are a closed list in one order', async () => {
  const evil = entry('policies.js', JS.replace("'h'", "'evil'"));
  const cases: { readonly [name: string]: readonly ZipEntry[] } = {
    'a file twice': [manifest, js, js, map, signatures],
    'another file of the same name': [manifest, js, evil, map, signatures],
    'two manifests': [manifest, manifest, js, map, signatures],
    'two lists of signatures': [manifest, js, map, signatures, signatures],
    'another order': [js, manifest, map, signatures],
    'a file more': [manifest, js, map, entry('evil.js', JS), signatures],
    'a path': [manifest, { ...js, name: '../policies.js' }, map, signatures],
    'an absolute path': [manifest, { ...js, name: '/policies.js' }, map, signatures],
    'a name of another case': [manifest, { ...js, name: 'Policies.js' }, map, signatures],
    'a name that ends in zero': [manifest, { ...js, name: 'policies.js\0' }, map, signatures],
    'an empty name': [manifest, { ...js, name: '' }, map, signatures],
    'a long name': [manifest, { ...js, name: 'x'.repeat(65_535) }, map, signatures],
    'no manifest': [js, map, signatures],
    'no bundle': [manifest, map, signatures],
    nothing: [],
  };
  for (const [name, entries] of Object.entries(cases)) {
    const reason = await refusal(writeZip(entries));
    assert.ok(['malformed', 'digest_mismatch', 'unsigned'].includes(reason), `${name}: ${reason}`);
  }
});

test('central directory and local headers agree', async () => {
  const sizes = writeZip([manifest, js, map, signatures]);
  assert.equal(Buffer.from(sizes), Buffer.from(good));
  // Every field of the header of policies.js in the directory, and of the end record.
  const begin = central(good, 1);
  for (let at = begin; at < begin + 46 + js.name.length; at += 1)
    assert.is(await refusal(patched(good, at, (good[at] as number) ^ 1)), 'malformed', `byte ${at - begin}`);
  for (let at = good.length - 22; at < good.length; at += 1)
    assert.is(await refusal(patched(good, at, (good[at] as number) ^ 1)), 'malformed', `byte ${at - good.length}`);
  // Two archives in one file: readers that begin at the end see the second one.
  const evil = writeArchive({ js: `${JS}//`, manifest: MANIFEST });
  assert.is(await refusal(Buffer.concat([good, evil])), 'malformed');
  assert.is(await refusal(Buffer.concat([evil, good])), 'malformed');
  assert.is(await refusal(Buffer.concat([good, Buffer.from('PK\x05\x06'), Buffer.alloc(18)])), 'malformed');
});

test('files are those of the manifest', async () => {
  const other = entry('policies.js', JS.replace('true', '1234'));
  const cases: { readonly [name: string]: readonly [entries: readonly ZipEntry[], reason: string] } = {
    'another bundle': [[manifest, other, map, signatures], 'digest_mismatch'],
    'another source map': [[manifest, js, entry('policies.js.map', '{"version":4}'), signatures], 'digest_mismatch'],
    'no source map': [[manifest, js, signatures], 'digest_mismatch'],
    'a manifest of other files': [
      [manifestWith({ files: { 'evil.js': { sha256: '0'.repeat(64), size: 1 } } }), js, map, signatures],
      'digest_mismatch',
    ],
    'a manifest of no files': [[manifestWith({ files: {} }), js, map, signatures], 'digest_mismatch'],
    'a manifest of the prototype': [
      [
        entry(
          'manifest.json',
          canonicalJson(readArchive(good).manifest).replace(
            '"policies.js":',
            '"__proto__":{"sha256":"a","size":1},"policies.js":',
          ),
        ),
        js,
        map,
        signatures,
      ],
      'manifest_invalid',
    ],
    'a key twice': [
      [
        entry(
          'manifest.json',
          canonicalJson(readArchive(good).manifest).replace('"hash":"h"', '"hash":"h","hash":"h"'),
        ),
        js,
        map,
        signatures,
      ],
      'manifest_invalid',
    ],
    blanks: [
      [entry('manifest.json', JSON.stringify(readArchive(good).manifest, undefined, 1)), js, map, signatures],
      'manifest_invalid',
    ],
    'another format': [[manifestWith({ format: 2 }), js, map, signatures], 'format_unsupported'],
    'invalid UTF-8': [
      [
        entry(
          'manifest.json',
          Buffer.concat([Buffer.from(canonicalJson(readArchive(good).manifest)), Buffer.from([0xff])]),
        ),
        js,
        map,
        signatures,
      ],
      'manifest_invalid',
    ],
    'a higher sequence': [[manifestWith({ sequence: 6 }), js, map, signatures], 'signature_invalid'],
    'another engine': [[manifestWith({ engine: '>=0' }), js, map, signatures], 'signature_invalid'],
  };
  for (const [name, [entries, reason]] of Object.entries(cases))
    assert.is(await refusal(writeZip(entries)), reason, name);
});

test('signatures are stripped, exchanged or by others', async () => {
  assert.is(await refusal(unsigned), 'unsigned');
  assert.is(await refusal(Buffer.from(JS)), 'unsigned');
  assert.is(await refusal(await signArchive(unsigned, stranger.signing, Date.now())), 'untrusted');
  const other = await signArchive(writeArchive({ js: JS, manifest: MANIFEST }), key.signing, Date.now());
  const [, , exchanged] = readZip(other, NAMES) as [ZipEntry, ZipEntry, ZipEntry];
  assert.is(await refusal(writeZip([manifest, js, map, exchanged])), 'signature_invalid');
  const text = String(readArchive(good).signatureBytes);
  const with_ = (changed: string) => refusal(writeZip([manifest, js, map, entry('signatures.json', changed)]));
  assert.is(await with_(''), 'signature_invalid');
  assert.is(await with_('[]'), 'signature_invalid');
  assert.is(await with_('null'), 'signature_invalid');
  assert.is(await with_('{"signatures":{}}'), 'signature_invalid');
  assert.is(await with_(text.replace('"protected"', '"header":{},"protected"')), 'signature_invalid');
  assert.is(await with_(text.replace('{"signatures"', '{"payload":"e30","signatures"')), 'signature_invalid');
  const [one] = JSON.parse(text).signatures;
  assert.is(await with_(canonicalJson({ signatures: Array(17).fill(one) })), 'signature_invalid');
});

test('a bundle for another engine, an expired and an early one are refused', async () => {
  const signed = async (change: object) =>
    refusal(await signArchive(writeArchive({ js: JS, manifest: { ...MANIFEST, ...change } }), key.signing, Date.now()));
  assert.is(await signed({ engine: '^7.0.0' }), 'engine_unsupported');
  assert.is(await signed({ engine: 'what' }), 'engine_unsupported');
  assert.is(await signed({ engine: `${'>=0 '.repeat(255)}>=0` }), 'was accepted');
  assert.is(await signed({ notAfter: '2001-01-01T00:00:00Z' }), 'expired');
  assert.is(await signed({ notBefore: '2901-01-01T00:00:00Z' }), 'not_yet_valid');
});

const zeros = deflateRawSync(Buffer.alloc(64 * 1024 * 1024));
const inflateZeros = (): Buffer => inflateRawSync(zeros);

test('bombs are not inflated: they cost neither time nor memory', async () => {
  const bomb = (name: string, size: number): ZipEntry => ({ name, deflated: zeros, crc: 0, size });
  const bombs = (
    [
      [[bomb('manifest.json', 100), js, map], 'malformed'],
      [[bomb('manifest.json', 2 ** 26), js, map], 'too_large'],
      [[manifest, { ...bomb('policies.js', js.size), crc: js.crc }, map, signatures], 'malformed'],
      [[manifest, bomb('policies.js', 2 ** 32 - 2), map, signatures], 'digest_mismatch'],
      [[manifest, js, map, bomb('signatures.json', 2 ** 26)], 'too_large'],
      [[manifest, js, map, bomb('signatures.json', 100)], 'malformed'],
    ] as const
  ).map(([entries, reason]) => ({ archive: writeZip(entries), reason }));
  const before = process.memoryUsage().rss;
  for (const { archive, reason } of bombs) assert.is(await refusal(archive), reason);
  assert.ok(process.memoryUsage().rss - before < 32 * 1024 * 1024, `${process.memoryUsage().rss - before} bytes`);
  for (const { archive, reason } of bombs) await assertCheaper(reason, () => refusal(archive), inflateZeros);
});

test('no byte can be changed', async () => {
  let meaningless = 0;
  for (let at = 0; at < good.length; at += 1) {
    const reason = await refusal(patched(good, at, (good[at] as number) ^ (1 << (at % 8))));
    // Deflate ends with bits that mean nothing.
    if (reason === 'was accepted') meaningless += 1;
  }
  assert.ok(meaningless <= 4, String(meaningless));
  for (let length = 0; length < good.length; length += 7)
    assert.is.not(await refusal(good.subarray(0, length)), 'was accepted', `${length} bytes`);
});

/** The CPU time of a refusal, in microseconds, beyond which it is compared with that of inflating a large file. */
const SUSPECT = 50_000;

test(`${MUTATIONS} random mutations are refused, or mean the same (SEED=${SEED})`, async () => {
  let state = SEED;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  for (let round = 0; round < MUTATIONS; round += 1) {
    let bytes: Uint8Array = Uint8Array.from(good);
    for (let edits = 1 + below(4); edits > 0; edits -= 1) {
      const at = below(bytes.length + 1);
      const end = at + below(Math.min(64, bytes.length - at + 1));
      const piece = bytes.subarray(below(bytes.length), below(bytes.length));
      const kind = below(4);
      if (kind === 0 && at < bytes.length) bytes = patched(bytes, at, below(256));
      else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
      else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
      else bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + piece.length)]);
    }
    const before = process.cpuUsage();
    const reason = await refusal(bytes);
    if (process.cpuUsage(before).user > SUSPECT)
      await assertCheaper(`round ${round}`, () => refusal(bytes), inflateZeros);
    if (reason === 'was accepted') assert.is(readArchive(bytes).digest, readArchive(good).digest, `round ${round}`);
  }
});

test.run();
