/**
 * A text as it is compiled. Git checks out other line ends on Windows, and editors there write a byte-order mark: what is
 * compiled depends on neither.
 */
export function sourceText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}
