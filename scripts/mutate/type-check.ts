import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Whether a file of the checkout would still have the right types with another text. */
export type TypeCheck = (file: string, text: string) => boolean;

/**
 * The check of types that `npm test` begins with, for one changed file at a time. A variable that a mutation leaves
 * unused is not an error here: that would say nothing about the tests.
 */
export function typeCheckOf(root: string): TypeCheck {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const changed = new Map<string, { readonly text: string; readonly version: number }>();
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
    getScriptFileNames: () => fileNames,
    getScriptVersion: (path) => String(changed.get(path)?.version ?? 0),
    getScriptSnapshot: (path) => {
      const text = changed.get(path)?.text ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return (file, text) => {
    const path = join(root, file);
    // Code for browsers is checked separately.
    if (!fileNames.includes(path)) return true;
    version += 1;
    changed.set(path, { text, version });
    try {
      return service.getSemanticDiagnostics(path).length === 0;
    } finally {
      version += 1;
      changed.set(path, { text: readFileSync(path, 'utf8'), version });
    }
  };
}
