import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MarkupContent, Position } from 'vscode-languageserver';
import { chromium } from 'playwright-core';
import { complete } from '../completion.js';
import { hover } from '../hover.js';
import { Workspace } from '../workspace.js';

/*
 * `node --import tsx packages/editor/vscode/draw-pictures.mts`: the pictures in README.md of the extension, drawn from the
 * answers of the language server to a sample policy. Needs Chromium.
 */

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  schemas:
    resourceSchema: { ref: authz:///invoice.json }
  rules:
    - name: approve
      actions: [approve]
      effect: EFFECT_ALLOW
      roles: [accountant]
      condition:
        match:
          expr: EXPRESSION
`;
const SCHEMA = {
  type: 'object',
  required: ['status', 'number'],
  properties: { status: { enum: ['draft', 'submitted', 'paid'] }, number: { type: 'string' } },
};

const folder = mkdtempSync(join(tmpdir(), 'authz-pictures-'));
/** A text, the offset below which a box is drawn, the box, and the part that is underlined. */
interface Picture {
  readonly text: string;
  readonly at: number;
  readonly box: string;
  readonly mark?: readonly [start: number, end: number];
}

function completion(expression: string): Picture {
  const { workspace, text } = open(expression);
  const at = text.indexOf(expression) + expression.length;
  const { items } = complete(workspace, 'invoice.yaml', positionAt(text, at));
  const rows = items.map(({ label }, index) => `<li class="${index === 0 ? 'first' : ''}">${escaped(label)}</li>`);
  return { text, at, box: `<ul>${rows.join('')}</ul>` };
}

function hovered(expression: string, word: string): Picture {
  const { workspace, text } = open(expression);
  const at = text.indexOf(word);
  const contents = hover(workspace, 'invoice.yaml', positionAt(text, at + 1))?.contents as MarkupContent;
  const parts = contents.value.split(/```\w*\n?/);
  const box = parts.map((part, index) => (index % 2 === 1 ? `<pre>${escaped(part)}</pre>` : `<p>${escaped(part)}</p>`));
  return { text, at, box: box.join('') };
}

function marked(expression: string): Picture {
  const { workspace, text } = open(expression);
  const [found] = workspace.diagnoseFile('invoice.yaml');
  if (found?.place === undefined) throw new Error('the sample has no problem');
  const { start, end } = found.place.span;
  const notes = found.notes.map(({ message }) => `<p>${escaped(message)}</p>`);
  return { text, at: start, mark: [start, end], box: `<p>${escaped(found.message)}</p>${notes.join('')}` };
}

function open(expression: string): { readonly workspace: Workspace; readonly text: string } {
  const text = POLICY.replace('EXPRESSION', expression);
  mkdirSync(join(folder, '_schemas'), { recursive: true });
  writeFileSync(join(folder, '_schemas/invoice.json'), JSON.stringify(SCHEMA));
  writeFileSync(join(folder, 'invoice.yaml'), text);
  const workspace = new Workspace(folder);
  workspace.reload();
  return { workspace, text };
}

function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: (lines.at(-1) as string).length };
}

async function draw(name: string, { text, at, box, mark }: Picture): Promise<void> {
  const { line, character } = positionAt(text, at);
  const [start, end] = mark ?? [0, 0];
  const lines = text.trimEnd().split('\n');
  let offset = 0;
  const rows = lines.map((each, index) => {
    const [from, to] = [Math.max(0, start - offset), Math.max(0, end - offset)];
    offset += each.length + 1;
    return `<div><i>${index + 1}</i>${colored(each.slice(0, from))}<u>${colored(each.slice(from, to))}</u>${colored(each.slice(to))}</div>`;
  });
  const page = await browser.newPage({ viewport: { width: 760, height: 460 }, deviceScaleFactor: 1 });
  await page.setContent(`<style>${STYLE}</style><main>${rows.join('')}
<aside style="top: calc(${line + 1} * 20px + 14px); left: calc(${character}ch + 58px)">${box}</aside></main>`);
  await page.screenshot({ path: join(import.meta.dirname, 'images', `${name}.png`) });
  await page.close();
}

/** Keys of YAML, and strings. */
function colored(line: string): string {
  return escaped(line)
    .replace(/^(\s*(?:- )?)(\w+)(?=:)/, '$1<b>$2</b>')
    .replace(/&quot;.*?(?:&quot;|$)/g, '<em>$&</em>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const STYLE = `
body { margin: 0; background: #fff; color: #1f2328; }
main { position: relative; padding: 14px; font: 14px/20px 'DejaVu Sans Mono', monospace; white-space: pre; }
main i { display: inline-block; width: 28px; margin-right: 16px; text-align: right; color: #8c959f; font-style: normal; }
main b { color: #4f46e5; font-weight: normal; }
main em { color: #0a7d4f; font-style: normal; }
main u { text-decoration: underline wavy #d97706; text-underline-offset: 3px; }
aside { position: absolute; max-width: 480px; background: #fff; border: 1px solid #d0d7de; border-radius: 6px;
  box-shadow: 0 4px 16px rgb(31 35 40 / 15%); white-space: pre-wrap; }
aside ul { margin: 4px; padding: 0; list-style: none; }
aside li { padding: 2px 24px 2px 10px; border-radius: 4px; }
aside .first { background: #e0e7ff; }
aside p { margin: 8px 12px; font: 14px/20px 'DejaVu Sans', sans-serif; }
aside p:empty, aside pre:empty { display: none; }
aside pre { margin: 8px 12px; white-space: pre-wrap; }
`;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  await draw('completion', completion('R.attr.status == "'));
  await draw('hover', hovered('R.attr.number.startsWith("2030-")', 'startsWith'));
  await draw('diagnostic', marked('R.attr.status == "sumbitted"'));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
