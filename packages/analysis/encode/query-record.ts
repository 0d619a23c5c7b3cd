import type { Macro, Value } from '../../../compiler/ir/value.js';
import type { Scope } from './scope.js';
import type { Script } from './script.js';
import { type Term, unknown } from './values.js';

/** Something that a query leaves open, with what a bounded list makes of it. */
export interface Applied {
  /** `listed`: that an element equals a value; `macro`: a macro over a list. */
  readonly kind: 'listed' | 'macro';
  readonly result: string;
  readonly range: Term;
  readonly element?: Term;
  readonly macro?: Macro;
  readonly scope?: Scope;
}

/** A read of an entry of a map, for models: of a term, by a key. */
export interface Read {
  readonly of: string;
  readonly key: string;
}

/** The script of a query, and what its terms ask about, for models and reports. */
export class QueryRecord {
  /** What a solver is not told the meaning of, as reports name it. */
  readonly uninterpreted = new Set<string>();
  readonly applied: Applied[] = [];
  readonly reads = new Map<string, Read>();
  /** Terms that are looked into as lists. */
  readonly collections = new Map<string, Term>();
  /** Strings that are parsed as times and durations: terms of the sort V. */
  readonly parsed = { timestamps: new Set<string>(), durations: new Set<string>() };
  /** The parts of the request that are read, as terms of the sort V. */
  readonly fields = new Map<string, string>();
  /**
   * String constants that conditions look for among the roles of the principal; whether one does by its text, so that
   * the role is a class of its own.
   */
  readonly roleNames = new Map<string, boolean>();
  /** What is compared: used to prefer requests whose attributes have the types that are expected. */
  readonly compared: (readonly [Term, Term])[] = [];
  /** What usual requests satisfy. */
  readonly usual: string[] = [];

  constructor(readonly script: Script) {}

  /** Records that an entry of a map is read. */
  read(operand: Term, key: string): void {
    this.reads.set(`${operand.text} ${key}`, { of: operand.text, key });
  }

  /** Something of which nothing is known but what it depends on. It may fail. */
  unexplained(shown: string, name: string, args: readonly Term[]): Term {
    this.uninterpreted.add(shown);
    return unknown(
      this.script.uninterpreted(name, 'V', args.map(() => 'V').join(' '), ...args.map(({ text }) => text)),
    );
  }
}

/** Encodes expressions, for what is made of their parts. */
export interface Expressions extends QueryRecord {
  /** The image of an expression. */
  term(value: Value, scope: Scope): Term;
  /** That an expression is true, or that it is false; neither where it fails or is not a boolean. */
  truth(value: Value, scope: Scope, polarity: boolean): string;
}
