import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from './compiled.js';

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

/** The oldest Node that the packages support, where .ci/run has installed it; otherwise the Node of this process. */
export function oldestNode(): string {
  const cache = join(ROOT, '.cache');
  const [folder = ''] = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('node-20.')) : [];
  const modules = join(cache, folder, 'node_modules');
  const [platform = ''] = folder === '' ? [] : readdirSync(modules).filter((name) => name.startsWith('node-'));
  const node = join(modules, platform, 'bin/node');
  return platform !== '' && existsSync(node) ? node : process.execPath;
}

/** An environment in which `node` is that of this process, or another one. */
export function nodeEnvironment(node = process.execPath): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` };
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
