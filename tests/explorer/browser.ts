import { existsSync } from 'node:fs';
import { type BrowserContext, chromium } from 'playwright-core';

/** Where Debian's package puts it. */
const EXECUTABLE = '/usr/bin/chromium';

/** Nothing of the browser's own may reach for the network. */
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
  readonly close: () => Promise<void>;
}

export function hasBrowser(): boolean {
  return existsSync(EXECUTABLE);
}

/** A real browser with a profile that nobody used before; it is a folder of the driver's, which removes it. */
export async function openBrowser(): Promise<Browser> {
  const running = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  const context = await running.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(10_000);
  return { context, close: () => running.close() };
}
