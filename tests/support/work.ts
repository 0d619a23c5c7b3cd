import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** How often functions, and the blocks within them, ran: by file and name of the function. */
export type Work = { readonly [code: string]: number };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The code that is counted, by its path below the root. */
const COUNTED =
  /^(?:compiler|packages\/(?:cel|editor|json-schema|policy-tests|yaml-input)|runtime|node_modules\/yaml)\//;

/** Counts work as V8 counts it for coverage: unlike seconds, the counts are the same on every machine. */
export class WorkCounter {
  private constructor(private readonly session: Session) {}

  /** Starts to count. Only code that is loaded afterwards is counted block by block. */
  static async start(): Promise<WorkCounter> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return new WorkCounter(session);
  }

  /** What an action comes to. */
  async workOf(action: () => void): Promise<Work> {
    await this.session.post('Profiler.takePreciseCoverage');
    action();
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    const work: Record<string, number> = {};
    for (const { url, functions } of result) {
      const path = url.startsWith('file://') ? fileURLToPath(url).slice(ROOT.length) : '';
      if (!COUNTED.test(path)) continue;
      for (const { functionName, ranges } of functions) {
        const code = `${path} ${functionName}`;
        work[code] = (work[code] ?? 0) + ranges.reduce((sum, { count }) => sum + count, 0);
      }
    }
    return work;
  }
}

export function totalOf(work: Work): number {
  return Object.values(work).reduce((sum, count) => sum + count, 0);
}
