import { ANALYSIS_TITLE } from './analysis.bench.js';
import { CHECK_TITLE } from './check.bench.js';
import { COLD_TITLE } from './cold.bench.js';
import { COMPILE_TITLE } from './compile.bench.js';
import { CONDITIONS_TITLE } from './conditions.bench.js';
import { FACTS_TITLE } from './facts.bench.js';
import { FIRST_START_TITLE } from './first-start.bench.js';
import { KINDS_TITLE } from './kinds.bench.js';
import { LONG_TITLE } from './long.bench.js';
import { METHOD_TITLE } from './harness/report.js';
import { LIBRARIES_TITLE } from './libraries.bench.js';
import { OVERVIEW_TITLE } from './overview.js';
import { PLAN_TITLE } from './plan.bench.js';
import { SCALE_TITLE } from './scale.bench.js';
import { SERVER_TITLE } from './server.bench.js';
import { SIZE_TITLE } from './size.bench.js';
import { START_TITLE } from './start.bench.js';
import { TENANTS_TITLE } from './tenants.bench.js';
import { WEIGHTS_TITLE } from './weights.bench.js';

/** Written by bench/peers, which installs the packages that it compares with. */
export const PEERS_TITLE = 'Beside Cerbos';

/** Written by tests/failure-modes/run.ts with --record. */
export const FAILURES_TITLE = 'Failure modes';

/** The sections of results.md, in order. */
export const RESULT_ORDER: readonly string[] = [
  OVERVIEW_TITLE,
  METHOD_TITLE,
  LIBRARIES_TITLE,
  CHECK_TITLE,
  KINDS_TITLE,
  COLD_TITLE,
  CONDITIONS_TITLE,
  PLAN_TITLE,
  SCALE_TITLE,
  START_TITLE,
  WEIGHTS_TITLE,
  COMPILE_TITLE,
  FIRST_START_TITLE,
  SIZE_TITLE,
  ANALYSIS_TITLE,
  SERVER_TITLE,
  TENANTS_TITLE,
  FACTS_TITLE,
  LONG_TITLE,
  PEERS_TITLE,
  FAILURES_TITLE,
];
