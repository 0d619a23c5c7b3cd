import { renderMermaidSVG } from 'beautiful-mermaid';
import { defineConfig } from 'vitepress';
import { markButtons, titleBlocks } from '../paragraphs.js';
import { anchorOf } from '../../../scripts/house/citations.js';
import { repositoryFiles } from '../files.js';
import { HOME, listSections } from '../pages.js';
import { withoutEmptyHeads } from '../tables.js';

const sections = listSections(repositoryFiles);

/** Where readers edit the files of the repository, as `npm run site -- --edit` names it; undefined gives pages no link. */
const EDIT = process.env['AUTHZ_SITE_EDIT'];
const SOURCES = new Map(
  [HOME, ...sections.flatMap(({ pages, more }) => [...pages, ...more])].map(({ path, source }) => [path, source]),
);
/** Pages that are generated from the code. */
const GENERATED = /^docs\/(diagnostics|api)\//;

/** The HTML of code blocks: a page is rendered for the browser, for the static file and for the search. */
const FENCES = new Map<string, string>();

/** The site is static: no server, no other host, search by an index that is part of it. */
export default defineConfig({
  title: 'authz',
  description: 'Authorization policies that are compiled',
  lang: 'en',
  transformHead: ({ siteConfig: { site }, pageData: { relativePath } }) => [
    ['link', { rel: 'icon', href: `${site.base}icon.svg` }],
    ...textOf(`${site.base}${relativePath}`),
  ],
  transformPageData: ({ relativePath, frontmatter }) => {
    const source = SOURCES.get(relativePath);
    const isEdited = source !== undefined && !GENERATED.test(source);
    return isEdited ? { filePath: source } : { frontmatter: { ...frontmatter, editLink: false } };
  },
  srcDir: '../../.cache/site',
  outDir: '../../dist/site',
  cacheDir: '../../.cache/vitepress',
  // Pages are read by people who look for the truth of a release, not for the latest edit.
  lastUpdated: false,
  // One page after another, so that equal pages give an equal index of the search.
  buildConcurrency: 1,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { cel: 'js' },
    // Links name headings as forges do; the default names some of them differently.
    anchor: { slugify: anchorOf },
    config: (markdown) => {
      markdown.core.ruler.push('file-names', ({ tokens }) => titleBlocks(tokens));
      markdown.core.ruler.push('tables', (state) => {
        state.tokens = [...withoutEmptyHeads(state.tokens)];
      });
      markdown.core.ruler.push('buttons', ({ tokens }) => markButtons(tokens));
      const fence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info = '', content = '' } = tokens[index] ?? {};
        const key = `${info}\n${content}`;
        const html =
          FENCES.get(key) ??
          (info.trim() === 'mermaid'
            ? diagram(content, markdown.utils.escapeHtml)
            : (fence?.(tokens, index, ...rest) ?? ''));
        FENCES.set(key, html);
        return html;
      };
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: {
      provider: 'local',
      options: {
        // Results show the text around the words, which tells more than a heading.
        detailedView: true,
        miniSearch: {
          // Pages that explain come before those that are looked up by name. The function runs in the browser.
          searchOptions: {
            boostDocument: (id) => (/\/(api|decisions|diagnostics|spec)\/|\/changelog/.test(id) ? 0.2 : 1),
          },
        },
      },
    },
    outline: [2, 3],
    ...(EDIT !== undefined && { editLink: { pattern: `${EDIT}/:path`, text: 'Edit this page' } }),
    nav: [
      { text: 'Get started', link: '/first-ten-minutes' },
      { text: 'Reference', link: '/spec/policy-language' },
      { text: 'Benchmarks', link: '/benchmarks' },
      { text: 'Playground', link: '/playground/index.html', target: '_blank' },
    ],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: `/${page.path.replace(/(index)?\.md$/, '')}` })),
    })),
  },
});

/** The link to the Markdown of a page. The page for unknown addresses has none. */
function textOf(href: string): [string, { [name: string]: string }][] {
  return href.endsWith('/404.md') ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href }]];
}

/** A picture that follows the theme of the page. The library names a font of another host, which is left out. */
function diagram(text: string, escapeHtml: (text: string) => string): string {
  const svg = renderMermaidSVG(text, {
    bg: 'var(--vp-c-bg)',
    fg: 'var(--vp-c-text-1)',
    transparent: true,
  }).replace(/^\s*@import .*$/m, '');
  // A template may not have a style element.
  return `<div class="diagram" v-html="${escapeHtml(JSON.stringify(svg))}"></div>\n`;
}
