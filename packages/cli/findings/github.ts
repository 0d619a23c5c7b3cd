import { resolve } from 'node:path';
import { type Finding, visibleLines } from './finding.js';
import { pathInRepository, findRepository } from './repository.js';

/**
 * Findings as commands of a GitHub workflow, a line for each: they become annotations of the files of a change
 * (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
 */
export function githubLog(findings: readonly Finding[]): string {
  const root = findRepository(resolve());
  return findings.map((finding) => `${formatCommand(finding, root)}\n`).join('');
}

function formatCommand({ rule, level, message, location: { path, region } }: Finding, root: string): string {
  const properties = {
    file: pathInRepository(path, root),
    ...(region && { line: region.startLine, endLine: region.endLine, col: region.startColumn }),
    // Columns of several lines are not shown.
    ...(region?.startLine === region?.endLine && region && { endColumn: region.endColumn }),
    title: rule,
  };
  const written = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  return `::${COMMANDS[level]} ${written.join(',')}::${escaped(visibleLines(message))}`;
}

const COMMANDS: { readonly [level in Finding['level']]: string } = {
  error: 'error',
  warning: 'warning',
  note: 'notice',
};

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
