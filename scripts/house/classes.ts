import ts from 'typescript';

/** A class by its name, with the names of its methods. */
export interface ClassShape {
  readonly name: string;
  readonly methods: ReadonlySet<string>;
}

/** The classes that a TypeScript file declares. */
export function findClasses(text: string): readonly ClassShape[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  return source.statements.filter(ts.isClassDeclaration).map(({ name, members }) => ({
    name: name?.text ?? '',
    methods: new Set(
      members.flatMap((member) =>
        ts.isMethodDeclaration(member) && ts.isIdentifier(member.name) ? [member.name.text] : [],
      ),
    ),
  }));
}
