import { global, member, row, type FunctionSection } from './function.js';
import { bool, hierarchy, listType, string } from './types.js';

const relation = member([hierarchy, hierarchy], bool);

/** docs/spec/conditions.md#hierarchy-functions. */
export const hierarchies: FunctionSection = {
  title: 'Hierarchies',
  intro: 'A hierarchy is a name with levels, such as `acme.hr.uk`.',
  rows: [
    row(
      'hierarchy',
      {
        meaning: 'Creates a hierarchy from a string with dots (or another separator), or from a list.',
        examples: [
          ['hierarchy("a.b.c").size()', '3'],
          ['hierarchy("a/b", "/")[1]', '"b"'],
        ],
      },
      global([string], hierarchy),
      global([string, string], hierarchy),
      global([listType(string)], hierarchy),
    ),
    row(
      'ancestorOf',
      {
        meaning: 'Returns whether a hierarchy is an ancestor of another.',
        examples: [['hierarchy("a").ancestorOf(hierarchy("a.b.c"))', 'true']],
      },
      relation,
    ),
    row(
      'descendentOf',
      {
        meaning: 'Returns whether a hierarchy is a descendant of another.',
        examples: [['hierarchy("a.b").descendentOf(hierarchy("a"))', 'true']],
      },
      relation,
    ),
    row(
      'immediateParentOf',
      {
        meaning: 'Returns whether a hierarchy is the parent of another.',
        examples: [['hierarchy("a").immediateParentOf(hierarchy("a.b"))', 'true']],
      },
      relation,
    ),
    row(
      'immediateChildOf',
      {
        meaning: 'Returns whether a hierarchy is a child of another.',
        examples: [['hierarchy("a.b.c").immediateChildOf(hierarchy("a"))', 'false']],
      },
      relation,
    ),
    row(
      'overlaps',
      {
        meaning: 'Returns whether two hierarchies are equal or one is an ancestor of the other.',
        examples: [['hierarchy("a.b").overlaps(hierarchy("a"))', 'true']],
      },
      relation,
    ),
    row(
      'siblingOf',
      {
        meaning: 'Returns whether two hierarchies have the same parent.',
        examples: [['hierarchy("a.b").siblingOf(hierarchy("a.c"))', 'true']],
      },
      relation,
    ),
    row(
      'commonAncestors',
      {
        meaning: 'Returns the common ancestors of two hierarchies.',
        examples: [['hierarchy("a.b.c").commonAncestors(hierarchy("a.b.d")) == hierarchy("a.b")', 'true']],
      },
      member([hierarchy, hierarchy], hierarchy),
    ),
  ],
};
