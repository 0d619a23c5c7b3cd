import { visible } from '../../../../compiler/diagnostics/visible.js';
import type { ReadChange } from '../lock.js';

/** A change as a sentence: `album: edit now also reads \`resource.attr.region\` for user (policies/album.yaml:12)`. */
export function changeText(
  { kind, action, change, path, roles, lines }: ReadChange,
  pathOf: (file: string) => string,
): string {
  const who = roles.length === 0 ? '' : ` for ${roles.map((role) => visible(role)).join(', ')}`;
  const where = lines.map((line) =>
    line.replace(/^(.*):(\d+)$/, (_, file: string, number: string) => `${visible(pathOf(file))}:${number}`),
  );
  return `${visible(kind)}: ${visible(action)} ${chooseVerb(change)} \`${visible(path)}\`${who}${where.length === 0 ? '' : ` (${where.join(', ')})`}`;
}

/** What an action does: `now also reads`. */
export function chooseVerb(change: ReadChange['change']): string {
  return change === 'also reads' ? 'now also reads' : change;
}
