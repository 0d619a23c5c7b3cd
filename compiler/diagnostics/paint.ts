import type { Severity } from './messages.js';

/** Styles of the parts of a rendered diagnostic. */
export interface Paint {
  severity(severity: Severity, text: string): string;
  strong(text: string): string;
  faint(text: string): string;
  mark(text: string): string;
}

/** Prints text unchanged: for files, pipes and terminals without colour. */
export const plain: Paint = {
  severity: (_, text) => text,
  strong: (text) => text,
  faint: (text) => text,
  mark: (text) => text,
};

/** The eight colours every terminal has (SGR codes). */
export const colored: Paint = {
  severity: (severity, text) => (severity === 'error' ? sgr('1;31', text) : sgr('1;33', text)),
  strong: (text) => sgr('1', text),
  faint: (text) => sgr('2', text),
  mark: (text) => sgr('1;31', text),
};

function sgr(codes: string, text: string): string {
  return `\u001b[${codes}m${text}\u001b[0m`;
}
