import type { Definitions, Document, Match, RuleBody, Texts, Values } from './documents.js';

/**
 * The used variables, in order of evaluation, and the used constants of a policy
 * (docs/spec/policy-language.md#compiling-variables-and-constants). Equal content is one set of values (6.2).
 */
export interface Params {
  readonly variables: readonly { readonly name: string; readonly expr: string }[];
  readonly constants: Values;
}

/** What of a policy's definitions some texts use, directly or through variables. */
export function paramsOf(documents: readonly Document[], own: Definitions, texts: readonly string[]): Params {
  const variables = new Map(
    Object.entries(
      collect(
        own.variables,
        (name) => documents.find((d) => d.exportVariables?.name === name)?.exportVariables?.definitions,
      ),
    ),
  );
  const constants = collect(
    own.constants,
    (name) => documents.find((d) => d.exportConstants?.name === name)?.exportConstants?.definitions,
  );

  const used = new Set<string>();
  const order: { name: string; expr: string }[] = [];
  const usedConstants = new Set<string>();
  const use = (text: string): void => {
    for (const name of namesIn(text, CONSTANT)) usedConstants.add(name);
    for (const name of namesIn(text, VARIABLE).sort()) {
      const expr = variables.get(name);
      if (expr === undefined || used.has(name)) continue;
      used.add(name);
      use(expr);
      order.push({ name, expr });
    }
  };
  for (const text of texts) use(text);
  return {
    variables: topological(order),
    constants: Object.fromEntries([...usedConstants].sort().map((name) => [name, constants[name]])),
  };
}

/** The texts of rules: conditions and outputs. */
export function textsOf(rules: readonly RuleBody[]): readonly string[] {
  return rules.flatMap((rule) => [
    ...(rule.condition === undefined ? [] : expressionsOf(rule.condition.match)),
    ...[rule.output?.expr, rule.output?.when?.ruleActivated, rule.output?.when?.conditionNotMet].filter(
      (text) => text !== undefined,
    ),
  ]);
}

/** The texts of a condition. */
export function expressionsOf(match: Match): readonly string[] {
  if ('expr' in match) return [match.expr];
  const { of } = 'all' in match ? match.all : 'any' in match ? match.any : match.none;
  return of.flatMap(expressionsOf);
}

const VARIABLE = /\b(?:V|variables)\.([A-Za-z_]\w*)/g;
const CONSTANT = /\b(?:C|constants)\.([A-Za-z_]\w*)/g;

function collect<T extends Texts | Values>(
  block: { readonly import?: readonly string[]; readonly local?: T } | undefined,
  imported: (name: string) => T | undefined,
): T {
  return Object.assign({}, ...(block?.import ?? []).map(imported), block?.local) as T;
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] as string);
}

/** By reference, ties by name. */
function topological(variables: readonly { name: string; expr: string }[]): readonly { name: string; expr: string }[] {
  const pending = [...variables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const done: { name: string; expr: string }[] = [];
  while (pending.length > 0) {
    const index = pending.findIndex(
      ({ expr }) => !namesIn(expr, VARIABLE).some((name) => pending.some((other) => other.name === name)),
    );
    done.push(...pending.splice(Math.max(index, 0), 1));
  }
  return done;
}
