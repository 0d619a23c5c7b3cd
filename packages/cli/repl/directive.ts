import { didYouMean } from '../../cel/check/did-you-mean.js';

/** The kind of an input (docs/spec/server.md#repl, "repl"). */
export type Input =
  | { readonly kind: 'nothing' | 'help' | 'vars' | 'rules' | 'reset' | 'quit' }
  /** `offset` is where the expression begins in the input. */
  | { readonly kind: 'expression' }
  | { readonly kind: 'let'; readonly name: string; readonly text: string; readonly offset: number }
  | { readonly kind: 'load'; readonly file: string }
  | { readonly kind: 'exec'; readonly rule: number }
  | { readonly kind: 'unknown'; readonly message: string };

/** Parses an input: an expression, a comment, or a directive. */
export function readInput(input: string): Input {
  const text = input.trim();
  if (text === '' || text.startsWith('#')) return { kind: 'nothing' };
  if (!text.startsWith(':')) return { kind: 'expression' };
  const [, word = '', rest = ''] = /^:(\S*)\s*(.*)$/s.exec(text) ?? [];
  return parseDirective(word, rest, input);
}

function parseDirective(word: string, rest: string, input: string): Input {
  switch (word) {
    case 'let':
      return parseLet(rest, input);
    case 'load':
      return rest === '' ? unknown('a file is missing: `:load FILE`') : { kind: 'load', file: rest };
    case 'exec': {
      const rule = /^#?(\d{1,6})$/.exec(rest);
      return rule === null
        ? unknown('the number of a rule is missing: `:exec #0`')
        : { kind: 'exec', rule: Number(rule[1]) };
    }
  }
  const plain = PLAIN.get(word);
  if (plain === undefined) {
    const [hint] = didYouMean(
      `:${word}`,
      [...PLAIN.keys(), 'let', 'load', 'exec'].map((known) => `:${known}`),
    );
    return unknown(`there is no directive \`:${word}\`: ${hint?.message ?? '`:help` lists them'}`);
  }
  return rest === '' ? { kind: plain } : unknown(`\`:${word}\` stands alone`);
}

const PLAIN: ReadonlyMap<string, 'help' | 'vars' | 'rules' | 'reset' | 'quit'> = new Map([
  ['help', 'help'],
  ['h', 'help'],
  ['vars', 'vars'],
  ['rules', 'rules'],
  ['reset', 'reset'],
  ['quit', 'quit'],
  ['q', 'quit'],
  ['exit', 'quit'],
]);

function parseLet(rest: string, input: string): Input {
  const [, name = '', text = ''] = /^([^\s=]+)\s*=\s*(.+)$/s.exec(rest) ?? [];
  if (name === '') return unknown('a name and a value are missing: `:let NAME = EXPRESSION`');
  return { kind: 'let', name, text, offset: input.trimEnd().length - text.length };
}

function unknown(message: string): Input {
  return { kind: 'unknown', message };
}

/** The output of `:help`. */
export const HELP = `An expression prints its value; \`_\` is the last one. A line continues after a backslash and inside brackets and quotes; # starts a comment.

:let NAME = EXPRESSION   define a variable
:let P = JSON            the principal: {"id": "alice", "roles": ["user"], "attr": {...}}
:let R = JSON            the resource: {"kind": "album", "id": "a1", "attr": {...}}
:let V = JSON            the variables; also request, request.auxData, C (constants), G (globals)
:vars                    list all names
:load FILE               read a policy: its variables, constants and conditional rules; imports are found in its folder
:rules                   the conditional rules of that policy
:exec #N                 evaluate each part of a rule's condition
:reset                   delete all definitions
:help, :h                show this help
:quit, :q, :exit         exit, as at the end of input
`;
