/** How a line of the log looks to a person: time, level, logger, message, then what else it says. */
export function consoleText({ hasColour }: { readonly hasColour: boolean }): (line: string) => string {
  const paint = (code: number, text: string): string => (hasColour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return (line) => {
    const {
      'log.level': level,
      '@timestamp': timestamp,
      'log.logger': logger,
      message,
      ...rest
    } = JSON.parse(line) as { readonly [key: string]: unknown };
    const fields = Object.entries(rest).map(([key, value]) => `${paint(DIM, `${key}=`)}${valueText(value)}`);
    const head = [
      paint(DIM, String(timestamp).slice(11, 23)),
      paint(COLOURS.get(String(level)) ?? DIM, String(level).toUpperCase().padEnd(5)),
      paint(BOLD, printable(String(logger))),
    ];
    return `${[...head, printable(String(message)), ...fields].join(' ')}\n`;
  };
}

const BOLD = 1;
const DIM = 2;
const COLOURS: ReadonlyMap<string, number> = new Map([
  ['debug', 35],
  ['info', 34],
  ['warn', 33],
  ['error', 31],
]);

function valueText(value: unknown): string {
  if (typeof value !== 'string') return printable(JSON.stringify(value));
  return /^[^\s"=]+$/.test(value) ? printable(value) : printable(JSON.stringify(value)).replaceAll('\\n', '\n  ');
}

/** What callers send may hold control characters, which a terminal obeys. */
function printable(text: string): string {
  return text.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
