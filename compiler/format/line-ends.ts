/** The new text of a file with the line ends that the file has: those of Windows, if all of its lines have them. */
export function keepLineEnds(before: string, after: string): string {
  const hasWindowsEnds = before.includes('\r\n') && !/(^|[^\r])\n/.test(before);
  const text = after.replaceAll('\r\n', '\n');
  return hasWindowsEnds ? text.replaceAll('\n', '\r\n') : after;
}
