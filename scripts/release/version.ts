/** A file that names the version of the release, and the lines that do so; `%` stands for the version. */
export interface VersionedFile {
  readonly path: string;
  readonly lines: readonly string[];
}

/** All of them, but for the manifests of generated folders, which the compiler writes. */
export const VERSIONED_FILES: readonly VersionedFile[] = [
  { path: 'package.json', lines: ['  "version": "%",'] },
  { path: 'package-lock.json', lines: ['  "version": "%",', '      "version": "%",'] },
  { path: 'compiler/version.ts', lines: ["export const version = '%';"] },
  { path: 'packages/bundle/engine.ts', lines: ["export const engineVersion = '%';"] },
  { path: 'deploy/helm/authz/Chart.yaml', lines: ['version: %', 'appVersion: %'] },
  { path: 'Dockerfile', lines: ['ARG VERSION=%'] },
];

/** Replaces the version in a file: each of its lines, at the first occurrence. Throws if one is missing. */
export function withVersion(text: string, { path, lines }: VersionedFile, from: string, to: string): string {
  return lines.reduce((before, line) => {
    const found = `\n${line.replace('%', from)}\n`;
    const at = `\n${before}`.indexOf(found);
    if (at < 0) throw new Error(`${path}: no line \`${line.replace('%', from)}\``);
    return `${before.slice(0, at)}${line.replace('%', to)}${before.slice(at + found.length - 2)}`;
  }, text);
}

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** Below 0 when the first version is older, above when it is newer. Throws for what is not `X.Y.Z`. */
export function compareVersions(first: string, second: string): number {
  const [left, right] = [first, second].map((version) => {
    const parts = VERSION.exec(version);
    if (parts === null) throw new Error(`\`${version}\` must be a version such as 1.2.3`);
    return parts.slice(1).map(Number);
  }) as [number[], number[]];
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing < 0 ? 0 : (left[differing] as number) - (right[differing] as number);
}
