import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchFolders } from './watch-folders.js';

const test = suite('watched folders');
const temporary = mkdtempSync(join(tmpdir(), 'authz-watch-'));
test.after(() => rmSync(temporary, { recursive: true, force: true }));

/** Ways in which editors and deployments change a folder, each from files that are there to others. */
const CHANGES: { readonly [name: string]: (at: (path: string) => string) => void } = {
  'a file is saved in place': (at) => writeFileSync(at('policies/a.yaml'), 'two'),
  'a file is renamed onto another': (at) => {
    writeFileSync(at('new.yaml'), 'two');
    renameSync(at('new.yaml'), at('policies/a.yaml'));
  },
  'the folder is replaced by another': (at) => {
    renameSync(at('policies'), at('old'));
    renameSync(at('next'), at('policies'));
  },
  'the folder is deleted and made again': (at) => {
    rmSync(at('policies'), { recursive: true });
    mkdirSync(at('policies'));
    writeFileSync(at('policies/a.yaml'), 'two');
  },
  'the folder is a link that leads elsewhere': (at) => {
    symlinkSync('next', at('link.new'));
    renameSync(at('link.new'), at('link'));
  },
};

for (const [name, change] of Object.entries(CHANGES))
  test(`${name}, and then edited`, async () => {
    const root = mkdtempSync(join(temporary, 'case-'));
    const at = (path: string): string => join(root, path);
    for (const folder of ['policies', 'next']) {
      mkdirSync(at(folder));
      writeFileSync(at(`${folder}/a.yaml`), folder);
    }
    symlinkSync('policies', at('link'));
    const watched = name.includes('link') ? at('link') : at('policies');
    let calls = 0;
    const onChange = async (): Promise<void> => {
      calls += 1;
    };
    const close = watchFolders([watched], onChange, process);
    const call = async (): Promise<void> => {
      const before = calls;
      for (let tries = 0; tries < 200 && calls === before; tries += 1) await wait(50);
      assert.ok(calls > before, name);
    };
    try {
      // Until the system watches.
      await wait(100);
      change(at);
      await call();
      await wait(400);
      const edited = call();
      writeFileSync(join(watched, 'b.yaml'), 'three');
      await edited;
    } finally {
      close();
    }
  });

test.run();
