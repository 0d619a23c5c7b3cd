/** A configuration that the server cannot start with: what is wrong, and where (`file:line:column`, or the flag). The message is one line. */
export class ConfigError extends Error {
  constructor(
    readonly problem: string,
    readonly place: string,
  ) {
    super(`${oneLine(place)}: ${oneLine(problem)}`);
  }
}

/** What was written may be long, and may have lines of its own. */
const LONGEST = 400;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}
