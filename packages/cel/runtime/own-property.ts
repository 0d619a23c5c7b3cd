/** Sets an own property whatever its name is: assigning `__proto__` would change the prototype instead. */
export function setOwn(target: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}

/** Whether an object has no property of its own. */
export function isEmpty(value: object): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}
