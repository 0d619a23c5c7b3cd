import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { visible } from '../../compiler/diagnostics/visible.js';
import { version } from '../../compiler/version.js';

/** What a command found, in the terms of SARIF 2.1.0. Text is shown as for terminals: harmless characters only. */
export interface Finding {
  /** The id of its rule. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  /** The first sentence is its title. */
  readonly message: string;
  readonly location: Location;
  /** Other locations that explain it. */
  readonly related?: readonly (Location & { readonly message: string })[];
  readonly fix?: Fix;
}

/** A kind of finding. */
export interface FindingRule {
  readonly id: string;
  readonly level: Finding['level'];
  /** What it means and how to fix it, in Markdown. The first sentence is its description. */
  readonly help: string;
}

/** A file, or a folder for a problem of all of its files, and the part of it. */
export interface Location {
  /** From the working directory. */
  readonly path: string;
  readonly region?: Region;
}

/** A part of a file. Lines and columns are 1-based, columns count UTF-16 units; the end is exclusive. */
export interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The text of the region; left out if it is long. */
  readonly text?: string;
  /** The line that it begins on. */
  readonly line: string;
}

/** Replaces a part of the file of a finding. */
export interface Fix {
  readonly description: string;
  readonly region: Region;
  readonly text: string;
}

/** More than that is not read by code scanning services. */
export const MOST_RESULTS = 25_000;

/**
 * A SARIF log of one run, with a final line break. Paths are relative to `SRCROOT`, the repository of the working
 * directory, or that directory outside of one.
 *
 * @param rules the rules of the findings; those without a finding are left out.
 */
export function sarifLog(findings: readonly Finding[], rules: readonly FindingRule[]): string {
  const kept = findings.slice(0, MOST_RESULTS);
  const used = rules.filter(({ id }) => kept.some(({ rule }) => rule === id));
  const indices = new Map(used.map(({ id }, index) => [id, index]));
  const root = repositoryOf(resolve());
  const fingerprint = fingerprints();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'authzc', semanticVersion: version, rules: used.map(ruleOf) } },
        originalUriBaseIds: { SRCROOT: { description: { text: 'The root of the repository.' } } },
        columnKind: 'utf16CodeUnits',
        results: kept.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: indices.get(finding.rule),
          level: finding.level,
          message: { text: visibleLines(finding.message) },
          locations: [{ physicalLocation: physicalOf(finding.location, root) }],
          partialFingerprints: { 'authzc/v1': fingerprint(finding, uriOf(finding.location.path, root)) },
          ...(finding.related !== undefined &&
            finding.related.length > 0 && {
              relatedLocations: finding.related.map((other, index) => ({
                id: index + 1,
                physicalLocation: physicalOf(other, root),
                message: { text: visibleLines(other.message) },
              })),
            }),
          ...(finding.fix && { fixes: [fixOf(finding.fix, uriOf(finding.location.path, root))] }),
        })),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function ruleOf({ id, level, help }: FindingRule): object {
  const text = help.trim();
  const description = { text: firstSentence(text) };
  return {
    id,
    shortDescription: description,
    fullDescription: description,
    help: { text, markdown: text },
    defaultConfiguration: { level },
  };
}

/** Without Markdown's marks of code. Services show at most 1,024 characters. */
function firstSentence(text: string): string {
  const sentence = /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
  return sentence.replace(/\s+/g, ' ').replaceAll('`', '').slice(0, 1024);
}

function physicalOf({ path, region }: Location, root: string): object {
  return { artifactLocation: artifactOf(uriOf(path, root)), ...(region && { region: regionOf(region) }) };
}

function artifactOf(uri: string): object {
  return { uri, uriBaseId: 'SRCROOT' };
}

function regionOf({ startLine, startColumn, endLine, endColumn, text }: Region): object {
  return { startLine, startColumn, endLine, endColumn, ...(text !== undefined && { snippet: { text } }) };
}

function fixOf(
  { description, region: { startLine, startColumn, endLine, endColumn }, text }: Fix,
  uri: string,
): object {
  const deletedRegion = { startLine, startColumn, endLine, endColumn };
  return {
    description: { text: visibleLines(description) },
    artifactChanges: [
      { artifactLocation: artifactOf(uri), replacements: [{ deletedRegion, insertedContent: { text } }] },
    ],
  };
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** A relative URI. A folder has a final slash. */
function uriOf(path: string, root: string): string {
  const uri = relative(root, resolve(path)).split(sep).map(encodeURIComponent).join('/');
  return path.endsWith('/') ? `${uri}/` : uri;
}

/** The closest folder above with a `.git`, which is a file in worktrees; the folder itself if there is none. */
function repositoryOf(folder: string): string {
  for (let parent = folder; ; parent = dirname(parent)) {
    if (existsSync(join(parent, '.git'))) return parent;
    if (parent === dirname(parent)) return folder;
  }
}

/**
 * Identifies a finding in later runs, also if lines above it come or go: by its rule, its file, the line that it begins
 * on and, of several with the same line, their order. `primaryLocationLineHash` is left to the services that define it:
 * they warn of one that they would compute otherwise.
 */
function fingerprints(): (finding: Finding, uri: string) => string {
  const seen = new Map<string, number>();
  return ({ rule, location: { region } }, uri) => {
    const key = JSON.stringify([rule, uri, region?.line.trim() ?? '']);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return createHash('sha256').update(`${key}${count}`).digest('hex').slice(0, 32);
  };
}
