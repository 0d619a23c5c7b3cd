import { exampleActions, exampleOne, examplePrincipal, type KindNames } from '../calls/policy-names.js';
import { element } from '../dom.js';
import { tabs } from '../tabs.js';
import { decisionView } from './decision-view.js';
import { editor } from './editor.js';
import type { PlaygroundInput, PlaygroundResult, Problem } from './evaluate.js';
import { Evaluator } from './evaluator.js';
import { EXAMPLE } from './example.js';
import { packed, unpacked } from './fragment.js';
import { generatedView } from './generated-view.js';
import { planView } from './plan-view.js';
import { testsView } from './tests-view.js';

/** The fragment of an address that has the state of the playground. */
export const FRAGMENT = '#playground';

/** In milliseconds, after the last key. */
const PAUSE = 250;

/**
 * Policies, schemas, tests and a request to edit, and what the compiler and the engine in this page say of them.
 *
 * @param isServed whether a server shows the page: its admin can load its policies.
 * @param names what requests can name, of a server that shows its policies to anybody: the page begins with them.
 */
export function playground({
  isServed,
  names,
}: {
  readonly isServed: boolean;
  readonly names: KindNames | undefined;
}): HTMLElement {
  let files = new Map<string, string>();
  let opened = '';
  let problems: readonly Problem[] = [];
  let timer = 0;

  const policyEditor = editor((text) => {
    files.set(opened, text);
    changed();
  });
  const requestEditor = editor(() => changed());
  const fileSelect = element('select', { id: 'playground-file', onchange: () => openFile(fileSelect.value) });
  const status = element('p', { class: 'status', role: 'status' });
  const problemList = element('ul', { class: 'problems', 'aria-label': 'Problems' });
  const notice = element('p', { class: 'note', role: 'alert' });
  const views = { decision: decisionView(), plan: planView(), generated: generatedView(), tests: testsView() };

  const input = (): PlaygroundInput => ({
    files: [...files].map(([path, text]) => ({ path, text })),
    request: requestEditor.text(),
  });
  const evaluator = new Evaluator(show, (reason) => {
    status.textContent = `The policies could not be evaluated: ${reason}`;
    status.className = 'status bad';
  });

  function changed(): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      evaluator.evaluate(input());
      void remember();
    }, PAUSE);
  }

  async function remember(): Promise<void> {
    const state = await packed(input());
    notice.textContent = state === undefined ? 'These files are too long for a link.' : '';
    history.replaceState(undefined, '', state === undefined ? FRAGMENT : `${FRAGMENT}=${state}`);
  }

  function show(result: PlaygroundResult): void {
    problems = result.problems;
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    status.textContent = problems.length === 0 ? 'No problems' : countText(errors, problems.length - errors);
    status.className = `status ${errors > 0 ? 'bad' : 'good'}`;
    problemList.replaceChildren(...problems.map((problem) => problemItem(problem, goTo)));
    mark();
    views.decision.show(result.answer);
    views.plan.show(result.answer);
    views.generated.show(result.generated);
    views.tests.show(result.tests, result.generated !== undefined);
  }

  function mark(): void {
    policyEditor.mark(
      problems.flatMap(({ path, place, severity, code, text }) =>
        path === opened && place !== undefined
          ? [{ from: place.start, to: Math.max(place.end, place.start), severity, source: code, message: text }]
          : [],
      ),
    );
  }

  function goTo({ path, place }: Problem): void {
    if (path === undefined || !files.has(path)) return;
    openFile(path);
    policyEditor.goTo(place?.start ?? 0);
  }

  function openFile(path: string): void {
    opened = path;
    fileSelect.replaceChildren(
      ...[...files.keys()].map((name) => element('option', { value: name, selected: name === path }, name)),
    );
    policyEditor.open(path, files.get(path) ?? '', `Text of ${path}`);
    mark();
  }

  function load(state: PlaygroundInput): void {
    files = new Map(state.files.map(({ path, text }) => [path, text]));
    policyEditor.keep([]);
    requestEditor.keep([]);
    problems = [];
    openFile(state.files[0]?.path ?? addFile('policy.yaml'));
    requestEditor.open('request.json', state.request, 'Request');
    evaluator.evaluate(input());
  }

  function addFile(path: string): string {
    files.set(path, '');
    return path;
  }

  async function loadFromAddress(): Promise<void> {
    const [name, state] = location.hash.split('=');
    if (name !== FRAGMENT || state === undefined) {
      if (names === undefined) return load(EXAMPLE);
      return loadFromServer(requestAbout(names)).catch((error: unknown) => {
        load(EXAMPLE);
        notice.textContent = `The server does not show its policies: ${String(error)}`;
      });
    }
    try {
      load(await unpacked(state));
    } catch (error) {
      load(EXAMPLE);
      notice.textContent = `The link cannot be read, so this is the example: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  const pathInput = element('input', {
    type: 'text',
    id: 'playground-path',
    placeholder: '_schemas/album.json',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const newFile = element(
    'form',
    {
      class: 'inline',
      'aria-label': 'New file',
      onsubmit: (event) => {
        event.preventDefault();
        const path = pathInput.value.trim();
        if (path === '') return pathInput.focus();
        if (!files.has(path)) addFile(path);
        pathInput.value = '';
        openFile(path);
        changed();
      },
    },
    element('label', { for: pathInput.id }, 'New file'),
    pathInput,
    element('button', { type: 'submit' }, 'Add'),
  );
  const remove = element(
    'button',
    {
      type: 'button',
      onclick: () => {
        files.delete(opened);
        policyEditor.keep([...files.keys()]);
        openFile(files.keys().next().value ?? addFile('policy.yaml'));
        changed();
      },
    },
    'Delete file',
  );
  const link = element(
    'button',
    {
      type: 'button',
      onclick: async () => {
        await remember();
        // Without a secure context there is no clipboard, but the address is the link.
        const isCopied = await Promise.resolve(navigator.clipboard?.writeText(location.href)).then(
          () => navigator.clipboard !== undefined,
          () => false,
        );
        link.textContent = isCopied ? 'Link copied' : 'Copy the address';
        setTimeout(() => {
          link.textContent = 'Copy link';
        }, 1500);
      },
    },
    'Copy link',
  );

  const fromServer = element(
    'button',
    {
      type: 'button',
      onclick: () => {
        notice.textContent = '';
        loadFromServer().catch((error: unknown) => {
          notice.textContent = `The server does not show its policies: ${error instanceof Error ? error.message : String(error)}`;
        });
      },
    },
    'Load the policies of the server',
  );

  async function loadFromServer(request = requestEditor.text()): Promise<void> {
    // The browser asks for the credentials of the admin.
    const response = await fetch('explorer/policies.json');
    const answer = (await response.json()) as { readonly files?: PlaygroundInput['files']; readonly message?: string };
    if (answer.files === undefined) throw new Error(answer.message ?? String(response.status));
    load({ files: answer.files, request });
  }

  const left = element(
    'div',
    { class: 'column' },
    element(
      'section',
      { class: 'card', 'aria-label': 'Policies' },
      element('div', { class: 'bar' }, element('h2', {}, 'Policies'), link),
      element('div', { class: 'inline' }, element('label', { for: fileSelect.id }, 'File'), fileSelect, remove),
      ...(isServed ? [fromServer] : []),
      notice,
      policyEditor.node,
      newFile,
      status,
      problemList,
    ),
    element('section', { class: 'card', 'aria-label': 'Request' }, element('h2', {}, 'Request'), requestEditor.node),
  );
  const right = element(
    'section',
    { class: 'card', 'aria-label': 'Results' },
    tabs('Results', [
      { name: 'decision', title: 'Decision', content: views.decision.node },
      { name: 'filter', title: 'Plan', content: views.plan.node },
      { name: 'generated', title: 'TypeScript', content: views.generated.node, onShow: views.generated.shown },
      { name: 'tests', title: 'Tests', content: views.tests.node },
    ]),
  );
  void loadFromAddress();
  window.addEventListener('hashchange', () => {
    if (location.hash.startsWith(`${FRAGMENT}=`)) void loadFromAddress();
  });
  return element('div', { class: 'halves even' }, left, right);
}

/** A request about policies: of the kind that they are about, by somebody with the roles that they name. */
function requestAbout(names: KindNames): string {
  const request = {
    principal: examplePrincipal(names),
    resource: exampleOne(names),
    actions: exampleActions(names),
  };
  return `${JSON.stringify(request, undefined, 2)}\n`;
}

function countText(errors: number, warnings: number): string {
  const counted = (count: number, word: string): readonly string[] =>
    count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`];
  return [...counted(errors, 'error'), ...counted(warnings, 'warning')].join(', ');
}

function problemItem(problem: Problem, goTo: (problem: Problem) => void): HTMLElement {
  const { path, place, severity, code, text, notes } = problem;
  const at = `${path ?? ''}${place === undefined ? '' : `:${place.line}:${place.column}`}`;
  return element(
    'li',
    { class: severity },
    element('button', { type: 'button', class: 'link', onclick: () => goTo(problem) }, at || 'All files'),
    ` ${severity}[${code}]: ${text}`,
    ...notes.map((note) => element('p', { class: 'hint' }, note)),
  );
}
