import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { succeedOnce, until } from '../tests/support/timeout.js';
import { readState, watchPaths } from './watch-paths.js';

const test = suite('watched paths');
const temporary = mkdtempSync(join(tmpdir(), 'authz-watch-'));
test.after(() => rmSync(temporary, { recursive: true, force: true }));

type At = (path: string) => string;

/** Ways in which editors, git and deployments change `policies/a.yaml`. `text` is as long as the one before. */
const CHANGES: { readonly [name: string]: (at: At, text: string) => void } = {
  'in place': (at, text) => writeFileSync(at('policies/a.yaml'), text),
  'renamed onto the file': (at, text) => {
    writeFileSync(at('new.yaml'), text);
    renameSync(at('new.yaml'), at('policies/a.yaml'));
  },
  'renamed onto the file, with the time of the old one': (at, text) => {
    writeFileSync(at('new.yaml'), text);
    utimesSync(at('new.yaml'), 1, 1);
    renameSync(at('new.yaml'), at('policies/a.yaml'));
  },
  'deleted and made again': (at, text) => {
    unlinkSync(at('policies/a.yaml'));
    writeFileSync(at('policies/a.yaml'), text);
  },
  'copied aside, then in place': (at, text) => {
    copyFileSync(at('policies/a.yaml'), at('policies/a.yaml~'));
    writeFileSync(at('policies/a.yaml'), text);
    unlinkSync(at('policies/a.yaml~'));
  },
  'in a folder of the folder': (at, text) => {
    rmSync(at('policies/deep'), { recursive: true, force: true });
    mkdirSync(at('policies/deep/er'), { recursive: true });
    writeFileSync(at('policies/deep/er/b.yaml'), text);
  },
  'the folder is made again': (at, text) => {
    rmSync(at('policies'), { recursive: true });
    mkdirSync(at('policies'));
    writeFileSync(at('policies/a.yaml'), text);
  },
  'the folder is moved away for another': (at, text) => {
    rmSync(at('next'), { recursive: true, force: true });
    mkdirSync(at('next'));
    writeFileSync(at('next/a.yaml'), text);
    rmSync(at('old'), { recursive: true, force: true });
    renameSync(at('policies'), at('old'));
    renameSync(at('next'), at('policies'));
  },
  'the folder above is made again': (at, text) => {
    rmSync(at('.'), { recursive: true });
    mkdirSync(at('policies'), { recursive: true });
    writeFileSync(at('policies/a.yaml'), text);
  },
  'a ConfigMap is updated': (at, text) => {
    const data = `..${text}`;
    mkdirSync(at(`policies/${data}`));
    writeFileSync(at(`policies/${data}/a.yaml`), text);
    symlinkSync(data, at('policies/..data_tmp'));
    renameSync(at('policies/..data_tmp'), at('policies/..data'));
    rmSync(at('policies/a.yaml'), { force: true });
    symlinkSync('..data/a.yaml', at('policies/a.yaml'));
  },
  'the data of a ConfigMap alone is replaced': (at, text) => {
    const data = `..${text}`;
    mkdirSync(at(`policies/${data}`));
    writeFileSync(at(`policies/${data}/c.yaml`), text);
    symlinkSync(data, at('policies/..data_tmp'));
    renameSync(at('policies/..data_tmp'), at('policies/..data'));
    if (text === 'two') symlinkSync('..data/c.yaml', at('policies/c.yaml'));
  },
  'git checkout': (at, text) => {
    writeFileSync(at('policies/a.yaml'), text);
    execFileSync('git', ['checkout', '-q', 'HEAD', 'policies'], { cwd: at('.') });
    execFileSync('git', ['rm', '-q', '--cached', 'policies/a.yaml'], { cwd: at('.') });
    writeFileSync(at('policies/a.yaml'), text);
    execFileSync('git', ['add', '.'], { cwd: at('.') });
    execFileSync('git', [...AUTHOR, 'commit', '-q', '-m', text], { cwd: at('.') });
    execFileSync('git', ['checkout', '-q', 'HEAD~1'], { cwd: at('.') });
    execFileSync('git', ['checkout', '-q', '-'], { cwd: at('.') });
  },
};

const AUTHOR = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
const FAST = { interval: 20, quiet: 20 };

