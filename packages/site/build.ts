import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vitepress';
import { explorerFiles } from '../../scripts/explorer-files.js';
import { parseBase } from './base.js';
import { ROOT, repositoryFiles } from './files.js';
import { fullText, llmsText, summaryIn, withPointer } from './llms.js';
import { HOME, listSections, type SitePage } from './pages.js';
import { withoutPlaygroundLink, withPlaygroundLink } from './playground-link.js';
import { staged } from './stage.js';

/**
 * `npm run site [-- --base /PATH/] [--out FOLDER] [--edit URL] [--pages concepts,guides]`: the documentation as static
 * files, by default for `/` and in `dist/site`. With `--edit`, such as https://git.example.com/authz/edit/main, pages have
 * a link to their file there. With `--pages`, only the pages whose path contains one of these are built, which
 * takes a fraction of the time.
 */
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(ROOT, 'dist/site') },
    edit: { type: 'string' },
    pages: { type: 'string', default: '' },
  },
});
const base = parseBase(values.base);
const STAGE = join(ROOT, '.cache/site');
const OUTPUT = resolve(values.out);

const wanted = values.pages.split(',');
const isWanted = ({ path }: SitePage): boolean => wanted.some((part) => path.includes(part));
const sections = listSections(repositoryFiles).map(({ title, pages, more }) => {
  return { title, pages: pages.filter(isWanted), more: more.filter(isWanted) };
});

rmSync(STAGE, { recursive: true, force: true });
for (const file of staged(HOME, sections, repositoryFiles)) {
  const path = join(STAGE, file.path);
  mkdirSync(dirname(path), { recursive: true });
  if ('text' in file) writeFileSync(path, await withPlayground(file.path, file.text));
  else copyFileSync(join(ROOT, file.copied), path);
}
/** A guide with a link to its policies in the playground; other pages as they are. */
async function withPlayground(path: string, text: string): Promise<string> {
  return path.startsWith('guides/') ? withPlaygroundLink(text, '../playground/index.html') : text;
}

mkdirSync(join(STAGE, 'public'), { recursive: true });
copyFileSync(join(ROOT, 'packages/playground/icon.svg'), join(STAGE, 'public/icon.svg'));
if (values.edit !== undefined) process.env['AUTHZ_SITE_EDIT'] = values.edit.replace(/\/$/, '');
await build(join(ROOT, 'packages/site'), { base, outDir: OUTPUT });

// Each page is also there as Markdown, for programs that read it.
const all = [HOME, ...sections.flatMap(({ pages }) => pages), ...sections.flatMap(({ more }) => more)];
const readStaged = ({ path }: { readonly path: string }): string =>
  withoutPlaygroundLink(readFileSync(join(STAGE, path), 'utf8'));
for (const page of all) writeFileSync(join(OUTPUT, page.path), withPointer(readStaged(page), base));
const readSummary = ({ source }: { readonly source: string }): string => summaryIn(repositoryFiles.read(source));
writeFileSync(join(OUTPUT, 'llms.txt'), llmsText(sections, readSummary, base));
writeFileSync(join(OUTPUT, 'llms-full.txt'), fullText(all, readStaged, base));
const { files } = await explorerFiles();
for (const { path, contents } of files) {
  const target = join(OUTPUT, 'playground', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, path === 'index.html' ? besideDocs(Buffer.from(contents).toString()) : contents);
}

/** The page of the playground, marked as one beside the documentation: it links back. */
function besideDocs(html: string): string {
  return html.replace('<html lang="en">', '<html lang="en" data-docs="../playground.html">');
}
