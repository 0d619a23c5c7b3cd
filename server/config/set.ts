import { ConfigError } from './config-error.js';
import type { ConfigNode, MapNode } from './node.js';

/**
 * Lays the overrides of one `--set` flag over a configuration (docs/spec/server.md#configuration). The syntax is
 * Helm's: `a.b=1,c[0].d=x`, a list in braces `{x,y}`, and a backslash before a comma, dot, equals sign, bracket or
 * brace that is meant as such. Numbers, `true`, `false` and `null` are typed, all else is text. Throws a ConfigError.
 */
export function applySet(root: MapNode, flag: string): MapNode {
  let result = root;
  for (const { path, value } of new SetParser(flag).assignments()) {
    result = assign(result, path, value, value.place) as MapNode;
  }
  return result;
}

/** A step to a value: a key of a map or an index of a list. */
type Step = string | number;

interface Assignment {
  readonly path: readonly Step[];
  readonly value: ConfigNode;
}

/** A list that an index reaches beyond by more than this is a slip of the pen. */
const MAX_INDEX = 1000;
/** Deeper than any key is, and shallow enough for any stack. */
const MAX_DEPTH = 64;

class SetParser {
  #at = 0;
  #place: string;

  constructor(readonly flag: string) {
    this.#place = flagPlace(flag);
  }

  assignments(): readonly Assignment[] {
    const found: Assignment[] = [];
    while (this.#at < this.flag.length) {
      const start = this.#at;
      const path = this.#path(found.length === 0);
      this.#place = flagPlace(this.flag.slice(start));
      const value = this.#value();
      found.push({ path, value });
      if (this.flag[this.#at] === ',') this.#at += 1;
    }
    if (found.length === 0) this.#fail('must be key=value');
    return found;
  }

  #path(isFirst: boolean): readonly Step[] {
    const path: Step[] = [];
    for (;;) {
      const key = this.#until('.=[,');
      if (key === '') this.#fail('a key is empty');
      path.push(key);
      if (path.length > MAX_DEPTH) this.#fail('is nested too deeply');
      while (this.flag[this.#at] === '[' && path.length <= MAX_DEPTH) path.push(this.#index());
      const end = this.flag[this.#at];
      this.#at += 1;
      if (end === '=') return path;
      if (end !== '.') this.#fail(isFirst ? `\`${nameIn(key)}\` has no value: write ${nameIn(key)}=VALUE` : UNESCAPED);
    }
  }

  #index(): number {
    this.#at += 1;
    const digits = this.#until(']');
    this.#at += 1;
    if (!/^\d{1,6}$/.test(digits) || Number(digits) > MAX_INDEX) this.#fail(`\`[${digits}]\` is not a list index`);
    return Number(digits);
  }

  #value(): ConfigNode {
    if (this.flag[this.#at] !== '{') return this.#scalar(',');
    this.#at += 1;
    const items: ConfigNode[] = [];
    if (this.flag[this.#at] === '}') {
      this.#at += 1;
      return { kind: 'list', items, place: this.#place };
    }
    for (;;) {
      items.push(this.#scalar(',}'));
      const end = this.flag[this.#at];
      this.#at += 1;
      if (end === '}') return { kind: 'list', items, place: this.#place };
      if (end !== ',') this.#fail('a list in braces is not closed');
    }
  }

  #scalar(ends: string): ConfigNode {
    const start = this.#at;
    const text = this.#until(ends);
    const escaped = this.flag.slice(start, this.#at).includes('\\');
    return { kind: 'scalar', value: escaped ? text : typed(text), place: this.#place };
  }

  /** The text up to one of the characters, backslashes taken out. */
  #until(ends: string): string {
    let text = '';
    for (; this.#at < this.flag.length; this.#at++) {
      let character = this.flag[this.#at] as string;
      if (ends.includes(character)) break;
      if (character === '\\' && this.#at + 1 < this.flag.length) {
        this.#at += 1;
        character = this.flag[this.#at] as string;
      }
      text += character;
    }
    return text;
  }

  #fail(problem: string): never {
    throw new ConfigError(problem, this.#place);
  }
}

/** It may be the rest of a secret, and is not quoted. */
const UNESCAPED = 'what follows a comma is not `key=value`; write a backslash before a comma that belongs to a value';

/** The flag up to its first value, which may be a secret. */
export function flagPlace(flag: string): string {
  return `--set ${nameIn(flag)}`;
}

/** The path of a key that something begins with: with a typo in place of the equals sign, a secret may follow. */
function nameIn(text: string): string {
  return /^[\w.[\]-]*/.exec(text)?.[0] ?? '';
}

function typed(text: string): string | number | bigint | boolean | null {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  if (/^-?(0|[1-9]\d*)$/.test(text)) return BigInt(text);
  if (/^-?(0|[1-9]\d*)\.\d+$/.test(text)) return Number(text);
  return text;
}

function assign(node: ConfigNode | undefined, path: readonly Step[], value: ConfigNode, place: string): ConfigNode {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items = node?.kind === 'list' ? [...node.items] : [];
    while (items.length < step) items.push({ kind: 'scalar', value: null, place });
    items[step] = assign(items[step], rest, value, place);
    return { kind: 'list', items, place };
  }
  const entries = new Map(node?.kind === 'map' ? node.entries : []);
  entries.set(step, assign(entries.get(step), rest, value, place));
  return { kind: 'map', entries, place: node?.place ?? place };
}
