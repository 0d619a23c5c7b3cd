import type { ThrottledReporter } from '../../throttled-reporter.js';

/** Writes the warnings of the OpenTelemetry library to the server's log. */
export async function logDiagnostics(reporter: ThrottledReporter): Promise<void> {
  const { DiagLogLevel, diag } = await import('@opentelemetry/api');
  const ignore = (): void => {};
  const warn = (message: string, ...details: readonly unknown[]): void =>
    reporter.report(details.length === 0 ? message : `${message} ${details.map(String).join(' ')}`);
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** An exporter of spans or of metrics, as far as it matters here. */
interface Exporter<Batch> {
  export(batch: Batch, done: (result: ExportResult) => void): void;
}

/** `code` is 0 for success. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/**
 * Makes an exporter report batches that it could not send. The library is told that they were sent: otherwise it would
 * log each of them again as JSON with a stack, except while the server stops, when it logs nothing.
 *
 * @param what is sent, for the message: `traces`.
 */
export function reportFailures<Batch, T extends Exporter<Batch>>(
  exporter: T & Exporter<Batch>,
  what: string,
  reporter: ThrottledReporter,
): T {
  const send = exporter.export.bind(exporter);
  exporter.export = (batch, done) =>
    send(batch, ({ code, error }) => {
      if (code !== SUCCESS) reporter.report(`${what} cannot be sent to the collector: ${formatReason(error)}`);
      done({ code: SUCCESS });
    });
  return exporter;
}

const SUCCESS = 0;

/** Errors about several addresses have no message but a code. */
function formatReason(error: Error | undefined): string {
  if (error === undefined) return 'unknown reason';
  const { message, code } = error as NodeJS.ErrnoException;
  return (message || String(code ?? error.name)).slice(0, LONGEST_REASON);
}

/** A collector may answer anything. In UTF-16 units. */
const LONGEST_REASON = 500;
