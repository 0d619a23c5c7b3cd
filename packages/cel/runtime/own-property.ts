/** Sets an own property whatever its name is: assigning `__proto__` would change the prototype instead. */
export function setOwn(target: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}
