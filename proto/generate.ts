import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generator/generated-files.js';

/*
 * `npm run generate:proto`: writes gen/ from the .proto files. With `--check` it only compares, and ends with code 1 when the committed files
 * are not what the definitions give.
 */

const folder = fileURLToPath(new URL('gen/', import.meta.url));
const files = generatedFiles(fileURLToPath(new URL('.', import.meta.url)));

if (process.argv.includes('--check')) check();
else write();

function write(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of files) {
    mkdirSync(dirname(folder + name), { recursive: true });
    writeFileSync(folder + name, text);
  }
}

function check(): void {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|json)$/.test(name));
  if (found.length === files.size && found.every((name) => readFileSync(folder + name, 'utf8') === files.get(name)))
    return;
  console.error('proto/gen is not what the .proto files give; run: npm run generate:proto');
  process.exitCode = 1;
}
