import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { version } from '../../../compiler/version.js';
import { type Finding, type FindingRule, type Fix, type Location, type Region, visibleLines } from './finding.js';
import { pathInRepository, findRepository } from './repository.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';

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
  const root = findRepository(resolve());
  const fingerprint = fingerprints();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'authzc', semanticVersion: version, rules: used.map(toRule) } },
        originalUriBaseIds: { SRCROOT: { description: { text: 'The root of the repository.' } } },
        columnKind: 'utf16CodeUnits',
        results: kept.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: indices.get(finding.rule),
          level: finding.level,
          message: { text: visibleLines(finding.message) },
          locations: [{ physicalLocation: toPhysicalLocation(finding.location, root) }],
          partialFingerprints: { 'authzc/v1': fingerprint(finding, toUri(finding.location.path, root)) },
          ...(finding.related !== undefined &&
            finding.related.length > 0 && {
              relatedLocations: finding.related.map((other, index) => ({
                id: index + 1,
                physicalLocation: toPhysicalLocation(other, root),
                message: { text: visibleLines(other.message) },
              })),
            }),
          ...(finding.fix && { fixes: [toFix(finding.fix, toUri(finding.location.path, root))] }),
        })),
      },
    ],
  };
  return `${visibleJson(log, 2)}\n`;
}

function toRule({ id, level, help }: FindingRule): object {
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

/** Cuts the first sentence, without Markdown's marks of code. Services show at most 1,024 characters. */
function firstSentence(text: string): string {
  const sentence = /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
  return sentence.replace(/\s+/g, ' ').replaceAll('`', '').slice(0, 1024);
}

function toPhysicalLocation({ path, region }: Location, root: string): object {
  return { artifactLocation: toArtifact(toUri(path, root)), ...(region && { region: toRegion(region) }) };
}

function toArtifact(uri: string): object {
  return { uri, uriBaseId: 'SRCROOT' };
}

function toRegion({ startLine, startColumn, endLine, endColumn, text }: Region): object {
  return { startLine, startColumn, endLine, endColumn, ...(text !== undefined && { snippet: { text } }) };
}

function toFix(
  { description, region: { startLine, startColumn, endLine, endColumn }, text }: Fix,
  uri: string,
): object {
  const deletedRegion = { startLine, startColumn, endLine, endColumn };
  return {
    description: { text: visibleLines(description) },
    artifactChanges: [
      { artifactLocation: toArtifact(uri), replacements: [{ deletedRegion, insertedContent: { text } }] },
    ],
  };
}

/** A relative URI. A folder has a final slash. */
function toUri(path: string, root: string): string {
  return pathInRepository(path, root).split('/').map(encodeURIComponent).join('/');
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
