import { escaped } from '../../report/html.js';
import { type Coverage, type CoverageTotals, type FileCoverage, toPercent, type Share } from '../coverage.js';
import { type ClauseCoverage, isCovered } from '../rule-record.js';

/**
 * One page without scripts and without anything to load: the policies, with a mark at each line that has a rule or a
 * clause, and what was seen of it.
 *
 * @param textOf the text of a policy.
 */
export function coverageHtml(
  { files, total }: Coverage,
  pathOf: (file: string) => string,
  textOf: (file: string) => string,
): string {
  const rows = files.map((file, index) => row(`<a href="#f${index}">${escaped(pathOf(file.file))}</a>`, file.total));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coverage of policy tests</title>
<style>${STYLE}</style>
<h1>Coverage of policy tests</h1>
<table>
<tr><th>file<th>rules<th>clauses<th>MC/DC
${[...rows, row('<b>all</b>', total)].join('\n')}
</table>
<p class="legend"><span class="full">covered</span> <span class="part">covered in part</span> <span class="none">not covered</span></p>
${files.map((file, index) => section(file, `f${index}`, pathOf(file.file), textOf(file.file))).join('\n')}
</html>
`;
}

function row(name: string, { rules, clauses, mcdc }: CoverageTotals): string {
  return `<tr><td>${name}${[rules, clauses, mcdc].map((share) => `<td>${cell(share)}`).join('')}`;
}

function cell(share: Share): string {
  return share.all === 0 ? '–' : `${toPercent(share)} % <small>${share.covered}/${share.all}</small>`;
}

function section(file: FileCoverage, id: string, path: string, text: string): string {
  const notes = notesByLine(file);
  const lines = text.split(/\r?\n/).map((line, index) => {
    const own = notes.get(index + 1) ?? [];
    const worst = own.some(({ state }) => state === 'none')
      ? 'none'
      : own.some(({ state }) => state === 'part')
        ? 'part'
        : own.length > 0
          ? 'full'
          : '';
    const details = own.map(({ text: note }) => `<span class="note">${escaped(note)}</span>`).join('');
    return `<tr class="${worst}"><td class="number">${index + 1}<td><code>${escaped(line)}</code>${details}`;
  });
  return `<section id="${id}">\n<h2>${escaped(path)}</h2>\n<table class="source">\n${lines.join('\n')}\n</table>\n</section>`;
}

interface Note {
  readonly state: 'full' | 'part' | 'none';
  readonly text: string;
}

function notesByLine({ file, rules }: FileCoverage): ReadonlyMap<number, readonly Note[]> {
  const notes = new Map<number, Note[]>();
  const add = (line: number, note: Note): void => void notes.set(line, [...(notes.get(line) ?? []), note]);
  for (const { rule, place, reached, applied, names, clauses } of rules) {
    const missing = names.filter(({ matched }) => matched === 0).map(({ kind, text }) => `no ${kind} ${text}`);
    add(place.line, {
      state: applied === 0 ? 'none' : missing.length > 0 ? 'part' : 'full',
      text: [`${rule.slice(rule.indexOf('#') + 1)}: reached ${reached}, applied ${applied}`, ...missing].join(', '),
    });
    for (const clause of clauses) if (clause.place.file === file) add(clause.place.line, makeNote(clause));
  }
  return notes;
}

function makeNote(clause: ClauseCoverage): Note {
  const { text, true: held, false: not, failed, isDecisive } = clause;
  const counts = [`true ${held}`, `false ${not}`, ...(failed > 0 ? [`failed ${failed}`] : [])];
  const wasSeen = held + not + failed > 0;
  return {
    state: isCovered(clause) ? (isDecisive ? 'full' : 'part') : wasSeen ? 'part' : 'none',
    text: `${text.replace(/\s*\n\s*/g, ' ')}: ${counts.join(', ')}${isDecisive ? '' : ', never decides alone'}`,
  };
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; }
small { opacity: .7; }
.source td { padding: 0 .6rem; }
.source code { white-space: pre; font: 13px/1.5 ui-monospace, monospace; }
.number { text-align: right; opacity: .5; user-select: none; }
.note { display: block; font-size: 12px; opacity: .75; padding-left: 1rem; }
.full { background: #2da44e22; }
.part { background: #bf870033; }
.none { background: #cf222e33; }
.legend span { padding: 0 .5rem; }
`;
