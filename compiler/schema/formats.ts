/**
 * The functions of `packages/json-schema` for the known formats
 * (docs/spec/policy-language.md#json-schema-dialect).
 */
export const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date-time', 'isDateTime'],
  ['date', 'isDate'],
  ['time', 'isTime'],
  ['duration', 'isDuration'],
  ['period', 'isPeriod'],
  ['hostname', 'isHostname'],
  ['email', 'isEmail'],
  ['ip-address', 'isIpv4'],
  ['ipv4', 'isIpv4'],
  ['ipv6', 'isIpv6'],
  ['uri', 'isUri'],
  ['iri', 'isUri'],
  ['uri-reference', 'isUriReference'],
  ['uriref', 'isUriReference'],
  ['iri-reference', 'isUriReference'],
  ['uri-template', 'isUriTemplate'],
  ['regex', 'isRegex'],
  ['json-pointer', 'isJsonPointer'],
  ['relative-json-pointer', 'isRelativeJsonPointer'],
  ['uuid', 'isUuid'],
]);
