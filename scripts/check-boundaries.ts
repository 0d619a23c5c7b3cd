import { type FolderCycle, folderCycles } from './house/folder-cycles.js';
import { cruise, graphOf } from './house/import-graph.js';
import { forbiddenImports, readWorkspaces } from './house/packages.js';

/*
 * Fails for imports that .dependency-cruiser.cjs forbids, for imports from one package to another that their package.json
 * do not allow, and for folders that import each other. Imports of types count. The folders are the arguments.
 */

const folders = process.argv.slice(2);
const { modules, violations } = cruise(folders);
const { graph } = graphOf(modules, folders);
const forbidden = forbiddenImports(graph, readWorkspaces());
const cycles = folderCycles(graph);
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} > ${to}`);
for (const problem of forbidden) console.error(problem);
for (const cycle of cycles) console.error(cycleText(cycle));
if (violations.length + forbidden.length + cycles.length > 0) process.exitCode = 1;
else console.log(`no violations in ${modules.length} modules`);

function cycleText({ folders: cyclic, imports }: FolderCycle): string {
  return `folders import each other: ${cyclic.join(', ')}\n${imports.map((line) => `  ${line}`).join('\n')}`;
}
