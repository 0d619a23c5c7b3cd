import { sizes } from '../scripts/sizes.js';
import { ratio, type Section, table } from './harness/report.js';

export const WEIGHTS_TITLE = 'What a bundle weighs';

/** The size of programs that embed the engine, by what their policies use: the rows of `npm run size`. */
export async function weightsBench(): Promise<Section> {
  const all = await sizes();
  const core = all[0]?.gzipped ?? Number.NaN;
  return {
    title: WEIGHTS_TITLE,
    text: [
      'Bytes of programs that embed the engine, minified. The ratio is to the core of the engine, gzipped. `npm run size` fails above a budget.',
      table(
        ['measured', 'ratio', 'gzipped', 'budget', 'bytes'],
        all.map(({ name, bytes, gzipped, budget }) => [
          name,
          ratio(gzipped / core),
          gzipped.toLocaleString('en-US'),
          budget?.toLocaleString('en-US') ?? '',
          bytes.toLocaleString('en-US'),
        ]),
      ),
    ].join('\n\n'),
    failures: all.flatMap(({ name, gzipped, budget }) =>
      budget !== undefined && gzipped > budget ? [`${name}: ${gzipped} bytes of at most ${budget}`] : [],
    ),
  };
}
