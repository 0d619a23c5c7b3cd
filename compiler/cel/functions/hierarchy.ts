import type { CelFunction } from '../function.js';
import { bool, listOf, string } from '../types.js';
import { hierarchy } from './opaque.js';
import { global, member, row } from './row.js';

const relation = member([hierarchy, hierarchy], bool);

/** docs/spec/conditions.md#hierarchy-functions. */
export const hierarchyFunctions: readonly CelFunction[] = [
  row(
    'hierarchy',
    global([string], hierarchy),
    global([string, string], hierarchy),
    global([listOf(string)], hierarchy),
  ),
  row('ancestorOf', relation),
  row('descendentOf', relation),
  row('immediateParentOf', relation),
  row('immediateChildOf', relation),
  row('overlaps', relation),
  row('siblingOf', relation),
  row('commonAncestors', member([hierarchy, hierarchy], hierarchy)),
];
