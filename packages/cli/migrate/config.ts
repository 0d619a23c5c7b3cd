import {
  commentsIn,
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Pair,
  type Scalar,
  type YAMLMap,
} from '../../yaml-input/index.js';
import { findDisagreements } from '../../../server/config/agreements.js';
import { hasOneListener } from '../../../server/config/address.js';
import { ConfigError } from '../../../server/config/config-error.js';
import { writeDuration } from '../../../server/config/duration.js';
import type { ConfigKey } from '../../../server/config/keys.js';
import type { ConfigNode, MapNode } from '../../../server/config/node.js';
import { readConfig } from '../../../server/config/read.js';
import { describeType } from '../../../server/config/schema-type.js';
import { examine, findKey, likelyKey } from '../../../server/config/settings.js';
import { readDocument } from './yaml-edits.js';
import { driverAdvice, type KeyAdvice, REMOVED, type Values } from './config-advice.js';

/** A configuration for our server, and what happened to each key that did not stay as it was. */
export interface TranslatedConfig {
  readonly text: string;
  readonly notes: readonly KeyNote[];
}

export interface KeyNote extends KeyAdvice {
  readonly key: string;
  /** Line in the original file; 0 for a key that is new. */
  readonly line: number;
  readonly change: 'added' | 'changed' | 'removed' | 'kept' | 'by hand';
}

/**
 * Translates a configuration of the reference PDP. Keys without a meaning are removed and kept as comments at the end;
 * all are reported. Undefined if the file is not a configuration in YAML. Translating the result changes nothing.
 */
export function translateConfig(written: string): TranslatedConfig | undefined {
  const text = quoteVariables(written);
  const lines = new LineCounter();
  const document = readDocument(text, { intAsBigInt: true, lineCounter: lines });
  if (document === undefined || !isConfig(document.contents)) return undefined;
  const translation = new Translation(text, document as Document<YAMLMap>, (offset) => lines.linePos(offset).line);
  translation.run();
  return translation.result();
}

/**
 * The text with quotes around variables in braces, `{password: ${PASSWORD}}`, if it is not YAML before the variables are
 * put in. The server puts them into quoted strings as well.
 */
