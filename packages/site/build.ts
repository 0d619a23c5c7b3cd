import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vitepress';
import { explorerFiles } from '../../scripts/explorer-files.js';
import { ROOT, repositoryFiles } from './files.js';
import { fullText, llmsText, summaryIn, withPointer } from './llms.js';
import { sectionsOf, type SitePage } from './pages.js';
import { staged } from './stage.js';

/**
 * `npm run site [-- --base /PATH/] [--out FOLDER] [--pages concepts,guides]`: the documentation as static files, by
 * default for `/` and in `dist/site`. With `--pages`, only the pages whose path contains one of these are built, which
 * takes a fraction of the time.
 */
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(ROOT, 'dist/site') },
    pages: { type: 'string', default: '' },
  },
});
const base = values.base;
if (!/^\/(?:[\w.-]+\/)*$/.test(base)) throw new Error(`--base: must start and end with "/", as /docs/: \`${base}\``);
const STAGE = join(ROOT, '.cache/site');
const OUTPUT = resolve(values.out);

const wanted = values.pages.split(',');
const isWanted = ({ path }: SitePage): boolean => wanted.some((part) => path.includes(part));
const sections = sectionsOf(repositoryFiles).map(({ title, pages, more }) => {
  return { title, pages: pages.filter(isWanted), more: more.filter(isWanted) };
});
const home = { source: 'docs/README.md', path: 'index.md', title: 'Documentation' };

rmSync(STAGE, { recursive: true, force: true });
for (const file of staged(home, sections, repositoryFiles)) {
  const path = join(STAGE, file.path);
  mkdirSync(dirname(path), { recursive: true });
  if ('text' in file) writeFileSync(path, file.text);
  else copyFileSync(join(ROOT, file.copied), path);
}
mkdirSync(join(STAGE, 'public'), { recursive: true });
copyFileSync(join(ROOT, 'packages/playground/icon.svg'), join(STAGE, 'public/icon.svg'));
await build(join(ROOT, 'packages/site'), { base, outDir: OUTPUT });

// Each page is also there as Markdown, for programs that read it.
const all = [home, ...sections.flatMap(({ pages }) => pages), ...sections.flatMap(({ more }) => more)];
const readStaged = ({ path }: { readonly path: string }): string => readFileSync(join(STAGE, path), 'utf8');
for (const page of all) writeFileSync(join(OUTPUT, page.path), withPointer(readStaged(page), base));
const summaryOf = ({ source }: { readonly source: string }): string => summaryIn(repositoryFiles.read(source));
writeFileSync(join(OUTPUT, 'llms.txt'), llmsText(sections, summaryOf, base));
writeFileSync(join(OUTPUT, 'llms-full.txt'), fullText(all, readStaged, base));
const { files } = await explorerFiles();
for (const { path, contents } of files) {
  const target = join(OUTPUT, 'playground', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, contents);
}
