import { existsSync } from 'node:fs';
import { type BrowserContext, chromium, type Page, type Request } from 'playwright-core';

/** The path of Debian's package. */
const EXECUTABLE = '/usr/bin/chromium';

/** Keeps the browser itself from using the network. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Browser {
  readonly context: BrowserContext;
  /** Another profile of the same browser, with nothing that pages have stored. */
  readonly newContext: () => Promise<BrowserContext>;
  readonly close: () => Promise<void>;
}

export function hasBrowser(): boolean {
  return existsSync(EXECUTABLE);
}

/** Whether a browser asked for the icon of a page: it gives up when another page is opened before the icon is there. */
function isIcon(request: Request): boolean {
  return new URL(request.url()).pathname.endsWith('/icon.svg');
}

/** Tells of the errors and warnings of a page, of requests that fail, and of what its content security policy refuses. */
export async function watchPage(page: Page, onError: (text: string) => void): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') onError(message.text());
  });
  page.on('pageerror', (error) => onError(error.message));
  page.on('requestfailed', (request) => {
    if (!isIcon(request)) onError(`${request.url()} failed`);
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy violated: ' + event.violatedDirective))",
  );
}

/** Opens a real browser with a new profile. The driver creates the profile folder and removes it. */
export async function openBrowser(): Promise<Browser> {
  const running = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  const newContext = async (): Promise<BrowserContext> => {
    const context = await running.newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(300_000);
    return context;
  };
  return { context: await newContext(), newContext, close: () => running.close() };
}