export function quoteVariables(text: string): string {
  if (readDocument(text) !== undefined) return text;
  return text.replace(/([:,[] *)(\$\{[^{}"'\n]*\})(?= *[,}\]])/g, '$1"$2"');
}

/** Whether there is a block of the server; a manifest of Kubernetes has its configuration in a string. */
function isConfig(contents: unknown): boolean {
  if (!isMap<unknown>(contents) || contents.has('kind')) return false;
  const names = contents.items.map(({ key }) => (isScalar(key) ? String(key.value) : undefined));
  return !names.includes(undefined) && names.some((name) => name !== undefined && findKey(name) === 'block');
}

/** The values of the last part of paths that are false in YAML 1.1, and those that are true. */
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ...['yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);

class Translation {
  private readonly notes: KeyNote[] = [];
  private readonly lineOf = new Map<string, number>();
  private readonly removed: string[] = [];

  constructor(
    private readonly text: string,
    private readonly document: Document<YAMLMap>,
    private readonly lineAt: (offset: number) => number,
  ) {}

  run(): void {
    const hub = toPlain(this.document.getIn(['audit', 'hub'], true)) as Values | null;
    this.visit(this.document.contents as YAMLMap, '');
    this.writeAuditLocally(hub);
    this.requireCredentials();
    if (!this.document.hasIn(['server', 'aliases'])) {
      this.document.setIn(['server', 'aliases'], this.document.createNode(['cerbos'], { flow: true }));
      this.note('server.aliases', 'added', { advice: 'published SDKs and health checks keep working' });
    }
  }

  result(): TranslatedConfig {
    const isChanged = this.notes.some(({ change }) => change !== 'kept' && change !== 'by hand');
    const text = isChanged ? this.writtenText() : this.text;
    this.examine(text);
    return { text, notes: this.notes.toSorted((a, b) => a.line - b.line) };
  }

  /** Comments that went with what was removed are at the end, too. */
  private writtenText(): string {
    const style = { lineWidth: 0, flowCollectionPadding: false };
    const before = this.document.comment ? `${this.document.comment}\n` : '';
    const removed = this.removed.length === 0 ? '' : ` Removed by authzc migrate:\n${this.removed.join('\n')}`;
    if (removed !== '') this.document.comment = before + removed;
    const text = this.document.toString(style);
    const lost = commentsIn(this.text).filter((comment) => !text.includes(comment));
    if (lost.length === 0) return text;
    this.document.comment = [before + removed, ...lost.map((comment) => comment.slice(1))]
      .filter((part) => part !== '')
      .join('\n');
    return this.document.toString(style);
  }

  private visit(block: YAMLMap, path: string): void {
    for (const pair of [...block.items] as Pair<Scalar, unknown>[]) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '';
      const childPath = path === '' ? name : `${path}.${name}`;
      this.lineOf.set(childPath, this.lineAt(pair.key.range?.[0] ?? 0));
      this.translate(block, pair, childPath);
    }
  }

  private translate(block: YAMLMap, pair: Pair<Scalar, unknown>, path: string): void {
    const { value } = pair;
    const plain = toPlain(value);
    const special = REMOVED[path];
    if (special !== undefined && plain !== null) {
      this.remove(block, pair, path, special(plain, block.toJSON() as Values));
      return;
    }
    if (path === 'storage.driver' && plain !== 'disk' && plain !== null && !isReference(plain)) {
      this.remove(block, pair, path, driverAdvice(String(plain)));
      return;
    }
    if (path === 'storage.disk.directory' && /\.(?:zip|tar|tgz|tar\.gz)$/i.test(String(plain)))
      this.note(path, 'by hand', { advice: 'unpack the archive: a folder is compiled', isOpen: true });
    const entry = findKey(path);
    if (entry === 'block') {
      if (isMap(value)) this.visit(value, path);
      return;
    }
    if (entry !== undefined && 'harmless' in entry && entry.harmless(plain)) return;
    if (entry === undefined || entry.kind === 'ignored' || entry.kind === 'refused')
      this.remove(block, pair, path, adviceFor(entry, path));
    else if (entry.kind === 'used' && isScalar(value)) this.convert(describeType(entry.type), value, path);
  }

  /** Values that the reference reads otherwise: booleans of YAML 1.1, and durations in nanoseconds. */
  private convert(words: string, scalar: Scalar, path: string): void {
    const truth = scalar.type === 'PLAIN' ? BOOLEANS.get(scalar.value) : undefined;
    if (words === 'bool' && truth !== undefined) {
      this.note(path, 'changed', { advice: `\`${String(scalar.value)}\` is \`${truth}\` in YAML 1.2` });
      scalar.value = truth;
      delete scalar.source;
    }
    if (words.startsWith('duration') && typeof scalar.value === 'bigint' && scalar.value > 0n) {
      const written = writeDuration(Number(scalar.value) / 1e6);
      this.note(path, 'changed', { advice: `Cerbos reads a number as nanoseconds; now \`${written}\`` });
      scalar.value = written;
      delete scalar.source;
    }
  }

  private remove(block: YAMLMap, pair: Pair<Scalar, unknown>, path: string, advice: KeyAdvice): void {
    const start = pair.key.range?.[0] ?? 0;
    const end = (pair.value as Scalar | null)?.range?.[2] ?? pair.key.range?.[1] ?? start;
    const indent = start - (this.text.lastIndexOf('\n', start - 1) + 1);
    const lines = this.text.slice(start, end).trimEnd().split('\n');
    const parent = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
    this.removed.push(`   ${parent === '' ? '' : `in ${parent}: `}${advice.advice}`);
    // A doubled dollar sign is no variable: the server puts variables into comments, too.
    for (const [index, line] of lines.entries())
      this.removed.push(`     ${(index === 0 ? line : line.slice(indent)).replaceAll('$', '$$$$')}`);
    block.items.splice(block.items.indexOf(pair), 1);
    this.note(path, 'removed', advice);
    // A block of which nothing is left.
    if (block.items.length === 0 && parent !== '') this.document.deleteIn(parent.split('.'));
  }

  /** The backend `hub` is the backend `local`, and sends its entries elsewhere. */
  private writeAuditLocally(hub: Values | null): void {
    const backend = this.document.getIn(['audit', 'backend']);
    if (backend !== 'hub') return;
    this.document.setIn(['audit', 'backend'], 'local');
    for (const key of ['storagePath', 'retentionPeriod', 'advanced'])
      if (hub?.[key] !== undefined) this.document.setIn(['audit', 'local', key], hub[key]);
    this.note('audit.backend', 'changed', { advice: '`local`, with the settings of `audit.hub`' });
  }

  private requireCredentials(): void {
    if (this.document.getIn(['server', 'adminAPI', 'enabled']) !== true) return;
    for (const key of ['username', 'passwordHash'])
      if (this.document.getIn(['server', 'adminAPI', 'adminCredentials', key]) === undefined)
        this.note('server.adminAPI.enabled', 'by hand', {
          advice: `set \`server.adminAPI.adminCredentials.${key}\`: there are no default credentials`,
          isOpen: true,
        });
  }

  /** Reports all that our server would refuse. */
  private examine(text: string): void {
    let root: MapNode;
    try {
      root = readConfig(text, '');
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.note('', 'by hand', { advice: error.problem, isOpen: true });
      return;
    }
    const { settled, problems } = examine(withoutReferences(root));
    for (const { key, problem } of problems) this.note(key, 'by hand', { advice: problem, isOpen: true });
    // Constraints between keys need all values.
    if (settled === undefined || hasReference(root)) return;
    for (const { key, problem } of findDisagreements(settled))
      if (!key.startsWith('server.adminAPI.')) this.note(key, 'by hand', { advice: problem, isOpen: true });
    const { httpListenAddr, grpcListenAddr } = settled.settings.server;
    if (hasOneListener({ httpListenAddr, grpcListenAddr }))
      this.note('server.grpcListenAddr', 'kept', {
        advice: 'equal addresses are one listener, which speaks HTTP and gRPC',
      });
  }

  private note(key: string, change: KeyNote['change'], advice: KeyAdvice): void {
    this.notes.push({ key, line: this.lineOf.get(key) ?? 0, change, ...advice });
  }
}

function adviceFor(entry: ConfigKey | undefined, path: string): KeyAdvice {
  if (entry?.kind === 'ignored' || entry?.kind === 'refused') return { advice: entry.why };
  const likely = likelyKey(path);
  const suggestion = likely === undefined ? '' : `; did you mean \`${likely}\`?`;
  const reference = path.includes('.') ? 'Cerbos rejects it, too' : 'Cerbos ignores it';
  return { advice: `unknown key; ${reference}${suggestion}` };
}

/** The keys whose values are known: a reference to the environment can be anything. */
function withoutReferences({ entries, place }: MapNode): MapNode {
  const known = [...entries].flatMap(([name, node]): readonly [string, ConfigNode][] => {
    if (node.kind === 'map') return [[name, withoutReferences(node)]];
    return hasReference(node) ? [] : [[name, node]];
  });
  return { kind: 'map', entries: new Map(known), place };
}

function hasReference(node: ConfigNode): boolean {
  switch (node.kind) {
    case 'scalar':
      return isReference(node.value);
    case 'list':
      return node.items.some(hasReference);
    case 'map':
      return [...node.entries.values()].some(hasReference);
  }
}

/** `${VAR}`, `$VAR` */
function isReference(value: unknown): boolean {
  return typeof value === 'string' && /\$(?:\{|[A-Za-z_])/.test(value);
}

function toPlain(node: unknown): unknown {
  if (node === null || node === undefined) return null;
  return (node as { toJSON(): unknown }).toJSON();
}
