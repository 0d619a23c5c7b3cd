import { posix } from 'node:path';
import { isSkippedDirectory, isSuiteFile, SCHEMAS_DIRECTORY } from '../../../compiler/load/index.js';
import { isMap, isScalar } from '../../yaml-input/index.js';
import { type KeyNote, quoteVariables, translateConfig } from './config.js';
import type { Finding } from './steps.js';
import type { Tree } from './tree.js';
import { readDocument } from './yaml-edits.js';

/** A configuration, as it is after the migration. */
export interface PlannedConfig {
  readonly path: string;
  /** Where it is after the migration. */
  readonly target: string;
  readonly text: string;
  readonly notes: readonly KeyNote[];
}

/** The configurations of a repository, and files that may be others. */
export interface ConfigFiles {
  readonly configs: readonly PlannedConfig[];
  readonly findings: readonly Finding[];
}

/**
 * Finds and translates configurations of the reference PDP. Other programs have similar files: one that is not named is
 * translated only if its path or its text names the PDP, or a file that names the PDP names it.
 *
 * @param named the path of the configuration, if the caller knows it.
 * @param isOther whether a file is known to be something else.
 */
export function findConfigs(tree: Tree, named: string | undefined, isOther: (path: string) => boolean): ConfigFiles {
  if (named !== undefined) return { configs: [plannedConfig(named, tree)], findings: [] };
  const found = [...tree].filter(
    ([path, text]) => !isOther(path) && isYaml(path) && (isReferenceConfig(text) || hasUsualName(path, text)),
  );
  const isCertain = ([path, text]: readonly [string, string]): boolean =>
    /cerbos/i.test(path) || /cerbos/i.test(text) || isNamedBeside(path, tree);
  return {
    configs: found.filter(isCertain).map(([path]) => plannedConfig(path, tree)),
    findings: found
      .filter((file) => !isCertain(file))
      .map(([path]) => ({
        kind: 'finding',
        topic: 'configuration',
        path,
        line: 1,
        what: posix.basename(path),
        advice:
          'this may be a Cerbos configuration, or that of another program: pass it with `--config` to translate it',
      })),
  };
}

/** `.cerbos.yaml`, whatever blocks it has. */
function hasUsualName(path: string, text: string): boolean {
  return /(?:^|\/)\.?cerbos\.ya?ml$/i.test(path) && translateConfig(text) !== undefined;
}

function plannedConfig(path: string, tree: Tree): PlannedConfig {
  const text = tree.get(path) ?? '';
  const translated = translateConfig(text);
  if (translated !== undefined) return { path, target: chooseTarget(path, tree), ...translated };
  const note: KeyNote = {
    key: '',
    line: 1,
    change: 'by hand',
    advice: 'the file is not a configuration in YAML, before variables are put in: translate it by hand',
    isOpen: true,
  };
  return { path, target: path, text, notes: [note] };
}

function isYaml(path: string): boolean {
  const parents = path.split('/').slice(0, -1);
  return (
    /\.(?:ya?ml|json)$/i.test(path) &&
    !isSuiteFile(posix.basename(path)) &&
    !parents.some((part) => part === SCHEMAS_DIRECTORY || isSkippedDirectory(part))
  );
}

/** Blocks of a configuration, and those that people add. */
const BLOCKS = new Set(
  'server storage engine auxData audit schema compile telemetry hub tracing log logging logger logLevel'.split(' '),
);

const DRIVERS = new Set(['disk', 'git', 'blob', 'sqlite3', 'postgres', 'mysql', 'overlay', 'hub']);

/** Whether a file has what a configuration of the reference PDP has, and nothing else. */
export function isReferenceConfig(text: string): boolean {
  if (!/\b(?:driver|httpListenAddr|grpcListenAddr)\b/.test(text)) return false;
  const document = readDocument(quoteVariables(text));
  if (document === undefined || !isMap<unknown>(document.contents)) return false;
  const names = document.contents.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
  if (!names.every((name) => BLOCKS.has(name))) return false;
  const driver = document.getIn(['storage', 'driver']);
  const listens = ['httpListenAddr', 'grpcListenAddr'].some((key) => document.hasIn(['server', key]));
  return listens || (typeof driver === 'string' && DRIVERS.has(driver));
}

/** Whether a file that names the PDP, such as a compose file, also names this one. */
function isNamedBeside(path: string, tree: Tree): boolean {
  const name = posix.basename(path);
  return [...tree].some(
    ([other, text]) => other !== path && !isProse(other) && text.includes(name) && /cerbos/i.test(text),
  );
}

/** `.cerbos.yaml` becomes `.authz.yaml`, which commands find, unless other files name it. */
function chooseTarget(path: string, tree: Tree): string {
  const { dir, base } = posix.parse(path);
  if (base !== '.cerbos.yaml') return path;
  const target = posix.join(dir, '.authz.yaml');
  const isNamed = [...tree].some(([other, text]) => other !== path && !isProse(other) && text.includes(base));
  return isNamed || tree.has(target) ? path : target;
}

/** Whether a file is for readers. */
export function isProse(path: string): boolean {
  return /\.(?:md|mdx|adoc|rst|txt)$/i.test(path);
}
