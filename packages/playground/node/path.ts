/*
 * What the compiler uses of `node:path`, for browsers. The paths of the playground are relative and have no `..`. The
 * build of the page puts it in place of that module.
 */

export const sep = '/';

export function join(...parts: readonly string[]): string {
  const kept: string[] = [];
  for (const part of parts.join('/').split('/')) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return kept.join('/') || '.';
}

export function dirname(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '.' : path.slice(0, end);
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The way from one folder to another. */
export function relative(from: string, to: string): string {
  const [a, b] = [splitPath(from), splitPath(to)];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
}

function splitPath(path: string): readonly string[] {
  const whole = join(path);
  return whole === '.' ? [] : whole.split('/');
}

export const posix = { sep, join, dirname, basename, relative };
