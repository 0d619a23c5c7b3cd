/** Any JSON value by name. Only own properties count; `__proto__` is a name like any other. */
// biome-ignore lint/suspicious/noExplicitAny: attributes that an application sends are any JSON.
export type Attributes = { readonly [name: string]: any };
