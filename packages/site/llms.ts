import type { Section, SitePage } from './pages.js';

/** What a program that reads the documentation gets first: llms.txt (https://llmstxt.org). */
export function llmsText(sections: readonly Section[], summaryOf: (page: SitePage) => string, base: string): string {
  const lists = sections.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${base}${page.path}): ${summaryOf(page)}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# authz\n\n> ${SUMMARY}\n\nAll pages in one file: [llms-full.txt](${base}llms-full.txt)\n\n${lists.join('\n')}`;
}

/** All pages in one text, each below a line with its path, which its relative links start from. */
export function fullText(pages: readonly SitePage[], textOf: (page: SitePage) => string, base: string): string {
  const texts = pages.map((page) => `<!-- page: ${base}${page.path} -->\n\n${textOf(page).trim()}\n`);
  return `# authz\n\n> ${SUMMARY}\n\n${texts.join('\n')}`;
}

/** A page with a line that leads readers of this page alone to all others. */
export function withPointer(text: string, base: string): string {
  return `> The index of all pages: [llms.txt](${base}llms.txt)\n\n${text}`;
}

const SUMMARY =
  'An authorization service whose policies are compiled: YAML policies with CEL conditions become readable TypeScript, ' +
  'which decides on a server, in process, at the edge and in browsers, and filters lists in a database.';

/** The first sentences of a page that are no heading, list, table, block or picture, as plain text on one line. */
export function summaryIn(text: string): string {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => !/^(?:[#|<>!-]|\d+\.|```|~~~|\s)/.test(paragraph));
  const words = (paragraphs[0] ?? '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words.replace(/:$/, '.');
}
