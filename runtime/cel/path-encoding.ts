import { charge, chargeText } from './meter.js';
import { CelError } from './values.js';

/** A path as the functions work on it: cleaned, with slashes (docs/spec/conditions.md#paths). */
export interface EncodedPath {
  /** `drive` stands under `/X:`, `unc` under `/host/share`, where the share may still be missing. */
  readonly kind: 'normal' | 'drive' | 'unc';
  /** Whether it was written with backslashes, and is to be printed so. */
  readonly windows: boolean;
  readonly value: string;
}

/** Reads a path of either style. A drive letter without any backslash is refused unless it stands alone. */
export function encodePath(path: string): EncodedPath | CelError {
  charge(20 + 2 * path.length);
  chargeText(8 * path.length);
  const windows = path.includes('\\');
  const slashed = windows ? path.replaceAll('\\', '/') : path;
  if (/^\\\\[^\\/]/.test(path)) return { kind: 'unc', windows, value: cleanPath(slashed.slice(1)) };
  if (/^[A-Za-z]:/.test(path)) {
    if (!windows && path.length > 2) return new CelError(`failed to encode path ${path}: unsupported Win32 path`);
    return { kind: 'drive', windows: true, value: cleanPath(`/${slashed}`) };
  }
  return { kind: 'normal', windows, value: cleanPath(slashed) };
}

/** A cleaned value in the style of the path it came from. */
export function decodePath({ kind, windows }: EncodedPath, value: string): string {
  switch (kind) {
    case 'normal':
      return windows ? value.replaceAll('/', '\\') : value;
    case 'drive':
      return value.replace(/^\//, '').replaceAll('/', '\\');
    case 'unc':
      return `${value.startsWith('/') ? '\\' : ''}${value.replaceAll('/', '\\')}`;
  }
}

/** The shortest Unix path that means the same, without looking at any file; `.` for nothing. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith('/');
  const kept: string[] = [];
  for (const element of path.split('/')) {
    if (element === '' || element === '.') continue;
    if (element !== '..') kept.push(element);
    else if (kept.length > 0 && kept[kept.length - 1] !== '..') kept.pop();
    else if (!rooted) kept.push(element);
  }
  const text = kept.join('/');
  if (rooted) return `/${text}`;
  return text === '' ? '.' : text;
}
