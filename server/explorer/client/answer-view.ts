import type { Answer } from './ask.js';
import { copyButton } from './copy-button.js';
import { curlCommand } from './curl.js';
import { element } from './dom.js';
import { errorAnswer } from './error-answer.js';
import { jsonText } from './json-text.js';
import type { Json } from './json.js';

/** Where answers are shown. */
export interface AnswerView {
  readonly node: HTMLElement;
  readonly waiting: () => void;
  readonly show: (answer: Answer, url: string, request: string) => void;
  readonly unreachable: (reason: string) => void;
}

/** A view that shows good answers by `showBody`; changes are said aloud. */
export function answerView(showBody: (body: Json) => HTMLElement): AnswerView {
  const status = element('p', { class: 'status', role: 'status' });
  const content = element(
    'div',
    { class: 'content' },
    element('p', { class: 'empty' }, 'Send the request to see the answer here.'),
  );
  const node = element(
    'section',
    { class: 'answer card', 'aria-label': 'Answer' },
    element('div', { class: 'bar' }, element('h2', {}, 'Answer'), status),
    content,
  );
  const say = (text: string, kind: 'good' | 'bad' | 'busy'): void => {
    status.textContent = text;
    status.className = `status ${kind}`;
  };
  return {
    node,
    waiting: () => say('Waiting…', 'busy'),
    show: (answer, url, request) => {
      const isGood = answer.status >= 200 && answer.status < 300 && answer.body !== undefined;
      say(
        `${answer.status} ${answer.statusText} · ${answer.time.toFixed(1)} ms · ${sizeText(answer.size)}`,
        isGood ? 'good' : 'bad',
      );
      content.replaceChildren(
        isGood ? showBody(answer.body as Json) : errorAnswer(answer),
        ...bodyNodes(answer),
        ...commandNodes(url, request),
      );
    },
    unreachable: (reason) => {
      say('The server cannot be reached', 'bad');
      content.replaceChildren(element('p', { class: 'message' }, reason));
    },
  };
}

function bodyNodes({ body }: Answer): readonly HTMLElement[] {
  if (body === undefined) return [];
  const text = jsonText(body);
  return [element('div', { class: 'bar' }, element('h3', {}, 'Response'), copyButton(text)), text];
}

function commandNodes(url: string, request: string): readonly HTMLElement[] {
  const command = element(
    'pre',
    { class: 'code wrap', tabindex: 0, 'aria-label': 'Command line' },
    curlCommand(url, JSON.stringify(JSON.parse(request))),
  );
  return [element('div', { class: 'bar' }, element('h3', {}, 'From a shell'), copyButton(command)), command];
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
