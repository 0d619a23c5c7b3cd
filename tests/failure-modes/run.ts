import { writeResults } from '../../bench/harness/report.js';
import { FAILURES_TITLE, RESULT_ORDER } from '../../bench/titles.js';
import { runFailureModes, type Outcome } from './run-failures.js';

/**
 * `node --import tsx tests/failure-modes/run.ts --seconds 60`: the full run with its figures. With --record they become
 * a section of bench/results.md.
 */
const at = process.argv.indexOf('--seconds');
const seconds = at < 0 ? 60 : Number(process.argv[at + 1]);
const badRequests = 10_000;
const outcome = await runFailureModes({ seconds, badRequests });
const width = Math.max(...Object.keys(outcome.figures).map((name) => name.length));
for (const [name, value] of Object.entries(outcome.figures)) console.log(`${name.padEnd(width)}  ${value}`);
for (const problem of outcome.problems) console.log(`PROBLEM: ${problem}`);
if (process.argv.includes('--record'))
  writeResults([{ title: FAILURES_TITLE, text: sectionOf(outcome), failures: outcome.problems }], RESULT_ORDER);
process.exitCode = outcome.problems.length === 0 ? 0 : 1;

function sectionOf({ figures, problems }: Outcome): string {
  const rows = Object.entries(figures).map(([name, value]) => `| ${name} | ${value} |`);
  return [
    `Two servers with two workers each run under load over REST and gRPC for ${seconds} s. Every few seconds, a worker is killed and the bundle is replaced by another one and by an invalid one.`,
    'Clients stall, connections stay half open, the JWKS endpoint hangs or resets, and the disk of the second server is full. Every response is compared.',
    `\`node --import tsx tests/failure-modes/run.ts --seconds ${seconds} --record\``,
    '',
    '| measurement | value |',
    '| --- | --- |',
    ...rows,
    '',
    problems.length === 0
      ? 'No problems were found.'
      : ['Problems:', '', ...problems.map((problem) => `- ${problem}`)].join('\n'),
  ].join('\n');
}
