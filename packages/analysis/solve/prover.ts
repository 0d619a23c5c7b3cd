import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askedTerms, type Query, encodeQuery } from '../encode/query.js';
import { and, NotEncodable } from '../encode/smt.js';
import type { Situation } from '../question/situation.js';
import { readSituation } from './model.js';
import type { Answer, Prover, Question, UndecidedReason } from '../question/question.js';
import { type Reply, readReply, type SExpression } from './reply.js';
import type { Solver } from './solver.js';

/** How a prover asks. */
export interface ProverOptions {
  /** 1 to 5: more is slower and decides more. */
  readonly effort: number;
  /** A folder for all queries, each named by its hash. */
  readonly queries?: string | undefined;
}

/** How many models are tried: of a query for usual requests, and of one for any. */
const MODELS_OF_A_QUERY = 2;

/** The effort from which on lists of models have 4 elements instead of 2. */
const LONG_LISTS = 4;

/** The resource limit of z3 for the effort 3. Verdicts do not depend on the machine. */
const RESOURCES = 4_000_000;

/** Answers questions with a solver. */
export function makeProver(solver: Solver, { effort, queries }: ProverOptions): Prover {
  const options = `(set-option :rlimit ${Math.round((RESOURCES * effort ** 2) / 9)})\n`;
  const prologue = solver.prologue === undefined ? '' : `${solver.prologue}\n`;
  const replies = new Map<string, Promise<Reply>>();
  const ask = (text: string, asked: readonly string[]): Promise<Reply> => {
    const models = asked.length === 0 ? '' : '(set-option :produce-models true)\n';
    const values = asked.length === 0 ? '' : `(get-value (${asked.join(' ')}))\n`;
    const body = `${options}${models}${prologue}${text}\n(check-sat)\n${values}`;
    const hash = createHash('sha256').update(body).digest('hex');
    const known = replies.get(hash);
    if (known !== undefined) return known;
    const query = `(echo "${hash}")\n${body}(echo "${hash}")\n`;
    if (queries !== undefined) writeQuery(queries, hash, query);
    const reply = solver.run(query).then((output) => readReply(output, hash, asked.length));
    replies.set(hash, reply);
    return reply;
  };
  return {
    name: solver.name,
    prove: (question, confirm) => prove(question, confirm, ask, effort),
    close: () => solver.close(),
  };
}

type Ask = (text: string, asked: readonly string[]) => Promise<Reply>;

async function prove(
  question: Question,
  confirm: (candidate: Situation) => boolean,
  ask: Ask,
  effort: number,
): Promise<Answer> {
  let query: Query;
  try {
    query = encodeQuery(question, effort < LONG_LISTS ? 2 : 4);
  } catch (error) {
    return undecided('resource limit', error, []);
  }
  const { proof, uninterpreted } = query;
  const { status } = await ask(proof, []);
  if (status === 'unsat') return { answer: 'no', by: 'solver' };
  if (status !== 'sat') return { answer: '?', reason: 'resource limit', uninterpreted };
  try {
    const situation = await confirmed(query, question, confirm, ask);
    if (situation !== undefined) return { answer: 'yes', by: 'solver', situation };
  } catch (error) {
    return undecided('does not replay', error, uninterpreted);
  }
  return { answer: '?', reason: 'does not replay', uninterpreted };
}

function undecided(reason: UndecidedReason, error: unknown, uninterpreted: readonly string[]): Answer {
  if (!(error instanceof NotEncodable)) throw error;
  return { answer: '?', reason, uninterpreted };
}

/** A situation of a model that the compiled policies confirm: models of usual requests first. */
async function confirmed(
  query: Query,
  question: Question,
  confirm: (candidate: Situation) => boolean,
  ask: Ask,
): Promise<Situation | undefined> {
  const { text, natural, asked } = query.witness();
  const terms = askedTerms(asked);
  for (const base of [`${text}\n${natural}`, text]) {
    const refused: string[] = [];
    for (let tries = 0; tries < MODELS_OF_A_QUERY; tries += 1) {
      const body = [base, ...refused].join('\n');
      // Values of no model would be an error.
      if ((await ask(body, [])).status !== 'sat') break;
      const reply = await ask(body, terms);
      if (reply.status !== 'sat') break;
      const situation = readSituation(asked, reply.values, question);
      if (situation !== undefined && confirm(situation)) return situation;
      refused.push(`(assert (not ${fixScalars(terms, reply.values)}))`);
    }
  }
  return undefined;
}

/** That the terms have the scalars that they have in a model. */
function fixScalars(terms: readonly string[], values: readonly SExpression[]): string {
  const equalities = terms.flatMap((term, at) => {
    const value = values[at] as SExpression;
    const isScalar =
      typeof value !== 'string' && ['Bool', 'Str', 'Dbl', 'Int', 'Ts', 'Dur'].includes(value[0] as string);
    return isScalar ? [`(= ${term} ${printed(value)})`] : [];
  });
  return and(...equalities);
}

function printed(expression: SExpression): string {
  if (typeof expression !== 'string') return `(${expression.map(printed).join(' ')})`;
  return expression.startsWith('"') ? `"${expression.slice(1).replaceAll('"', '""')}"` : expression;
}

function writeQuery(folder: string, hash: string, query: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${hash}.smt2`), query);
}
