/** The longest time that any step may take, in milliseconds. No passing test comes near it. */
export const LAST_RESORT = 60_000;

/** Waits for a promise. Rejects after a minute, so that a test that hangs says what it waited for. */
export async function within<T>(happening: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still not: ${what}`)), LAST_RESORT);
  });
  try {
    return await Promise.race([happening, late]);
  } finally {
    clearTimeout(timer);
  }
}
