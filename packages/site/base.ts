/**
 * The path of the site on its host.
 * @throws Error unless it starts and ends with a slash.
 */
export function parseBase(text: string): string {
  if (/^\/(?:[\w.-]+\/)*$/.test(text)) return text;
  throw new Error(`--base: must start and end with "/", as /docs/: \`${text}\``);
}
