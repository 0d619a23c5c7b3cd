import { lstatSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { visible } from '../../compiler/diagnostics/visible.js';
import { EXIT } from '../exit.js';
import { initFiles } from './init-files.js';

/**
 * `authzc init`: creates a project that compiles, has a passing test and can be served. Writes all of its files, or
 * none if one of them exists. Returns the exit code.
 */
export async function initCommand(directory: string): Promise<number> {
  const folder = resolve(directory);
  const files = Object.entries(initFiles(projectName(basename(folder))));
  const inTheWay = files.filter(([path]) => stands(join(folder, path)));
  if (inTheWay.length > 0) {
    const names = inTheWay.map(([path]) => `  ${visible(join(directory, path))}\n`).join('');
    process.stderr.write(
      `authzc: nothing was written, because files are in the way:\n${names}name another folder: authzc init DIR\n`,
    );
    return EXIT.failed;
  }
  await writeAll(files.map(([path, text]) => [join(folder, path), text]));
  process.stdout.write(
    nextSteps(
      directory,
      files.map(([path]) => path),
    ),
  );
  return EXIT.done;
}

/** Whether anything exists at a path; a symbolic link counts, wherever it points. */
function stands(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // For example, a parent of the path is a file: the error of writing names it.
    return false;
  }
}

/** When a file cannot be written, those before it are removed again. */
async function writeAll(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(path), { recursive: true });
      // Fails rather than overwrite a file that was created in the meantime.
      const handle = await open(path, 'wx');
      written.push(path);
      try {
        await handle.writeFile(text);
      } finally {
        await handle.close();
      }
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    throw error;
  }
}

/** A name that npm accepts. */
function projectName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  // A project of the same name would import itself.
  return name === '' || name === 'authz' ? 'my-policies' : name;
}

function nextSteps(directory: string, paths: readonly string[]): string {
  const folder = visible(join(directory));
  return [
    'created:',
    ...paths.map((path) => `  ${visible(join(directory, path))}`),
    '',
    'next:',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    '  npm install',
    '  npm test                  # compiles policies/, then runs tests/',
    '  npx authzc plan --principal people/alice.yaml --kind document --action view',
    '  npx authzc serve --watch  # REST and Connect on port 3592, gRPC on 3593',
    '',
  ].join('\n');
}
