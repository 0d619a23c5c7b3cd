import { leaveScenario, trivialScenario } from './check.bench.js';
import { report } from './harness/child.js';

/* One scenario: the trivial rule, or the leave policies of a bundle. */

const [shape, count, path] = process.argv.slice(2);
await report(shape === undefined ? await trivialScenario() : await leaveScenario(shape, Number(count), path as string));
