import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../compiled.js';

/**
 * A fenced block of a page. Its info string says how it is tested: `yaml policy`, `yaml policy-error=CODE`, `yaml
 * policy-warning=CODE`, `yaml check`, `yaml config`, `yaml request`, `json schema=PATH`, `json output`, `cel`, `http`,
 * `sh`, `console`, `sh serve`, `ts`. `file=PATH` writes it into the folder of the page, `excerpt=PATH` quotes a file of
 * the repository. `text` and `mermaid` are not tested.
 */
export interface Block {
  /** `docs/api.md:12`: the location of its first line. */
  readonly place: string;
  readonly language: string;
  /** The words after the language: `policy` is `['policy', '']`, `file=a.yaml` is `['file', 'a.yaml']`. */
  readonly words: ReadonlyMap<string, string>;
  readonly text: string;
  /** Blocks of policies, schemas and checks under one heading belong together. */
  readonly heading: string;
}

/** A page of the documentation. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly blocks: readonly Block[];
  /**
   * Pages with `<!-- starts in an empty folder -->` do that; all others start in a folder with the repository's
   * policies.
   */
  readonly startsEmpty: boolean;
  /**
   * Pages with `<!-- installs the packages -->` run with the packed packages, which npm installs with their dependencies.
   * `tests/installation` runs them.
   */
  readonly installs: boolean;
}

/** Reads a page. Throws for an unclosed fence. */
export function readPage(file: string): Page {
  const text = readFileSync(file, 'utf8');
  const path = relative(ROOT, file);
  return {
    path,
    blocks: blocksOf(text, path),
    startsEmpty: text.includes('<!-- starts in an empty folder -->'),
    installs: text.includes('<!-- installs the packages -->'),
  };
}

/** How messages name a block. */
export function titleOf({ place, language, words }: Block): string {
  return `${place} ${[language, ...[...words].map(([word, value]) => (value === '' ? word : `${word}=${value}`))].join(' ')}`;
}

const FENCE = /^( *)(`{3,})\s*(\S*)\s*(.*)$/;

function blocksOf(page: string, path: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  let heading = '';
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (/^#+ /.test(line)) heading = `${index} ${line}`;
    const fence = FENCE.exec(line);
    if (fence === null) continue;
    const [, indent = '', marks = '', language = '', info = ''] = fence;
    const end = lines.findIndex((other, at) => at > index && other.trim() === marks);
    if (end < 0) throw new Error(`${path}:${index + 1}: the block is never closed`);
    const text = lines
      .slice(index + 1, end)
      .map((inner) => inner.slice(Math.min(indent.length, inner.length - inner.trimStart().length)));
    blocks.push({
      place: `${path}:${index + 2}`,
      language,
      words: wordsOf(info),
      text: text.map((inner) => `${inner}\n`).join(''),
      heading,
    });
    index = end;
  }
  return blocks;
}

function wordsOf(info: string): ReadonlyMap<string, string> {
  const words = info.split(/\s+/).filter((word) => word !== '');
  return new Map(words.map((word) => [word.split('=')[0] as string, word.slice(word.indexOf('=') + 1 || word.length)]));
}
