/** A change of files, or what a person has to look at. */
export type Step = WriteStep | Finding;

/** A file that is written: rewritten, renamed, or split into several. */
export interface WriteStep {
  readonly kind: 'write';
  readonly path: string;
  /** The files that take its place; the first one has its path, unless it is renamed. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Changes in a few words. */
  readonly changes: readonly string[];
}

/** A place with advice. */
export interface Finding {
  readonly kind: 'finding';
  readonly topic: Topic;
  readonly path: string;
  readonly line: number;
  /** The key, the name or the line that it is about. */
  readonly what: string;
  readonly advice: string;
  /** Whether somebody must do something before the server can decide as before. */
  readonly isOpen?: boolean;
}

/** The parts of a report, in their order. */
export const TOPICS = {
  policies: 'Policies',
  configuration: 'Files that may be configurations',
  containers: 'Containers',
  clients: 'Programs that call the server',
  commands: 'Commands and pipelines',
  generators: 'Programs and templates that write policies',
  monitoring: 'Health checks and metrics',
  'no-counterpart': 'Without a counterpart',
} as const;

export type Topic = keyof typeof TOPICS;
