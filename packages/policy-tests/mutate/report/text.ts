import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { DEFAULT_NOW } from '../../../analysis/question/situation.js';
import type { MutantResult, MutationReport, Witness } from '../mutate.js';

/** The mutants that survived, and the score; if `verbose`, also those that are equivalent. */
export function mutationText(
  { mutants, total }: MutationReport,
  pathOf: (file: string) => string,
  { verbose = false }: { readonly verbose?: boolean } = {},
): string {
  const survivors = mutants.filter(({ result }) => result === 'survived');
  const equivalent = verbose ? mutants.filter(({ result }) => result === 'equivalent') : [];
  return `${[
    ...survivors.flatMap((mutant) => [formatLine(mutant, pathOf), `          ${witnessText(mutant.witness)}`]),
    ...equivalent.map((mutant) => formatLine(mutant, pathOf)),
    ...(survivors.length + equivalent.length === 0 ? [] : ['']),
    `mutants: ${mutants.length}   killed ${total.killed}, survived ${total.survived}${undecidedText(total.undecided)}, equivalent ${total.equivalent}   score ${total.score} %`,
  ].join('\n')}\n`;
}

function formatLine(
  { result, operator, place, before, after }: MutantResult,
  pathOf: (file: string) => string,
): string {
  return `${result.toUpperCase()}  ${operator.padEnd(6)}  ${visible(pathOf(place.file))}:${place.line}  ${oneLine(before)}  ->  ${oneLine(after)}`;
}

function undecidedText(count: number): string {
  return count === 0 ? '' : ` (${count} not decided)`;
}

/** The request that tells a survivor apart. */
export function witnessText(witness: Witness | undefined): string {
  if (witness === undefined) return 'no request found that tells it apart';
  const { request, globals, now, before, after } = witness;
  const { principal, resource, action } = request;
  const who = `${visible(principal.id)} [${principal.roles.map(visible).join(', ')}]${attributes(principal.attr)}`;
  const scope = resource.scope ? ` in ${visible(resource.scope)}` : '';
  const what = `${visible(action)} ${visible(resource.kind)}${scope}${attributes(resource.attr)}`;
  const claims = labelled('claims', request.auxData?.jwts ?? request.auxData?.jwt);
  const time = now === DEFAULT_NOW ? '' : ` at ${now}`;
  return `no test asks: ${who} ${what}${claims}${labelled('globals', globals)}${time}   ${before}, mutant ${after}`;
}

function attributes(attr: object | undefined): string {
  return attr === undefined || Object.keys(attr).length === 0 ? '' : ` ${visibleJson(attr)}`;
}

function labelled(label: string, members: object | undefined): string {
  const text = attributes(members);
  return text === '' ? '' : ` ${label}${text}`;
}

function oneLine(text: string): string {
  return visible(text.replace(/\s*\n\s*/g, ' '));
}
