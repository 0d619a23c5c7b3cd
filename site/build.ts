import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { explorerFiles } from '../scripts/explorer-files.js';
import { ROOT, repositoryFiles } from './files.js';
import { llmsText, summaryIn } from './llms.js';
import { sectionsOf } from './pages.js';
import { staged } from './stage.js';

/** `npm run site`: the documentation as static files, in `dist/site`. */
const STAGE = join(ROOT, '.cache/site');
const OUTPUT = join(ROOT, 'dist/site');

const sections = sectionsOf(repositoryFiles);
const home = { source: 'docs/README.md', path: 'index.md', title: 'Documentation' };

rmSync(STAGE, { recursive: true, force: true });
for (const file of staged(home, sections, repositoryFiles)) {
  const path = join(STAGE, file.path);
  mkdirSync(dirname(path), { recursive: true });
  if ('text' in file) writeFileSync(path, file.text);
  else copyFileSync(join(ROOT, file.copied), path);
}
mkdirSync(join(STAGE, 'public'), { recursive: true });
copyFileSync(join(ROOT, 'explorer/icon.svg'), join(STAGE, 'public/icon.svg'));
await build(join(ROOT, 'site'));

// The texts are there as they are, for programs that read them.
for (const { path } of [home, ...sections.flatMap(({ pages, more }) => [...pages, ...more])]) {
  cpSync(join(STAGE, path), join(OUTPUT, path));
}
const summaryOf = ({ source }: { readonly source: string }): string => summaryIn(repositoryFiles.read(source));
writeFileSync(join(OUTPUT, 'llms.txt'), llmsText(sections, summaryOf));
const { files } = await explorerFiles();
for (const { path, contents } of files) {
  const target = join(OUTPUT, 'playground', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, contents);
}
