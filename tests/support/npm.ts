import { execFile } from 'node:child_process';
import { realpathSync, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * The npm program, to run with the Node of this process: a Node binary of the registry has no npm. Throws when there is
 * none.
 */
export function npmProgram(): string {
  const { npm_execpath: running, PATH = '' } = process.env;
  if (running?.endsWith('npm-cli.js')) return running;
  const found = [dirname(process.execPath), ...PATH.split(delimiter)]
    .map((folder) => join(folder, 'npm'))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error('npm is not installed');
  return realpathSync(found);
}

/** An environment in which `node` is the Node of this process. */
export function nodeEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
}

/** Whether npm can install packages. npm is asked once. */
export function isRegistryReachable(): Promise<boolean> {
  reachable ??= new Promise((resolve) => {
    execFile(process.execPath, [npmProgram(), 'view', 're2js', 'version'], { env: nodeEnvironment() }, (error) =>
      resolve(error === null),
    );
  });
  return reachable;
}

let reachable: Promise<boolean> | undefined;
