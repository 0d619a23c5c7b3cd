import { join } from 'node:path';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { version } from '../../compiler/version.js';
import { serveEditor } from '../../editor/server.js';
import { PROJECT_FILE, readVocabulary } from '../policies/vocabulary.js';

/**
 * `authzc lsp --stdio`: serves an editor on standard input and output until it ends the session, or its process ends.
 *
 * @param folder the folder of the policies; by default `policies` in the folders that the editor has open.
 */
export function lspCommand(folder: string | undefined): void {
  serveEditor(createConnection(ProposedFeatures.all, process.stdin, process.stdout), {
    version,
    folder,
    vocabularyOf: (root) => readVocabulary(join(root, PROJECT_FILE)),
  });
}
