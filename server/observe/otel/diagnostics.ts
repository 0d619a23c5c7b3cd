import type { Logger } from '../log/logger.js';

/** Makes the OpenTelemetry library speak through the server's log: it says there when a collector cannot be reached. */
export async function logDiagnostics(logger: Logger): Promise<void> {
  const { DiagLogLevel, diag } = await import('@opentelemetry/api');
  const quiet = (): void => {};
  const warn = (message: string, ...details: readonly unknown[]): void =>
    logger.warn(details.length === 0 ? message : `${message} ${details.map(String).join(' ')}`);
  diag.setLogger(
    { error: warn, warn, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
