/** The condition of a derived role that has none: everyone with a parent role has it. The planner knows it by identity. */
export function always(): true {
  return true;
}
