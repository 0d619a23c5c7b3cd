import { literalOrGlob, sanitize } from '../../../runtime/policy/index.js';
import type { AskedActions } from '../../../compiler/tables/row-security.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import { rulesAbout, type Decisions } from '../decision/decisions.js';
import { pointsIn } from './decision.js';
import { listPlaces, type TablePlace } from './scopes.js';

/**
 * The rules that decide about a statement, for readers: `view: allowed by "owners", album.yaml:12`. No name or path ends the
 * line.
 */
export function listRules(decisions: Decisions, place: TablePlace, asked: readonly AskedActions[]): readonly string[] {
  const actions = [...new Set(asked.flatMap((each) => each.actions))];
  const modules = new Set(
    listPlaces(decisions, place).flatMap((own) =>
      pointsIn(decisions, own).flatMap((point) => decisions.at(point, []).modules),
    ),
  );
  return actions.flatMap((action) => {
    const lines = { allow: new Set<string>(), deny: new Set<string>() };
    for (const module of modules) {
      if (module.kind === 'resource' || module.kind === 'principal')
        for (const rule of rulesAbout(module, sanitize(place.kind)))
          if (rule.actions.some((pattern) => literalOrGlob(pattern)(action)))
            lines[rule.effect].add(ruleText(rule.name, rule.span));
    }
    return (['allow', 'deny'] as const).flatMap((effect) => {
      const rules = [...lines[effect]];
      return rules.length === 0 ? [] : [`${oneLine(action)}: ${VERBS[effect]} by ${rules.join('; ')}`];
    });
  });
}

const VERBS = { allow: 'allowed', deny: 'denied' } as const;

function ruleText(name: string, { source, start }: Span): string {
  return `${JSON.stringify(oneLine(name))}, ${oneLine(source.path)}:${source.lineAndColumn(start).line}`;
}

/** A text without characters that end a comment of SQL, or that a terminal obeys. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, '\ufffd');
}
