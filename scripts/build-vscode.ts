import { buildVscode } from './vscode.js';
import { packVsix } from './vsix.js';

/* `npm run build:vscode [-- FOLDER]`: packs the extension for VS Code in FOLDER or `dist/vscode`, and prints the archive. */

const [target = 'dist/vscode'] = process.argv.slice(2);
await buildVscode(target);
console.log(packVsix(target));
