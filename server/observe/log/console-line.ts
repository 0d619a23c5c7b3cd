/**
 * Makes lines of the log readable on a terminal: time, level, what happened, then the other keys. A call is its method,
 * code, milliseconds and caller.
 */
export function consoleLines({ isColorful }: { readonly isColorful: boolean }): (line: string) => string {
  const paint = (code: number, text: string): string => (isColorful ? `\u001b[${code}m${text}\u001b[0m` : text);
  return (line) => {
    const { 'log.level': level, '@timestamp': timestamp, ...fields } = JSON.parse(line) as Fields;
    const { head, rest } = 'grpc.method' in fields ? formatCall(fields) : formatEvent(fields);
    const words = [
      paint(DIM, String(timestamp).slice(11, 23)),
      paint(COLORS.get(String(level)) ?? DIM, String(level).toUpperCase().padEnd(5)),
      head,
      ...Object.entries(rest).map(
        ([key, value]) => `${paint(DIM, `${SHORT.get(key) ?? key}=`)}${valueText(key, value)}`,
      ),
    ];
    return `${words.join(' ')}\n`;
  };
}

interface Fields {
  readonly [key: string]: unknown;
}

const DIM = 2;
const COLORS: ReadonlyMap<string, number> = new Map([
  ['debug', 35],
  ['info', 34],
  ['warn', 33],
  ['error', 31],
]);

/** The keys of most lines have shorter names here. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['authz.call_id', 'call'],
  ['grpc.error', 'error'],
  ['grpc.request.meta.request_id', 'request'],
]);

interface ConsoleLine {
  readonly head: string;
  readonly rest: Fields;
}

/** A line of `callLog`. */
function formatCall({
  'log.logger': _logger,
  message: _message,
  'grpc.service': _service,
  'grpc.method': method,
  'grpc.method_type': _type,
  'grpc.start_time': _start,
  'grpc.time_ms': milliseconds,
  'grpc.code': code,
  'authz.protocol': protocol,
  'peer.address': peer,
  'http.x_forwarded_for': forwarded,
  ...rest
}: Fields): ConsoleLine {
  const caller = forwarded === undefined ? peer : forwarded;
  return { head: printable(`${method} ${code} in ${milliseconds} ms (${protocol}, ${caller})`), rest };
}

function formatEvent({ 'log.logger': logger, message, ...rest }: Fields): ConsoleLine {
  return { head: printable(`${logger}: ${message}`), rest };
}

/** Only a stack, which callers do not write, has more than one line. */
function valueText(key: string, value: unknown): string {
  if (typeof value !== 'string') return printable(JSON.stringify(value));
  if (key.endsWith('.stack')) return value.split('\n').map(printable).join('\n  ');
  return printable(/^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

/** What callers send may hold control characters, which a terminal obeys. */
function printable(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
