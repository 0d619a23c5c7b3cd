import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Code, messages } from '../compiler/diagnostics/messages.js';
import {
  CASES,
  fileNameOf,
  FLAGS_FILE,
  flagsOf,
  GENERATED_FILES,
  type GeneratedFile,
  generatedFilesOf,
} from '../tests/diagnostics/cases.js';

/**
 * The pages of docs/diagnostics by file name, sorted: one a code, with its recorded example, and the index. Equal input
 * gives equal text.
 */
export function diagnosticsPages(): ReadonlyMap<string, string> {
  const codes = (Object.keys(messages) as Code[]).toSorted();
  return new Map([
    ['README.md', indexPage(codes)],
    ...codes.map((code) => [`${fileNameOf(code)}.md`, pageOf(code)] as const),
  ]);
}

function indexPage(codes: readonly Code[]): string {
  return `${HEAD}
# Diagnostics

Everything the compiler says about policies has a code, a place, a sentence and, where there is one, a note with the way out. An **error** refuses the policies: nothing is
written, and \`authzc compile\` ends with status 3. A **warning** is about something that compiles and decides, but surely not as it was meant; it fails nothing, unless
asked to:

\`\`\`sh
authzc compile policies --fail-on warning
authzc compile policies --output json      # for programs: { "errors": [...], "warnings": [...] }
\`\`\`

Warnings are looked for only in policies without errors.

| code | | what it is about |
|---|---|---|
${codes.map((code) => `| [\`${code}\`](${fileNameOf(code)}.md) | ${messages[code].severity} | ${gistOf(code)} |`).join('\n')}
`;
}

const HEAD =
  '<!-- Made by scripts/generate-diagnostics-docs.ts from compiler/diagnostics/messages and tests/diagnostics. Do not edit. -->\n';

/** The first sentence of the explanation, up to a colon or full stop that is not in code. */
function gistOf(code: Code): string {
  const paragraph = messages[code].explanation.trim().split('\n\n')[0] as string;
  const [sentence] = /^(?:`[^`]*`|[^`.:]|[.:](?! |$))*/.exec(paragraph.replace(/\s+/g, ' ')) ?? [''];
  return sentence.replaceAll('|', '\\|');
}

function pageOf(code: Code): string {
  const { severity, stage, explanation } = messages[code];
  const folder = join(CASES, fileNameOf(code));
  const shown = readFileSync(join(folder, 'diagnostics.txt'), 'utf8').trimEnd();
  return `${HEAD}
# ${code}

**${severity === 'error' ? 'Error' : 'Warning'}**, found when ${stage === 'load' ? 'loading the files' : 'compiling the policies'}. ${CONSEQUENCE[severity]}

## What it means

${explanation.trim()}

## Example

${examplesIn(folder).join('\n\n')}

\`${['authzc compile', ...flagsOf(folder)].join(' ')}\` says:

${fenced('text', clipped(shown))}

[All diagnostics](README.md)
`;
}

const CONSEQUENCE = {
  error: 'The policies are refused.',
  warning: 'The policies compile; `authzc compile --fail-on warning` refuses them.',
} as const;

function examplesIn(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => path !== 'diagnostics.txt' && path !== FLAGS_FILE)
    .toSorted();
  return paths.flatMap((path) =>
    path === GENERATED_FILES ? generatedFilesOf(folder).map(describe) : [exampleOf(folder, path)],
  );
}

function describe(file: GeneratedFile): string {
  if ('link' in file) return `\`${file.path}\` is a symbolic link to \`${file.link}\`.`;
  return `\`${file.path}\`, ${file.times} times:\n\n${fenced('yaml', file.text.trimEnd())}`;
}

function exampleOf(folder: string, path: string): string {
  // A file that is no UTF-8 is shown as an editor would show it.
  const text = readFileSync(join(folder, path), 'utf8').trimEnd();
  return `\`${path}\`\n\n${fenced(path.endsWith('.json') ? 'json' : 'yaml', clipped(text))}`;
}

/** Lines of any length do not belong on a page. */
function clipped(text: string): string {
  return text.replace(/^(.{200}).+$/gm, '$1…');
}

function fenced(language: string, text: string): string {
  const fence = text.includes('```') ? '````' : '```';
  return `${fence}${language}\n${text}\n${fence}`;
}
