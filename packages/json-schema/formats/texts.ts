/** `json-pointer`: RFC 6901. */
export function isJsonPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

/** `relative-json-pointer`. */
export function isRelativeJsonPointer(text: string): boolean {
  const rest = /^(?:0|[1-9][0-9]*)(.*)$/s.exec(text)?.[1];
  return rest !== undefined && (rest === '#' || isJsonPointer(rest));
}

/** `uuid`. */
export function isUuid(text: string): boolean {
  return /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text);
}
