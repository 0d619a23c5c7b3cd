import { element } from '../dom.js';

/** What a splitter changes: a custom property of a container, in percent of its width or height. */
export interface SplitOptions {
  readonly label: string;
  /** `vertical` divides left from right, as in ARIA. */
  readonly orientation: 'vertical' | 'horizontal';
  readonly property: string;
  readonly initial: number;
}

/** The bounds and the step of a pane, in percent. */
const [LEAST, MOST, STEP] = [20, 80, 2];

/**
 * A line between two panes of its parent, moved with the pointer or the arrow keys; a double click moves it back. The
 * browser remembers where it is.
 */
export function splitter({ label, orientation, property, initial }: SplitOptions): HTMLElement {
  let current = initial;
  const node = element('div', {
    class: `splitter ${orientation}`,
    role: 'separator',
    tabindex: 0,
    'aria-label': label,
    'aria-orientation': orientation,
    'aria-valuemin': LEAST,
    'aria-valuemax': MOST,
    'aria-valuenow': initial,
  });
  const moveTo = (percent: number): void => {
    current = Math.min(MOST, Math.max(LEAST, percent));
    node.parentElement?.style.setProperty(property, `${current}%`);
    node.setAttribute('aria-valuenow', String(Math.round(current)));
    remember(property, current === initial ? undefined : current);
  };
  const remembered = recall(property);
  // The parent is there once the caller has placed the line.
  if (remembered !== undefined) queueMicrotask(() => moveTo(remembered));
  const follow = ({ clientX, clientY }: PointerEvent): void => {
    const { left, top, width, height } = (node.parentElement as HTMLElement).getBoundingClientRect();
    moveTo(orientation === 'vertical' ? ((clientX - left) / width) * 100 : ((clientY - top) / height) * 100);
  };
  node.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    node.focus();
    node.setPointerCapture(event.pointerId);
    node.addEventListener('pointermove', follow);
  });
  for (const end of ['pointerup', 'pointercancel'] as const)
    node.addEventListener(end, () => node.removeEventListener('pointermove', follow));
  node.addEventListener('dblclick', () => moveTo(initial));
  const [less, more] = orientation === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
  node.addEventListener('keydown', (event) => {
    const targets: { readonly [key: string]: number | undefined } = {
      [less]: current - STEP,
      [more]: current + STEP,
      Home: LEAST,
      End: MOST,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    moveTo(target);
  });
  return node;
}

function storageKey(property: string): string {
  return `authz-playground${property}`;
}

/** Stores a position; browsers that keep nothing for the page refuse. */
function remember(property: string, percent: number | undefined): void {
  try {
    if (percent === undefined) localStorage.removeItem(storageKey(property));
    else localStorage.setItem(storageKey(property), String(percent));
  } catch {
    // The position lasts as long as the page.
  }
}

function recall(property: string): number | undefined {
  try {
    const percent = Number.parseFloat(localStorage.getItem(storageKey(property)) ?? '');
    return Number.isFinite(percent) ? percent : undefined;
  } catch {
    return undefined;
  }
}
