import * as cel from '../../cel/runtime/index.js';

/** An instant, and those a second before and after it. */
export function addTimes(timestamp: cel.Timestamp, times: Set<string>): void {
  const second = new cel.Duration(1_000_000_000n);
  for (const near of [timestamp, cel.subtract(timestamp, second), cel.add(timestamp, second)]) {
    const output = cel.toOutput(near);
    if ('val' in output && typeof output.val === 'string') times.add(output.val);
  }
}
