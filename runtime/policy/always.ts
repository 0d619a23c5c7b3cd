/** The condition of a rule that has none: it holds. The engine knows it by identity and does not call it. */
export function always(): boolean {
  return true;
}
