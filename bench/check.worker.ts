import { trivialScenario } from './check.bench.js';
import { report } from './harness/child.js';

await report(await trivialScenario());
