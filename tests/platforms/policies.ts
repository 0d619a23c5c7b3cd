/**
 * A policy that uses all features of conditions and returns their values as outputs, to show differences between
 * platforms.
 */
export const EVERYTHING = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: everything
  version: default
  variables:
    local:
      hour: timestamp(R.attr.at).getHours("Europe/Berlin")
  rules:
${[
  ['patterns', 'R.attr.text.matches("^(\\\\p{L}|[0-9 ])+$")'],
  ['hostile-patterns', 'R.attr.text.matches("(a|a)*b")'],
  ['instants', 'V.hour >= 8 && timestamp(R.attr.at) < now() && timeSince(timestamp(R.attr.at)) > duration("1h")'],
  ['years', 'timestamp(R.attr.at).getFullYear("America/New_York") == 2024'],
  ['addresses', 'R.attr.address.inIPAddrRange("10.0.0.0/8") || R.attr.address.inIPAddrRange("2001:db8::/32")'],
  ['texts', 'R.attr.text.lowerAscii().startsWith("a") && size(R.attr.text) < 12'],
  ['lists', 'R.attr.tags.exists(t, t == "x") && hasIntersection(R.attr.tags, P.attr.tags)'],
  ['numbers', 'R.attr.amount * 3.0 > 1.0 && int(R.attr.amount) % 2 == 0'],
  ['maps', 'has(R.attr.map.key) && R.attr.map["key"] in ["value", "__proto__"]'],
  ['bytes', 'base64.encode(bytes(R.attr.text)) != ""'],
]
  .map(
    ([name, expression]) => `    - name: ${name}
      actions: ["${name}"]
      effect: EFFECT_ALLOW
      roles: ["*"]
      condition:
        match:
          expr: ${JSON.stringify(expression)}
      output:
        when:
          ruleActivated: '"%s %d".format([R.attr.text, size(R.attr.text)])'
          conditionNotMet: '{"text": R.attr.text, "sorted": R.attr.tags.sort(), "hour": V.hour}'
`,
  )
  .join('')}`;
