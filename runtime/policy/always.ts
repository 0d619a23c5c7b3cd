/**
 * The condition of a derived role without a condition: every principal with a parent role has it. The planner compares
 * by identity.
 */
export function always(): true {
  return true;
}
