import { readFileSync } from 'node:fs';
import { readSigningKey, signDocument } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { named } from '../bundles/archive-file.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { openReplacement, replaceFiles } from '../outputs/replace-files.js';
import { CSV, type ExportFormat, type ExportSummary, htmlRow, JSON_FORMAT, reviewHtml } from '../review/formats.js';
import { MOST_SHOWN, type OpenReview, reported, type ReviewSources, withReview } from '../review/open-review.js';
import { populationChanges, readFacts, type ReviewFacts, runReview } from '../review/run-review.js';
import { readReview, type ReviewState } from '../review/state.js';

/** The command line options of `authzc review export`. */
export interface ReviewExportOptions extends ReviewSources {
  readonly output: 'csv' | 'json' | 'html';
  readonly out: string;
  /** The file of a private key. */
  readonly key?: string;
}

/** `authzc review export`: who may do what, why, and what is not known. Returns the exit code. */
export function reviewExportCommand(
  directory: string,
  options: ReviewExportOptions,
  context: CommandContext,
): Promise<number> {
  return reported(context, async () => {
    const state = readReview(options.review, context);
    const { output, out, key } = options;
    if (key !== undefined && output !== 'html') throw new UsageError('--key signs a page: use -o html');
    return withReview(directory, options, context, async (review) => {
      const facts = readFacts(review, state);
      const changes = populationChanges(state, facts);
      if (changes.length > 0) {
        for (const change of changes) printNote(context, `error: ${change}`);
        return EXIT.failed;
      }
      const { pairCount, notEvaluated } =
        output === 'html'
          ? await writePage(review, state, facts, options)
          : await writePairs(review, state, facts, { out, format: output === 'json' ? JSON_FORMAT : CSV });
      const gaps = notEvaluated.length;
      context.stdout.write(`${visible(out)}: ${pairCount} pairs, ${gaps} not evaluated\n`);
      for (const { kind, resource, action, reason, place } of notEvaluated.slice(0, MOST_SHOWN))
        printNote(
          context,
          visible(
            `${place === '' ? '' : `${place}: `}error: not evaluated: ${action} of ${kind} ${resource}: ${reason}`,
          ),
        );
      return gaps > 0 ? EXIT.failed : EXIT.done;
    });
  });
}

/** Writes pairs while they are evaluated: there may be more of them than memory has room for. */
async function writePairs(
  review: OpenReview,
  state: ReviewState,
  facts: ReviewFacts,
  { out, format }: { readonly out: string; readonly format: ExportFormat },
): Promise<ExportSummary> {
  const file = openReplacement(out);
  try {
    file.write(format.head(facts));
    let isFirst = true;
    const summary = await runReview(review, state, facts, (pair) => {
      file.write(format.pair(pair, isFirst));
      isFirst = false;
    });
    file.write(format.tail(summary));
    file.commit();
    return summary;
  } finally {
    file.discard();
  }
}

/** Writes a page, and its signature beside it. */
async function writePage(
  review: OpenReview,
  state: ReviewState,
  facts: ReviewFacts,
  { out, key }: ReviewExportOptions,
): Promise<ExportSummary> {
  const rows: string[] = [];
  const summary = await runReview(review, state, facts, (pair) => rows.push(htmlRow(pair)));
  const text = reviewHtml(summary, rows).join('');
  const files = [{ path: out, text, durable: true }];
  if (key !== undefined) {
    const pem = named(key, () => readFileSync(key, 'utf8'));
    const signature = await signDocument(Buffer.from(text), await readSigningKey(pem), Date.now());
    files.push({ path: `${out}.jws`, text: signature, durable: true });
  }
  replaceFiles(files);
  return summary;
}
