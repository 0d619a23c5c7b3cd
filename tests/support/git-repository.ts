import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A git repository in a temporary folder, without the configuration of the user. */
export interface Repository {
  readonly folder: string;
  /** Runs git in it and returns what it prints. */
  readonly git: (...args: readonly string[]) => string;
  /** Writes files. */
  readonly write: (files: { readonly [path: string]: string | Uint8Array }) => void;
  /** Commits everything. */
  readonly commit: (files?: { readonly [path: string]: string | Uint8Array }) => void;
  readonly remove: () => void;
}

/** A new repository whose branch is `main`. */
export function newRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'authz-git-'));
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const write = (files: { readonly [path: string]: string | Uint8Array }): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    git,
    write,
    commit: (files = {}) => {
      write(files);
      git('add', '--all');
      git('commit', '--quiet', '--message=change', '--allow-empty');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
