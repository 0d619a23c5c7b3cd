import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 optimise functions of this process and its threads later than it would. A compilation lasts seconds, and a
 * quarter of its CPU would be V8 optimising it (docs/decisions/compiler.md#0059).
 *
 * Does nothing on versions of Node that are not listed, because V8 prints an error for an unknown flag.
 */
export function delayOptimisation(version = process.versions.node, setFlag = setFlagsFromString): void {
  const flag = FLAGS.get(version.split('.')[0] as string);
  if (flag !== undefined) setFlag(flag);
}

/** Flags by major version of Node, each of which has one version of V8. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['20', '--interrupt-budget=1000000'],
  ['22', '--invocation-count-for-turbofan=12000'],
  ['24', '--invocation-count-for-turbofan=30000'],
  ['26', '--invocation-count-for-turbofan=30000'],
]);
