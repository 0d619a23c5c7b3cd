import { renderMermaidSVG } from 'beautiful-mermaid';
import { defineConfig } from 'vitepress';
import { markButtons, titleBlocks } from '../paragraphs.js';
import { anchorOf } from '../../../scripts/house/citations.js';
import { repositoryFiles } from '../files.js';
import { sectionsOf } from '../pages.js';

const sections = sectionsOf(repositoryFiles);

/** The site is static: no server, no other host, search by an index that is part of it. */
export default defineConfig({
  title: 'authz',
  description: 'Authorization policies that are compiled',
  lang: 'en',
  transformHead: ({ siteConfig: { site }, pageData: { relativePath } }) => [
    ['link', { rel: 'icon', href: `${site.base}icon.svg` }],
    ...textOf(`${site.base}${relativePath}`),
  ],
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
      markdown.core.ruler.push('buttons', ({ tokens }) => markButtons(tokens));
      const fence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return diagram(token.content, markdown.utils.escapeHtml);
        return fence?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  themeConfig: {
    // Results show the text around the words, which tells more than a heading.
    search: { provider: 'local', options: { detailedView: true } },
    outline: [2, 3],
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
