import { badDays } from './bad-days.js';

/** `node --import tsx tests/bad-days/run.ts --seconds 60`: the whole of it, with its figures. */
const at = process.argv.indexOf('--seconds');
const seconds = at < 0 ? 60 : Number(process.argv[at + 1]);
const { figures, problems } = await badDays({ seconds, badRequests: 10_000 });
const width = Math.max(...Object.keys(figures).map((name) => name.length));
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(width)}  ${value}`);
for (const problem of problems) console.log(`PROBLEM: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
