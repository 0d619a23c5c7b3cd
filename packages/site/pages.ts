/** A page of the site: the file it is made of, relative to the repository, and its path on the site. */
export interface SitePage {
  readonly source: string;
  readonly path: string;
  readonly title: string;
}

/** The start page. */
export const HOME: SitePage = { source: 'docs/README.md', path: 'index.md', title: 'Documentation' };

/** A part of the navigation. */
export interface Section {
  readonly title: string;
  readonly pages: readonly SitePage[];
  /** Pages without a place in the navigation, such as those of a list. */
  readonly more: readonly SitePage[];
}

/** The navigation: sections with files in the order of need, or with a glob of the remaining files below a folder of docs. */
const SECTIONS: readonly { readonly title: string; readonly files: readonly string[]; readonly more?: string }[] = [
  {
    title: 'Get started',
    files: ['install', 'first-ten-minutes', 'concepts', 'comparison', 'runtimes', 'playground', 'editors'],
  },
  { title: 'Policies', files: ['policy-language', 'conditions', 'formatting', 'invariants'] },
  {
    title: 'Guides',
    files: [
      'guides/multi-tenant',
      'guides/sharing-links',
      'guides/hierarchies',
      'guides/time-boxed-access',
      'guides/what-may-i-do-with-each-row',
      'guides/field-masking',
      'guides/check-in-the-transaction',
      'guides/lists-with-drizzle',
      'guides/lists-with-prisma',
      'guides/lists-with-kysely',
      'guides/lists-with-mongodb',
      'guides/*',
    ],
  },
  {
    title: 'Decisions and lists',
    files: [
      'api',
      'plans',
      'idioms',
      'row-level-security',
      'row-level-security-verify',
      'explain',
      'debugging',
      'who-may',
      'access-reviews',
      'send-ids',
      'facts',
    ],
  },
  { title: 'Tests', files: ['policy-tests', 'coverage', 'mutation', 'suggested-tests'] },
  { title: 'Changes', files: ['review-a-policy-change', 'replay', 'ci', 'what-is-proved', 'versioning'] },
  {
    title: 'Integrate',
    files: [
      'middleware',
      'usages',
      'adapters',
      'gateways',
      'aliases',
      'agents',
      'mcp-guard',
      'delegation',
      'tenant-roles',
      'sources',
    ],
  },
  {
    title: 'Operate',
    files: [
      'operations',
      'rollout',
      'audit',
      'bundles',
      'bundle-sources',
      'fleet',
      'large-sets',
      'dashboards',
      'configuration',
      'command-line',
    ],
  },
  { title: 'Reference', files: ['spec/*', 'diagnostics/README'], more: 'diagnostics' },
  { title: 'Project', files: ['migrating'] },
];

/** Pages outside of docs, by their path on the site. All are in the last section. */
const OUTSIDE: { readonly [path: string]: string } = {
  'benchmarks.md': 'bench/results.md',
  'changelog.md': 'CHANGELOG.md',
  'architecture.md': 'ARCHITECTURE.md',
  'contributing.md': 'CONTRIBUTING.md',
  'security.md': 'SECURITY.md',
  'tests.md': 'tests/README.md',
};

/** Files of a repository: those of a folder, and what is in them. */
export interface Files {
  /** Relative to the repository, sorted. */
  readonly list: (folder: string) => readonly string[];
  readonly read: (path: string) => string;
}

/**
 * All pages by section. A page of docs that no section names is in the section of its folder's name, or in `Project`, so
 * that none is lost.
 */
export function listSections(files: Files): readonly Section[] {
  const docs = files.list('docs').filter((path) => path.endsWith('.md') && path !== 'docs/README.md');
  const page = (source: string, path = source.slice('docs/'.length)): SitePage => ({
    source,
    path: path.replace(/(^|\/)README\.md$/, '$1index.md'),
    title: readTitle(files.read(source), source),
  });
  const named = SECTIONS.map(({ title, files: names, more }) => {
    const own = [
      ...new Set(
        names.flatMap((name) =>
          name.endsWith('/*')
            ? docs.filter((path) => path.startsWith(`docs/${name.slice(0, -1)}`))
            : docs.filter((path) => path === `docs/${name}.md`),
        ),
      ),
    ];
    const others =
      more === undefined ? [] : docs.filter((path) => path.startsWith(`docs/${more}/`) && !own.includes(path));
    return { title, own, others };
  });
  const placed = new Set(named.flatMap(({ own, others }) => [...own, ...others]));
  const rest = docs.filter((path) => !placed.has(path));
  const outside = Object.entries(OUTSIDE).map(([path, source]) => page(source, path));
  return named.map(({ title, own, others }, index) => {
    const isLast = index === named.length - 1;
    const inNavigation = isLast ? rest.filter((path) => !isForContributors(path) || path.endsWith('README.md')) : [];
    return {
      title,
      pages: [...own, ...inNavigation].map((path) => page(path)).concat(isLast ? outside : []),
      more: [...others, ...(isLast ? rest.filter((path) => !inNavigation.includes(path)) : [])].map((path) =>
        page(path),
      ),
    };
  });
}

/** Pages that are found from the README of their folder. */
function isForContributors(path: string): boolean {
  return path.startsWith('docs/decisions/') || path.startsWith('docs/api/');
}

function readTitle(text: string, source: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${source} has no title`);
  return title.replaceAll('`', '');
}
