import { buildVscode } from './vscode.js';

/* `npm run build:vscode [-- FOLDER]`: the extension for VS Code, in FOLDER or `dist/vscode`, ready for `vsce package`. */

const [target = 'dist/vscode'] = process.argv.slice(2);
await buildVscode(target);
