import { join } from 'node:path';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { ProjectChanges } from './changes.js';
import type { ManifestKey } from './manifest.js';

/**
 * The list of changes: created files, and the added lines of package.json.
 * @param directory the folder as the author named it.
 * @param tense whether the changes are made, or would be.
 */
export function changesText(directory: string, changes: ProjectChanges, tense: 'would' | 'done'): string {
  const { created, kept, manifest, notes } = changes;
  const shown = (path: string): string => `  ${visible(join(directory, path))}`;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${title}:`, ...lines, ''];
  const isChanged = manifest !== undefined && manifest.added.length > 0;
  return [
    ...section(tense === 'done' ? 'created' : 'would create', [...created.keys()].map(shown)),
    ...section(
      tense === 'done' ? 'changed' : 'would change',
      isChanged ? [shown('package.json'), ...manifest.added.map((key) => `    + ${keyText(key)}`)] : [],
    ),
    ...section('kept', [
      ...kept.map(shown),
      ...(manifest === undefined || manifest.kept.length === 0
        ? []
        : [shown('package.json'), ...manifest.kept.map((key) => `      ${keyText(key)}`)]),
    ]),
    ...section(
      'note',
      notes.map((note) => `  ${note}`),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function keyText({ path, value }: ManifestKey): string {
  return visible(`${path.join('.')}: ${JSON.stringify(value)}`);
}

/** The commands to run now. */
export function nextSteps(directory: string, { isNew, template }: ProjectChanges): string {
  const folder = visible(join(directory));
  return [
    'next:',
    ...(folder === '.' ? [] : [`  cd ${shellWord(folder)}`]),
    '  npm install',
    ...(isNew ? ['  npm test               # compiles the policies, and runs all tests'] : []),
    ...(isNew ? [] : ['  npm run authz:compile  # and again after each change of a policy']),
    ...(template === undefined
      ? []
      : [
          '  npm start              # starts the sample application; in another terminal:',
          "  curl -H 'x-user: alice' http://localhost:3000/documents",
        ]),
    '  npx authzc dev         # runs the tests after each change; playground at http://localhost:3592/',
    '',
  ].join('\n');
}

/** A path as one word of a shell. */
function shellWord(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
