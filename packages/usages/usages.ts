import type { Node as AnyNode } from 'ts-morph';
import { didYouMean } from '../cel/check/did-you-mean.js';
import type { Place } from '../../compiler/diagnostics/span.js';
import { readApplication } from './application.js';
import { type Ask, asksIn } from './asks.js';
import { nestRoutes } from './nest-routes.js';
import { nextRoutes } from './next-routes.js';
import { namesAction, namesKind, type PolicyWord } from './policy-words.js';
import type { Route } from './route.js';
import { routerRoutes } from './router-routes.js';

export type { Ask } from './asks.js';
export type { Route } from './route.js';

/** What an application asks its policies, and what does not fit. */
export interface Usages {
  /** Each place where a kind and an action are written or computed. */
  readonly asks: readonly Ask[];
  readonly routes: readonly Route[];
  readonly problems: readonly UsageProblem[];
}

export type UsageRule =
  | 'usage/unknown-kind'
  | 'usage/unknown-action'
  | 'usage/unguarded-route'
  | 'usage/unused-action'
  | 'usage/untyped-import'
  | 'usage/not-followed';

/** A problem at a place of the application or of the policies. */
export interface UsageProblem {
  readonly rule: UsageRule;
  readonly message: string;
  readonly at: AnyNode | Place;
}

/** Declared words of the project, which a policy need not name. */
export interface DeclaredWords {
  readonly actions?: readonly string[] | undefined;
}

/**
 * Reads an application and compares what it asks with what policies name. Throws if ts-morph is not installed or the
 * folder has no TypeScript.
 */
export async function findUsages(
  directory: string,
  words: readonly PolicyWord[],
  declared: DeclaredWords = {},
): Promise<Usages> {
  const { files, folder, untyped } = await readApplication(directory);
  const asks = files.flatMap(asksIn);
  const routes = [...routerRoutes(files), ...nestRoutes(files), ...nextRoutes(files, folder)];
  const problems = [
    ...unknownWords(asks, words, declared),
    ...routes.filter(({ guard }) => guard === 'none').map(unguarded),
    ...unusedActions(asks, words),
    ...untyped.map(withoutTypes),
    ...notFollowed(asks),
  ];
  return { asks, routes, problems: withoutRepeats(problems) };
}

function unknownWords(
  asks: readonly Ask[],
  words: readonly PolicyWord[],
  declared: DeclaredWords,
): readonly UsageProblem[] {
  const kinds = words.map(({ kind }) => kind.value);
  return asks.flatMap(({ kind, action, kindNode, actionNode }): readonly UsageProblem[] => {
    if (kind === undefined) return [];
    const about = words.filter((word) => namesKind(word, kind));
    if (about.length === 0)
      return [
        {
          rule: 'usage/unknown-kind',
          message: `no policy covers kind \`${kind}\`${guess(kind, kinds)}`,
          at: kindNode,
        },
      ];
    if (
      action === undefined ||
      about.some((word) => namesAction(word, action)) ||
      declared.actions?.includes(action) === true
    )
      return [];
    const actions = about.map((word) => word.action.value);
    const hint = guess(action, actions) || (actions.includes('*') ? ': only `*` reaches it' : '');
    return [
      {
        rule: 'usage/unknown-action',
        message: `no rule for kind \`${kind}\` names action \`${action}\`${hint}`,
        at: actionNode,
      },
    ];
  });
}

function guess(written: string, known: readonly string[]): string {
  const [note] = didYouMean(written, [...new Set(known)]);
  return note === undefined ? '' : `: ${note.message}`;
}

function unguarded({ method, path, node }: Route): UsageProblem {
  return { rule: 'usage/unguarded-route', message: `${method} ${path} reaches no decision`, at: node };
}

/** The actions of kinds that nobody asks. Where a part is computed, it may be any: nothing is said about those kinds. */
function unusedActions(asks: readonly Ask[], words: readonly PolicyWord[]): readonly UsageProblem[] {
  if (asks.some(({ kind, action }) => kind === undefined && action === undefined)) return [];
  const seen = new Set<string>();
  return words.flatMap((word): readonly UsageProblem[] => {
    const { kind, action } = word;
    const key = JSON.stringify([kind.value, action.value]);
    if (kind.value.includes('*') || action.value === '*' || seen.has(key)) return [];
    seen.add(key);
    const isAsked = asks.some(
      (ask) =>
        (ask.kind === undefined || namesKind(word, ask.kind)) &&
        (ask.action === undefined || namesAction(word, ask.action)),
    );
    return isAsked
      ? []
      : [
          {
            rule: 'usage/unused-action',
            message: `the application never asks for action \`${action.value}\` on kind \`${kind.value}\``,
            at: action.place,
          },
        ];
  });
}

function withoutTypes(node: AnyNode): UsageProblem {
  return {
    rule: 'usage/untyped-import',
    message: `${node.getText()} has no types here: its calls and routes are not read`,
    at: node,
  };
}

function notFollowed(asks: readonly Ask[]): readonly UsageProblem[] {
  return asks.flatMap(({ kind, action, kindNode, actionNode }): readonly UsageProblem[] => [
    ...(kind === undefined ? [computed('kind', kindNode)] : []),
    ...(action === undefined ? [computed('action', actionNode)] : []),
  ]);
}

function computed(what: string, at: AnyNode): UsageProblem {
  return { rule: 'usage/not-followed', message: `the ${what} is computed, and not followed`, at };
}

function withoutRepeats(problems: readonly UsageProblem[]): readonly UsageProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ rule, message, at }) => {
    const place =
      'span' in at ? `${at.span.source.path}:${at.span.start}` : `${at.getSourceFile().getFilePath()}:${at.getStart()}`;
    const key = `${rule} ${message} ${place}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
