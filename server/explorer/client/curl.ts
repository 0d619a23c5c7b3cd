/** The command line that sends the same request from a shell. */
export function curlCommand(url: string, body: string): string {
  return `curl ${quoted(url)} -H 'content-type: application/json' -d ${quoted(body)}`;
}

/** Within single quotes a shell leaves all but the quote alone. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
