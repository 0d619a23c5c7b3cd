import { build } from 'esbuild';
import { buildOptions, runtimeSources } from './index.js';

/**
 * The module of a projection with all that it imports, as short as possible: without names of the source, comments or a
 * source map.
 * @param runtime the folder of the runtime's sources.
 */
export async function bundleClient(text: string, runtime: string): Promise<string> {
  const result = await build({
    ...buildOptions(runtime),
    stdin: { contents: text, loader: 'js', resolveDir: runtime, sourcefile: 'client.js' },
    minify: true,
    plugins: [runtimeSources(runtime)],
  });
  return result.outputFiles[0]?.text ?? '';
}
