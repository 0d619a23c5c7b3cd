import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Node, Project, ts } from 'ts-morph';
import { PACKAGES } from '../packages/packages.js';
import { ROOT } from '../house/tree.js';
import { declarationText, exampleText, firstSentence, isVisible } from './declarations.js';

/** An entry point of a package: its name as it is imported, and its source. */
interface Entry {
  readonly name: string;
  readonly source: string;
}

/** The API report. */
export interface ApiReport {
  /** The pages of docs/api, by path: the exported declarations of each entry point, and examples. */
  readonly pages: ReadonlyMap<string, string>;
  /** `authz/client: restClient`: exported functions whose doc comments have no example. */
  readonly withoutExample: readonly string[];
}

/** Reads the declarations of all entry points. */
export function reportApi(): ApiReport {
  const entries = PACKAGES.flatMap(({ name, entries: sources = {} }) =>
    Object.entries(sources).map(([entry, source]): Entry => ({ name: `${name}${entry.slice(1)}`, source })),
  );
  const project = openProject(entries.map(({ source }) => source));
  const owners = new Map<Node, string>();
  const withoutExample: string[] = [];
  const pages = entries.map((entry) => {
    const { text, functions } = pageOf(entry, project, owners);
    const missing = functions.filter(({ example }) => example === undefined);
    if (!isForGeneratedCode(entry)) withoutExample.push(...missing.map(({ name }) => `${entry.name}: ${name}`));
    return [pathOf(entry), text] as const;
  });
  return { pages: new Map([[`${FOLDER}/README.md`, indexOf(entries)], ...pages]), withoutExample };
}

/** Whether an entry point is imported by what the compiler writes, and not by people. */
function isForGeneratedCode({ name }: Entry): boolean {
  return name.includes('/runtime/');
}

const FOLDER = 'docs/api';

function pathOf({ name }: Entry): string {
  return `${FOLDER}/${name.replaceAll('/', '-')}.md`;
}

/**
 * The sources that entry points reach, without packages: declarations name their types, and nothing else of them is
 * printed.
 */
function openProject(sources: readonly string[]): Project {
  const project = new Project({
    skipLoadingLibFiles: false,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
      lib: ['lib.es2023.d.ts'],
    },
    resolutionHost: () => ({
      resolveModuleNames: (names, file) => names.map((name) => resolvedIn(name, file)),
    }),
  });
  project.addSourceFilesAtPaths(sources.map((source) => join(ROOT, source)));
  project.resolveSourceFileDependencies();
  return project;
}

function resolvedIn(name: string, file: string): ts.ResolvedModule | undefined {
  if (!name.startsWith('.')) return undefined;
  const source = resolve(dirname(file), name).replace(/\.js$/, '.ts');
  if (!source.endsWith('.ts') || !existsSync(source)) return undefined;
  return { resolvedFileName: source, isExternalLibraryImport: false };
}

/** An exported function, by its name in the entry point. */
interface ExportedFunction {
  readonly name: string;
  readonly example: string | undefined;
}

function pageOf(
  { name, source }: Entry,
  project: Project,
  owners: Map<Node, string>,
): { readonly text: string; readonly functions: readonly ExportedFunction[] } {
  const file = project.getSourceFileOrThrow(join(ROOT, source));
  const declared: string[] = [];
  const functions: ExportedFunction[] = [];
  const elsewhere = new Map<string, string[]>();
  const exported = [...file.getExportedDeclarations()].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [as, nodes] of exported) {
    const [first] = nodes;
    if (first === undefined) continue;
    const owner = owners.get(first);
    if (owner === undefined) {
      for (const node of nodes) owners.set(node, name);
      declared.push(...nodes.filter(isVisible).map((node) => entryText(as, node)));
      if (nodes.some(Node.isFunctionDeclaration)) {
        const example = nodes.map(exampleText).find((text) => text !== undefined);
        functions.push({ name: as, example });
      }
    } else elsewhere.set(owner, [...(elsewhere.get(owner) ?? []), `\`${as}\``]);
  }
  const listed = [...elsewhere].map(([owner, names]) => `- of \`${owner}\`: ${names.join(', ')}`);
  const examples = functions.flatMap(({ name: of, example }) =>
    example === undefined ? [] : [`### ${of}\n\n\`\`\`ts\n${example}\n\`\`\``],
  );
  const text = [
    `# ${name}`,
    NOTE,
    ...(declared.length === 0 ? [] : [`\`\`\`ts\n${declared.join('\n\n')}\n\`\`\``]),
    ...(listed.length === 0 ? [] : [`Also exported:\n\n${listed.join('\n')}`]),
    ...(examples.length === 0 ? [] : ['## Examples', ...examples]),
  ]
    .join('\n\n')
    .concat('\n');
  return { text, functions };
}

const NOTE = 'Written by `npm run docs:api`. [The guide](../api.md) explains how to use it.';

function entryText(as: string, node: Node): string {
  const doc = firstSentence(node);
  const name = 'getName' in node ? String((node as { getName(): unknown }).getName()) : as;
  const text = declarationText(node);
  return `${doc === '' ? '' : `/** ${doc} */\n`}${name === as ? text : `// as ${as}\n${text}`}`;
}

function indexOf(entries: readonly Entry[]): string {
  const rows = entries.map(
    (entry) => `| [\`${entry.name}\`](${relative(FOLDER, pathOf(entry)).split(sep).join('/')}) | \`${entry.source}\` |`,
  );
  return `# API report

The exported declarations of every entry point, as text, so that a change of a public type shows in its diff. Each has
the first sentence of its doc comment. Functions have an example, which tests run. \`npm run docs:api\` writes these
pages. [The guide](../api.md) explains how to use the packages.

| entry point | source |
|---|---|
${rows.join('\n')}
`;
}
