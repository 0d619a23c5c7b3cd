import { posix } from 'node:path';
import type { Files, Section, SitePage } from './pages.js';

/** A file of the site before it is built: its path there, and its text or the file of the repository that it copies. */
export type Staged =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly copied: string };

/**
 * The pages of a site with links that lead to each other, and the pictures and sources of the repository that they lead
 * to. A link to a folder without a page becomes its words.
 */
export function staged(home: SitePage, sections: readonly Section[], files: Files): readonly Staged[] {
  const pages = [home, ...sections.flatMap(({ pages, more }) => [...pages, ...more])];
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  const copied = new Map<string, string>();
  const copy = (source: string, path: string): string => {
    copied.set(source, `public/${path}`);
    return `/${path}`;
  };
  const leads = ({ source, path }: SitePage, { image, words, target }: Link): string => {
    const [file = '', heading] = target.split('#');
    const wanted = posix.join(posix.dirname(source), file).replace(/\/$/, '');
    const page = paths.get(wanted) ?? paths.get(`${wanted}/README.md`);
    // On the site, the button of the start page leads to the playground itself.
    if (source === home.source && words === 'Playground')
      return `<a href="${between(path, 'playground/index.html')}" target="_self">${words}</a>`;
    if (page !== undefined) return `[${words}](${between(path, page)}${heading === undefined ? '' : `#${heading}`})`;
    if (!files.list(posix.dirname(wanted)).includes(wanted)) return words;
    if (image) return `![${words}](${copy(wanted, wanted.replace(/^docs\//, ''))})`;
    // Sources are shown as text, whatever a web server takes them for. The path is relative, as the site may be below another.
    return `<a href="${between(path, copy(wanted, `source/${wanted}.txt`).slice(1))}" target="_self">${words}</a>`;
  };
  const texts = pages.map((page) => ({
    path: page.path,
    text: relinked(files.read(page.source), (link) => leads(page, link)),
  }));
  return [...texts, ...[...copied].sort().map(([source, path]) => ({ path, copied: source }))];
}

interface Link {
  readonly image: boolean;
  readonly words: string;
  readonly target: string;
}

/** `[words](target)` and `![words](target)`; the words may have one level of brackets. */
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** A block of code, which has no links. */
const BLOCK = /(^```[\s\S]*?^```[^\n]*$|^~~~[\s\S]*?^~~~[^\n]*$)/m;

/** Replaces the relative links of a page, outside of blocks of code. */
function relinked(text: string, replace: (link: Link) => string): string {
  const parts = text.split(BLOCK);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(LINK, (link, image: string, words: string, target: string) =>
            /^[a-z]+:|^#/.test(target) ? link : replace({ image: image !== '', words, target }),
          ),
    )
    .join('');
}

function between(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}