/** All at once: they wait most of the time. */
test('every way to save is noticed, again and again, and so is a write in place afterwards', async () => {
  const missed = await Promise.all(
    Object.entries(CHANGES).map(async ([name, change]) => {
      const root = mkdtempSync(join(temporary, 'case-'));
      const at: At = (path) => join(root, path);
      mkdirSync(at('policies'));
      writeFileSync(at('policies/a.yaml'), 'one');
      if (name.startsWith('git')) {
        execFileSync('git', ['init', '-q'], { cwd: root });
        execFileSync('git', ['add', '.'], { cwd: root });
        execFileSync('git', [...AUTHOR, 'commit', '-q', '-m', 'one'], { cwd: root });
      }
      const watched = await watch([at('policies')]);
      try {
        for (const text of ['two', 'six', 'ten']) {
          change(at, text);
          if (!(await watched.noticed())) return `${name}: ${text}`;
        }
        writeFileSync(at('policies/a.yaml'), 'end');
        return (await watched.noticed()) ? '' : `${name}, and then in place`;
      } finally {
        watched.close();
      }
    }),
  );
  assert.equal(
    missed.filter((name) => name !== ''),
    [],
  );
});

test('a link to a folder may lead elsewhere, and a folder may appear later', async () => {
  const root = mkdtempSync(join(temporary, 'links-'));
  for (const name of ['a', 'b']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'x.yaml'), name);
  }
  symlinkSync('a', join(root, 'link'));
  // A circle ends.
  symlinkSync('..', join(root, 'b/up'));
  const watched = await watch([join(root, 'link'), join(root, 'later')]);
  symlinkSync('b', join(root, 'new'));
  renameSync(join(root, 'new'), join(root, 'link'));
  assert.ok(await watched.noticed());
  mkdirSync(join(root, 'later'));
  assert.ok(await watched.noticed());
  watched.close();
});

test('what changed since an earlier look is noticed; without one, everything counts as changed', async () => {
  const folder = mkdtempSync(join(temporary, 'since-'));
  const since = await readState([folder]);
  writeFileSync(join(folder, 'a.yaml'), 'one');
  for (const state of [since, undefined]) {
    const watched = await watch([folder], { since: state });
    assert.ok(await watched.noticed());
    watched.close();
  }
  const watched = await watch([folder], { since: await readState([folder]) });
  await wait(200);
  assert.is(watched.calls(), 0);
  watched.close();
});

test('a process that was stopped in one look keeps looking as often as before', async () => {
  const folder = mkdtempSync(join(temporary, 'stopped-'));
  const { now } = performance;
  let asked = 0;
  // An hour passes in the first look, and in no other: how many there are by now depends on the machine.
  performance.now = () => now.call(performance) + (asked++ === 0 ? 0 : 3_600_000);
  const watched = await watch([folder]);
  try {
    await until(() => asked >= 2, 'one look');
    writeFileSync(join(folder, 'a.yaml'), 'one');
    assert.ok(await watched.noticed());
  } finally {
    watched.close();
    performance.now = now;
  }
});

test('changes that follow each other quickly, and hidden files, are one change and none', async () => {
  // If this process waits for a processor longer than the quiet time, changes do not follow each other quickly.
  await succeedOnce(5, async () => {
    const folder = mkdtempSync(join(temporary, 'quick-'));
    const watched = await watch([folder], { interval: 20, quiet: 100 });
    try {
      for (let index = 0; index < 10; index += 1) {
        writeFileSync(join(folder, 'a.yaml'), `${index}`);
        await wait(5);
      }
      assert.ok(await watched.noticed());
      writeFileSync(join(folder, '.a.yaml.swp'), 'x');
      await wait(300);
      assert.is(watched.calls(), 1);
    } finally {
      watched.close();
    }
  });
});

test.run();

async function watch(paths: readonly string[], options: object = {}) {
  const since = await readState(paths);
  let calls = 0;
  let known = 0;
  const { close } = watchPaths(
    paths,
    () => {
      calls += 1;
    },
    { ...FAST, since, ...options },
  );
  const noticed = async (): Promise<boolean> => {
    await until(() => calls > known, 'a change').catch(() => undefined);
    const more = calls > known;
    // A change in steps may count twice.
    await wait(100);
    known = calls;
    return more;
  };
  return { close, noticed, calls: () => calls };
}
