import { type GlobToken, parseGlob } from '../../../runtime/policy/index.js';
import type { Types } from '../../ast/checked.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { collectImportedRoles } from '../expressions-of.js';
import type { Located } from '../../diagnostics/span.js';

/**
 * Warns about globs that match nothing or that are easily misread, and about strings that look like globs but are not
 * (docs/spec/policy-language.md#globs).
 */
export function warnOfGlobs({ policies }: PolicySet, _types: Types, report: Problems): void {
  const ofRoles = withStar([...collectImportedRoles(policies)].flatMap(({ definition }) => definition.parentRoles));
  for (const texts of [...policies.map(listTexts), ofRoles]) {
    for (const { text, isAlwaysGlob } of texts) {
      const glob = text.value;
      if (isAlwaysGlob || glob.includes('*')) {
        const reason = reasonAgainst(glob);
        if (reason !== undefined)
          report.add(
            'glob/unreliable',
            text.place,
            { glob, reason: reason.what },
            { notes: [{ message: reason.suggestion }] },
          );
      } else if (LOOKS_LIKE_A_GLOB.test(glob)) {
        report.add(
          'glob/literal',
          text.place,
          { text: glob },
          { notes: [{ message: 'a string is a glob only if it contains `*`: list the names separately' }] },
        );
      }
    }
  }
}

/** Brackets and braces around something. A lone `?` is probably part of a name. */
const LOOKS_LIKE_A_GLOB = /\[[^\]]+\]|\{[^}]*,[^}]*\}/;

interface MatchedText {
  readonly text: Located<string>;
  readonly isAlwaysGlob: boolean;
}

function listTexts(linked: LinkedPolicy): readonly MatchedText[] {
  switch (linked.kind) {
    case 'resource': {
      const { rules, schemas } = linked.policy;
      const ignored = [schemas?.principal, schemas?.resource].flatMap((schema) => schema?.ignoredActions ?? []);
      return [...withStar(rules.flatMap(({ actions, roles }) => [...actions, ...roles])), ...always(ignored)];
    }
    case 'principal':
      return withStar(
        linked.policy.rules.flatMap(({ resource, actions }) => [resource, ...actions.map(({ action }) => action)]),
      );
    case 'role':
      return [
        ...withStar(linked.policy.rules.map(({ resource }) => resource)),
        ...always(linked.policy.rules.flatMap(({ allowActions }) => allowActions)),
      ];
  }
}

function withStar(texts: readonly Located<string>[]): readonly MatchedText[] {
  return texts.map((text) => ({ text, isAlwaysGlob: false }));
}

function always(texts: readonly Located<string>[]): readonly MatchedText[] {
  return texts.map((text) => ({ text, isAlwaysGlob: true }));
}

interface Reason {
  readonly what: string;
  readonly suggestion: string;
}

function reasonAgainst(glob: string): Reason | undefined {
  const tokens = parseGlob(glob);
  if (tokens === undefined)
    return {
      what: 'it is not valid and matches nothing',
      suggestion: 'put a list, `[abc]`, or one range, `[a-c]`, between brackets, and close them',
    };
  if (glob.includes('***'))
    return {
      what: 'it has three stars in a row',
      suggestion: 'write `*` for anything except `:`, or `**` for anything',
    };
  if (hasOpenBrace(glob)) return { what: 'a brace is not closed', suggestion: 'close the brace' };
  if (hasStarInBraces(tokens)) {
    return {
      what: 'it has a star inside braces and text outside of them',
      suggestion: 'write each alternative as a separate string',
    };
  }
  return undefined;
}

/**
 * The glob parser closes open braces itself, so a brace is open if one more closing brace parses to the same tokens.
 */
function hasOpenBrace(glob: string): boolean {
  if (!glob.includes('{')) return false;
  const balanced = parseGlob(glob);
  const closed = parseGlob(`${glob}}`);
  return JSON.stringify(balanced) === JSON.stringify(closed);
}

function hasStarInBraces(tokens: readonly GlobToken[]): boolean {
  let depth = 0;
  let groups = 0;
  let starWithin = false;
  let outside = false;
  for (const { kind } of tokens) {
    if (kind === 'open') {
      if (depth === 0) groups += 1;
      depth += 1;
    } else if (kind === 'close') depth -= 1;
    else if (kind === 'star' || kind === 'anything') {
      if (depth > 0) starWithin = true;
      else outside = true;
    } else if (depth === 0) outside = true;
  }
  return starWithin && (outside || groups > 1);
}
