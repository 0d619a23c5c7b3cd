import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { totalOf, WorkCounter } from '../support/work.js';
import { policyOfRules } from './rules.js';

/**
 * Prints what an edit comes to with some rules and with twice as many, together with all that editors ask afterwards. A
 * program by itself: the counter must be there before the code is loaded.
 */
async function main(): Promise<void> {
  const counter = await WorkCounter.start();
  const { Workspace } = await import('../../packages/editor/workspace.js');
  const { semanticTokens } = await import('../../packages/editor/semantic-tokens.js');
  const { documentSymbols } = await import('../../packages/editor/symbols.js');
  const { conditionLenses } = await import('../../packages/editor/evaluations.js');
  const { hover } = await import('../../packages/editor/hover.js');
  const { complete } = await import('../../packages/editor/completion.js');
  const { references } = await import('../../packages/editor/navigation.js');
  const folder = mkdtempSync(join(tmpdir(), 'authz-edits-'));
  const workspace = new Workspace(folder);
  const edit = (rules: number) => (): void => {
    workspace.setText('doc.yaml', policyOfRules(rules));
    workspace.diagnoseFile('doc.yaml');
    const file = workspace.get('doc.yaml')?.file;
    if (file === undefined) throw new Error('the policy does not parse');
    semanticTokens(file);
    documentSymbols(file);
    conditionLenses(file, 'file:///doc.yaml');
    const position = { line: 5 + 6 * (rules - 1) + 5, character: 26 };
    hover(workspace, 'doc.yaml', position);
    complete(workspace, 'doc.yaml', position);
    references(workspace, 'doc.yaml', position, true);
  };
  edit(3)();
  const small = totalOf(await counter.workOf(edit(400)));
  const large = totalOf(await counter.workOf(edit(800)));
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ small, large }));
}

await main();
