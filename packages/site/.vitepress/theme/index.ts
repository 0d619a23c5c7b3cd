import { useData, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h, onMounted } from 'vue';
import { correctSearchRoles } from './search-roles';
import './style.css';

/** The page as Markdown, and the index of all pages, for programs and for people who give pages to them. */
function textLinks() {
  const { page } = useData();
  const link = (path: string, words: string) => h('a', { href: withBase(`/${path}`), target: '_self' }, words);
  return h('p', { class: 'text-links' }, [
    link(page.value.relativePath, 'This page as Markdown'),
    ' · ',
    link('llms.txt', 'llms.txt'),
  ]);
}

export default {
  extends: DefaultTheme,
  setup: () => onMounted(correctSearchRoles),
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(textLinks) }),
};
