/** The severity of a line. A bad request is not an error of the server: it is `info` (docs/spec/server.md#logs). */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Levels in order: a log at a level writes it and all that follow. */
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** What a line says beside its message. An Error is written with its stack. Never tokens, never secrets. */
export type LogFields = { readonly [key: string]: unknown };

/**
 * Where a part of the server says what happened to it (docs/spec/server.md#logs). It has a name, `log.logger`, and
 * never throws. A line is buffered: it costs about two microseconds and reaches the platform a little later.
 */
export interface Logger {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
  /** A line whose members stand there as JSON already, `"a":1,"b":"x"`: for what is written on every call. */
  readonly members: (level: LogLevel, message: string, members: string) => void;
  /** Whether a line of this level would be written: for lines that are dear to make. */
  readonly writes: (level: LogLevel) => boolean;
}

/** The log of a process: one level, many loggers. */
export interface Log {
  /** The logger of this name, `authz.audit`; always the same one. */
  readonly logger: (name: string) => Logger;
  /** Enables debug lines for some milliseconds; then the configured level applies again. */
  readonly debugFor: (duration: number) => void;
  /** Writes out what is buffered and waits for it; what is said later is written when the process exits. */
  readonly flush: () => Promise<void>;
  /** The number of lines that were dropped because the output was not read. */
  readonly dropped: () => number;
}
