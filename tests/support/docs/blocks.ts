import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../compiled.js';

/**
 * A fenced block of a page. Its info string says how it is tested: `yaml policy`, `yaml policy-error=CODE`, `yaml
 * policy-warning=CODE`, `yaml check`, `yaml config`, `yaml request`, `json schema=PATH`, `json output`, `cel`, `http`,
 * `sh`, `console`, `sh serve`, `ts`. `excerpt=PATH` quotes a file of the repository,
 * and `excerpt` a file that the steps before it made. `text` and `mermaid` are not tested.
 *
 * A line with nothing but a path and a colon before the block names its file, which is written into the folder of the
 * page. Readers see this line, and not the info string.
 */
export interface Block {
  /** `docs/api.md:12`: the location of its first line. */
  readonly place: string;
  readonly language: string;
  /** The words after the language: `policy` is `['policy', '']`, `schema=a.json` is `['schema', 'a.json']`. */
  readonly words: ReadonlyMap<string, string>;
  /** The path of its file, from the line before it. */
  readonly file: string | undefined;
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

/** The text of a file that a page shows. Throws if it shows none of this name. */
export function textOfFile({ path, blocks }: Page, file: string): string {
  const block = blocks.find((each) => each.file === file);
  if (block === undefined) throw new Error(`${path} shows no file \`${file}\``);
  return block.text;
}

/** How messages name a block. */
export function titleOf({ place, language, words, file }: Block): string {
  const shown = [...words].map(([word, value]) => (value === '' ? word : `${word}=${value}`));
  return [file ?? place, file === undefined ? '' : `at ${place}`, language, ...shown]
    .filter((part) => part !== '')
    .join(' ');
}

/** The name of the file of the block below it, as authors write it and readers see it. */
const FILE_NAME = /^ *`([^`\s]+)`:$/;

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
      file: fileNamedBefore(lines, index),
      text: text.map((inner) => `${inner}\n`).join(''),
      heading,
    });
    index = end;
  }
  return blocks;
}

/** The path in the paragraph before a fence, if the paragraph is nothing else. */
function fileNamedBefore(lines: readonly string[], fence: number): string | undefined {
  const last = lines.slice(0, fence).findLastIndex((other) => other.trim() !== '');
  const isAlone = (lines[last - 1] ?? '').trim() === '';
  return isAlone ? FILE_NAME.exec(lines[last] ?? '')?.[1] : undefined;
}

function wordsOf(info: string): ReadonlyMap<string, string> {
  const words = info.split(/\s+/).filter((word) => word !== '');
  return new Map(words.map((word) => [word.split('=')[0] as string, word.slice(word.indexOf('=') + 1 || word.length)]));
}
