import { isatty } from 'node:tty';
import { pino } from 'pino';
import { ConfigError } from '../../config/config-error.js';
import { maskText } from '../../config/mask.js';
import type { Environment } from '../../config/substitute.js';
import { consoleLines } from './console-line.js';
import { LineSink } from './line-sink.js';
import { type Log, LOG_LEVELS, type LogFields, type Logger, type LogLevel } from './logger.js';
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
 * Opens the log of a process (docs/spec/server.md#logs): errors go to stderr, other lines to stdout; as JSON, or as
 * coloured text on a terminal. Buffered lines are written when the process exits, for whatever reason. Throws a
 * ConfigError for an invalid level.
 */
export function openLog(options: LogOptions = {}): Log {
  const environment = options.environment ?? process.env;
  const output = options.output ?? 1;
  const errors = options.errors ?? 2;
  const sinks: Sinks = { output: new LineSink(output, ENOUGH), errors: new LineSink(errors, 0) };
  const toText = consoleLines({ isColorful: !environment['NO_COLOR'] });
  process.on('exit', () => {
    sinks.output.flushSync();
    sinks.errors.flushSync();
  });
  return new ProcessLog(sinks, chooseLogLevel(options.level, environment), {
    output: isatty(output) ? toText : asIs,
    errors: isatty(errors) ? toText : asIs,
  });
}

interface Sinks {
  readonly output: LineSink;
  readonly errors: LineSink;
}

/** What is made of the lines of each sink. */
type Formats = { readonly [Sink in keyof Sinks]: (line: string) => string };

const asIs = (line: string): string => line;

/** Length in UTF-16 units. */
const ENOUGH = 16_384;

class ProcessLog implements Log {
  readonly #sinks: Sinks;
  readonly #formats: Formats;
  readonly #loggers = new Map<string, Logger>();
  readonly #timestamps = new TimestampWriter();
  readonly #output: pino.Logger;
  readonly #errors: pino.Logger;
  /** The index of the least level that is written. */
  #threshold: number;
  readonly #level: number;
  #debugTimer: NodeJS.Timeout | undefined;

  constructor(sinks: Sinks, level: LogLevel, formats: Formats) {
    this.#sinks = sinks;
    this.#formats = formats;
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
        if (fields === undefined) target[level](maskText(message));
        else target[level](writable(fields), maskText(message));
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
    const sink = level === 'error' ? 'errors' : 'output';
    this.#sinks[sink].write(this.#formats[sink](line));
  }
}

/** Errors as text, with a stack beside it. Texts have no URLs with passwords and the like, whoever made them. */
function writable(fields: LogFields): LogFields {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.flatMap(([key, value]) =>
      value instanceof Error
        ? [
            [key, maskText(value.message)],
            [`${key}.stack`, value.stack === undefined ? undefined : maskText(value.stack)],
          ]
        : [[key, typeof value === 'string' ? maskText(value) : value]],
    ),
  );
}

/** The variable that overrides the option (docs/spec/server.md#logs). */
const LOG_LEVEL_VARIABLE = 'AUTHZ_LOG_LEVEL';

/**
 * The level of a process: the variable, else the option, else `info`; in any case. Throws a ConfigError for what is no
 * level.
 */
export function chooseLogLevel(option: string | undefined, environment: Environment): LogLevel {
  const variable = environment[LOG_LEVEL_VARIABLE];
  if (variable !== undefined && variable !== '') return levelNamed(variable, LOG_LEVEL_VARIABLE);
  return option === undefined ? 'info' : levelNamed(option, '--log-level');
}

function levelNamed(text: string, place: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text.toLowerCase());
  if (level === undefined) throw new ConfigError(`\`${text}\` must be one of ${LOG_LEVELS.join(', ')}`, place);
  return level;
}
