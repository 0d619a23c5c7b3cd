/**
 * The static types of CEL (docs/spec/conditions.md#types). `json` refines `dyn`: known to hold plain JSON, as
 * attributes do (docs/spec/conditions.md#numbers-in-requests).
 */
export type CelType =
  | { readonly kind: 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration' }
  | { readonly kind: 'dyn' | 'error' /** Holds plain JSON only: no int, uint, timestamp ... */; readonly json: boolean }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly value: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'message'; readonly name: string }
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'parameter'; readonly name: string };

export const dyn: CelType = { kind: 'dyn', json: false };
/** An attribute, a claim, a constant: whatever it is, it is plain JSON. */
export const json: CelType = { kind: 'dyn', json: true };
export const errorType: CelType = { kind: 'error', json: false };
export const bool: CelType = { kind: 'bool' };
export const int: CelType = { kind: 'int' };
export const uint: CelType = { kind: 'uint' };
export const double: CelType = { kind: 'double' };
export const string: CelType = { kind: 'string' };
export const bytes: CelType = { kind: 'bytes' };
export const nullType: CelType = { kind: 'null' };
export const timestamp: CelType = { kind: 'timestamp' };
export const duration: CelType = { kind: 'duration' };

export const listType = (element: CelType): CelType => ({ kind: 'list', element });
export const mapType = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const optionalType = (value: CelType): CelType => ({ kind: 'optional', value });
export const typeType = (of: CelType): CelType => ({ kind: 'type', of });
export const message = (name: string): CelType => ({ kind: 'message', name });
export const opaque = (name: string): CelType => ({ kind: 'opaque', name });
export const parameter = (name: string): CelType => ({ kind: 'parameter', name });

/** A type as messages print it (docs/spec/conditions.md#types): `list(int)`, `map(string, dyn)`, `net.IP`. */
export function printType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${printType(type.element)})`;
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`;
    case 'optional':
      return `optional_type(${printType(type.value)})`;
    case 'type':
      return `type(${printType(type.of)})`;
    case 'message':
    case 'opaque':
      return type.name;
    case 'parameter':
      return 'dyn';
    case 'error':
      return '!error!';
    case 'timestamp':
      return 'timestamp';
    case 'null':
      return 'null';
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'duration':
    case 'dyn':
      return type.kind;
  }
}

/** The opaque types of the language (docs/spec/conditions.md#network-functions), named as messages print them. */
export const hierarchy = opaque('authz.lib.hierarchy');
export const ip = opaque('net.IP');
export const cidr = opaque('net.CIDR');
export const spiffeID = opaque('authz.lib.spiffeID');
export const spiffeTrustDomain = opaque('authz.lib.spiffeTrustDomain');
export const spiffeMatcher = opaque('authz.lib.spiffeMatcher');
