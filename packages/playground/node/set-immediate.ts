/** What the analyses use of Node to let timers run, for browsers. The build of the page puts it in place of the global. */
export function setImmediate(act: () => void): void {
  setTimeout(act, 0);
}
