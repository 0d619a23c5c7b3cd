import { compileTexts } from '../support/compiled.js';
import { hazards, storesOf } from './stores.js';
import { type Emissions, modulesOf } from './plant.js';

/** The emitted modules of all stores. Throws when one does not compile: then the mutation is not in the emitter. */
export function emitStores(): Emissions {
  return storesOf(hazards()).map((texts) => {
    const { program, files, diagnostics } = compileTexts(texts);
    if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    return modulesOf(files);
  });
}
