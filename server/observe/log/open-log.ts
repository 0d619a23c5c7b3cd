import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { Environment } from '../../config/substitute.js';
import { consoleText } from './console-text.js';
import { logLevelOf } from './level.js';
import { LineSink } from './line-sink.js';
import { LOG_LEVELS, type Log, type LogFields, type Logger, type LogLevel } from './logger.js';
import { TimestampWriter } from './timestamp.js';

/** How a process writes its log. */
export interface LogOptions {
  /** `--log-level`; `AUTHZ_LOG_LEVEL` overrides it. */
  readonly level?: string | undefined;
  readonly environment?: Environment | undefined;
  /** File descriptors; 1 and 2 when absent. */
  readonly output?: number | undefined;
  readonly errors?: number | undefined;
}

/**
 * Opens the log of a process (docs/spec/server.md#logs): errors on stderr, all else on stdout; JSON lines, or coloured
 * text on a terminal. What is buffered is written when the process exits, whatever made it exit. Throws a ConfigError
 * for what is no level.
 */
export function openLog(options: LogOptions = {}): Log {
  const environment = options.environment ?? process.env;
  const output = options.output ?? 1;
  const sinks: Sinks = { output: new LineSink(output, ENOUGH), errors: new LineSink(options.errors ?? 2, 0) };
  process.on('exit', () => {
    sinks.output.flushSync();
    sinks.errors.flushSync();
  });
  return new ProcessLog(
    sinks,
    logLevelOf(options.level, environment),
    isatty(output) ? consoleText({ hasColour: !environment['NO_COLOR'] }) : undefined,
  );
}

interface Sinks {
  readonly output: LineSink;
  readonly errors: LineSink;
}

/** In UTF-16 units. */
const ENOUGH = 16_384;

class ProcessLog implements Log {
  readonly #sinks: Sinks;
  readonly #format: ((line: string) => string) | undefined;
  readonly #loggers = new Map<string, Logger>();
  readonly #timestamps = new TimestampWriter();
  readonly #output: pino.Logger;
  readonly #errors: pino.Logger;
  /** The index of the least level that is written. */
  #threshold: number;
  readonly #level: number;
  #debugTimer: NodeJS.Timeout | undefined;

  constructor(sinks: Sinks, level: LogLevel, format: ((line: string) => string) | undefined) {
    this.#sinks = sinks;
    this.#format = format;
    this.#level = LOG_LEVELS.indexOf(level);
    this.#threshold = this.#level;
    this.#output = this.#pino('info');
    this.#errors = this.#pino('error');
  }

  readonly logger = (name: string): Logger => {
    const known = this.#loggers.get(name) ?? this.#newLogger(name);
    this.#loggers.set(name, known);
    return known;
  };

  readonly debugFor = (duration: number): void => {
    clearTimeout(this.#debugTimer);
    this.#threshold = 0;
    const restore = (): void => {
      this.#threshold = this.#level;
    };
    this.#debugTimer = setTimeout(restore, duration).unref();
  };

  readonly flush = async (): Promise<void> => {
    await Promise.all([this.#sinks.output.flush(), this.#sinks.errors.flush()]);
  };

  readonly dropped = (): number => this.#sinks.output.dropped + this.#sinks.errors.dropped;

  #pino(level: LogLevel): pino.Logger {
    return pino(
      {
        // Levels are looked at before a line comes here: they change while the server runs.
        level: 'debug',
        base: null,
        messageKey: 'message',
        timestamp: () => `,"@timestamp":"${this.#timestamps.write(Date.now())}"`,
        formatters: { level: (label) => ({ 'log.level': label }) },
      },
      { write: (line: string) => this.#write(level, line) },
    );
  }

  #newLogger(name: string): Logger {
    const bindings = { 'log.logger': name };
    const output = this.#output.child(bindings);
    const errors = this.#errors.child(bindings);
    const writer = (level: LogLevel): Logger['info'] => {
      const rank = LOG_LEVELS.indexOf(level);
      const target = level === 'error' ? errors : output;
      return (message, fields) => {
        if (rank < this.#threshold) return;
        if (fields === undefined) target[level](message);
        else target[level](writable(fields), message);
      };
    };
    const quoted = JSON.stringify(name);
    return {
      debug: writer('debug'),
      info: writer('info'),
      warn: writer('warn'),
      error: writer('error'),
      members: (level, message, members) => {
        const now = this.#timestamps.write(Date.now());
        this.#write(
          level,
          `{"log.level":"${level}","@timestamp":"${now}","log.logger":${quoted},${members},"message":${JSON.stringify(message)}}\n`,
        );
      },
      writes: (level) => LOG_LEVELS.indexOf(level) >= this.#threshold,
    };
  }

  #write(level: LogLevel, line: string): void {
    const sink = level === 'error' ? this.#sinks.errors : this.#sinks.output;
    sink.write(this.#format === undefined ? line : this.#format(line));
  }
}

/** Errors as text, with a stack beside it. */
function writable(fields: LogFields): LogFields {
  const entries = Object.entries(fields);
  if (!entries.some(([, value]) => value instanceof Error)) return fields;
  return Object.fromEntries(
    entries.flatMap(([key, value]) =>
      value instanceof Error
        ? [
            [key, value.message],
            [`${key}.stack`, value.stack],
          ]
        : [[key, value]],
    ),
  );
}
