/** A line with lines below it. */
export interface Outline {
  readonly text: string;
  readonly below: readonly Outline[];
}

/** The lines of an outline as a tree, the root at the margin. */
export function treeLines({ text, below }: Outline): readonly string[] {
  return [text, ...below.flatMap((child, index) => branchLines(child, '', index === below.length - 1))];
}

/** The same without branches, two blanks a level. */
export function listLines({ text, below }: Outline, indent = ''): readonly string[] {
  return [`${indent}${text}`, ...below.flatMap((child) => listLines(child, `${indent}  `))];
}

function branchLines({ text, below }: Outline, indent: string, isLast: boolean): readonly string[] {
  const inner = `${indent}${isLast ? '   ' : '│  '}`;
  return [
    `${indent}${isLast ? '└─ ' : '├─ '}${text}`,
    ...below.flatMap((child, index) => branchLines(child, inner, index === below.length - 1)),
  ];
}
