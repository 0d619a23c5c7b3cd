import { mkdirSync, writeFileSync } from 'node:fs';
import { explorerAssetsText } from './explorer-assets.js';

/**
 * Writes server/explorer/gen/assets.ts. Run: `node --import tsx scripts/generate-explorer.ts`; a test says when it is
 * due.
 */
const folder = new URL('../server/explorer/gen/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('assets.ts', folder), await explorerAssetsText());
