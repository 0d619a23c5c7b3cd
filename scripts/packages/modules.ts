import { isAbsolute, join } from 'node:path';
import { transform } from 'esbuild';
import { type LogHandler, type RollupOutput, rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/**
 * Writes the modules of a package, and their declarations.
 *
 * A module stays a file, so that bundlers take only what a program uses, and contains only what the entry points need.
 * Comments are in the declarations alone: they would be a third of the code.
 *
 * @param sources the entry points, as paths of TypeScript files of this repository.
 * @param compiled the folder that `compileModules` has written, absolute.
 * @returns what the modules import from outside: packages and modules of Node.
 */
export async function writeModules(
  sources: readonly string[],
  compiled: string,
  folder: string,
): Promise<readonly string[]> {
  const modules = sources.map((source) => source.replace(/\.ts$/, ''));
  const inputOf = (ending: string) => Object.fromEntries(modules.map((name) => [name, join(compiled, name + ending)]));
  const code = await rollup({
    input: inputOf('.js'),
    external: isOutside,
    treeshake: { moduleSideEffects: false },
    onLog: refuse,
  });
  const declarations = await rollup({
    input: inputOf('.d.ts'),
    external: isOutside,
    plugins: [dts()],
    onLog: refuse,
  });
  const written: readonly RollupOutput[] = [
    await code.write({
      dir: folder,
      preserveModules: true,
      preserveModulesRoot: compiled,
      plugins: [{ name: 'without-comments', renderChunk: (text) => transform(text, { target: 'es2022' }) }],
    }),
    await declarations.write({ dir: folder, entryFileNames: '[name].d.ts', chunkFileNames: 'types/[name].d.ts' }),
  ];
  await Promise.all([code.close(), declarations.close()]);
  const chunks = written.flatMap(({ output }) => output.filter((file) => file.type === 'chunk'));
  const names = new Set(chunks.map(({ fileName }) => fileName));
  return chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((path) => !names.has(path));
}

function isOutside(specifier: string): boolean {
  return !specifier.startsWith('.') && !isAbsolute(specifier);
}

/** What rollup warns of would be a mistake of ours. Types without a name of their own may be part of a public type. */
const refuse: LogHandler = (level, log) => {
  if (level === 'warn' && log.plugin !== 'dts') throw new Error(log.message);
};
