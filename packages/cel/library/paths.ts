import { either, global, row, type FunctionSection } from './function.js';
import { bool, listType, string } from './types.js';

/** docs/spec/conditions.md#path-and-spiffe-functions. */
export const paths: FunctionSection = {
  title: 'Paths',
  intro:
    'These functions work on strings and do not access the file system. A path with backslashes is a Windows path.',
  rows: [
    row(
      'basePath',
      { meaning: 'Returns the last element of a path.', examples: [['basePath("/a/b.txt")', '"b.txt"']] },
      global([string], string),
    ),
    row(
      'dirPath',
      { meaning: 'Returns the parent folder of a path.', examples: [['dirPath("/a/b.txt")', '"/a"']] },
      global([string], string),
    ),
    row(
      'extPath',
      { meaning: 'Returns the file extension, with the dot.', examples: [['extPath("/a/b.txt")', '".txt"']] },
      global([string], string),
    ),
    row(
      'volumeName',
      { meaning: 'Returns the volume of a Windows path.', examples: [[String.raw`volumeName("C:\\a")`, '"C:"']] },
      global([string], string),
    ),
    row(
      'relPath',
      {
        meaning: 'Returns the relative path from the first path to the second.',
        examples: [['relPath("/a", "/a/b/c")', '"b/c"']],
      },
      global([string, string], string),
    ),
    row(
      'joinPath',
      { meaning: 'Joins path elements.', examples: [['joinPath(["/a", "b"])', '"/a/b"']] },
      global([listType(string)], string),
    ),
    row(
      'pathHasPrefix',
      {
        meaning: 'Returns whether a path is in a folder, or is the folder itself.',
        examples: [
          ['pathHasPrefix("/a/b", "/a")', 'true'],
          ['"/ab".pathHasPrefix("/a")', 'false'],
        ],
      },
      either([string, string], bool),
    ),
    row(
      'pathMatch',
      {
        meaning: 'Returns whether a path matches a glob. `*` does not match `/`.',
        examples: [['pathMatch("/a/b.txt", "/a/*.txt")', 'true']],
      },
      either([string, string], bool),
    ),
    row(
      'pathMatchAnyOf',
      {
        meaning: 'Returns whether a path matches at least one of several globs.',
        examples: [['"/a/b".pathMatchAnyOf(["/x", "/a/*"])', 'true']],
      },
      either([string, listType(string)], bool),
    ),
  ],
};
