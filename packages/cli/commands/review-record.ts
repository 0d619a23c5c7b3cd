import { visible } from '../../../compiler/diagnostics/visible.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT } from '../exit.js';
import { readDecisions, readExportedPairs } from '../review/decisions.js';
import { namePair, type PairName, pairKey, pairText } from '../review/export.js';
import { MOST_SHOWN, reported, type ReviewSources, withReview } from '../review/open-review.js';
import { listAllowed, populationChanges, readFacts } from '../review/run-review.js';
import { readReview, type ReviewState, writeReview } from '../review/state.js';

/** The command line options of `authzc review record`. */
export interface ReviewRecordOptions extends ReviewSources {
  /** A file of `review export`, in JSON or CSV. */
  readonly export: string;
  /** A file of decisions, in JSON, or the export in CSV with decisions in it. */
  readonly decisions?: string;
  readonly by?: string;
}

/** `authzc review record`: takes decisions, and says what changed since an export. Returns the exit code. */
export function reviewRecordCommand(
  directory: string,
  options: ReviewRecordOptions,
  context: CommandContext,
): Promise<number> {
  return reported(context, async () => {
    const state = readReview(options.review, context);
    const pairs = readExportedPairs(options.export, context);
    const known = new Set(pairs.map(pairKey));
    const { decisions: file, by } = options;
    const taken = file === undefined ? [] : readDecisions(file, { by, known, now: new Date().toISOString() }, context);
    const all = new Map([...state.decisions, ...taken].map((one) => [pairKey(one), one]));
    const next: ReviewState = { ...state, decisions: [...all.values()] };
    return withReview(directory, options, context, async (review) => {
      const facts = readFacts(review, next);
      const { allowed, gaps } = await listAllowed(review, next);
      writeReview(options.review, next);
      const open = pairs.filter((pair) => !all.has(pairKey(pair)));
      const { stdout } = context;
      stdout.write(`${taken.length} decisions recorded, ${open.length} of ${pairs.length} pairs are not decided\n`);
      const tell = (title: string, names: readonly PairName[]): void => {
        if (names.length > 0) stdout.write(`${title}: ${names.length}\n`);
        for (const name of names.slice(0, MOST_SHOWN)) stdout.write(`  ${visible(pairText(name))}\n`);
      };
      for (const change of populationChanges(state, facts)) stdout.write(`${visible(change)}\n`);
      const revoked = next.decisions.filter((one) => one.decision === 'revoke' && allowed.has(pairKey(one)));
      tell('revoked, and still allowed', revoked);
      tell(
        'allowed since',
        [...allowed].flatMap(([key, pair]) => (known.has(key) ? [] : [namePair(pair)])),
      );
      tell(
        'no longer allowed',
        pairs.filter((pair) => !allowed.has(pairKey(pair))),
      );
      if (gaps > 0) printNote(context, `error: ${gaps} parts could not be evaluated, so that they may have changed`);
      return gaps > 0 ? EXIT.failed : EXIT.done;
    });
  });
}
