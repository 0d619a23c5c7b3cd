import type { DiffOptions } from '../../analysis/diff/options.js';
import { listReadChanges } from '../../analysis/facts/changes.js';
import { fold } from '../../../compiler/optimise/index.js';

/** Compares what decisions read, for `authzc diff`. */
export function listReads(engine: DiffOptions['engine'] = {}): NonNullable<DiffOptions['listReads']> {
  return (old, new_, kinds) => listReadChanges(fold(old.lowered), fold(new_.lowered), kinds, engine);
}
