import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conditional, warningsOf } from '../../../tests/support/warnings.js';

/** Other warnings are about definitions that nothing uses. */
const findProblems = (text: string, fields = ''): readonly string[] =>
  warningsOf(conditional(text, fields)).filter((line) => line.startsWith('expression/unusable-argument: '));

const constant = (value: string): string => `, constants: {local: {c: ${JSON.stringify(value)}}}`;
const variable = (value: string): string =>
  `, variables: {local: {v: ${JSON.stringify(JSON.stringify(value))}, w: V.v}}`;

const warning = (name: string, argument: string, wanted: string): readonly string[] => [
  `expression/unusable-argument: \`${name}\` always fails: ${argument} is not ${wanted}`,
];

test('ranges and time zones in expressions are judged', () => {
  for (const range of ['10.0.0.0/40', '10.0.0.0', '10.0.0/8', 'fe80::/129', '', 'office'])
    assert.equal(
      findProblems(`R.attr.ip.inIPAddrRange(${JSON.stringify(range)})`),
      warning('inIPAddrRange', `\`"${range}"\``, 'a range of addresses'),
      range,
    );
  for (const getter of ['getHours', 'getDayOfWeek', 'getFullYear'])
    for (const zone of ['Europe/Berlin2', 'Berlin', '+2'])
      assert.equal(
        findProblems(`now().${getter}("${zone}") > 9`),
        warning(getter, `\`"${zone}"\``, 'a time zone'),
        `${getter} ${zone}`,
      );
});

test('constants and variables are judged like texts in the expression, and once', () => {
  const cases = [
    ['inIPAddrRange', 'R.attr.ip.inIPAddrRange(NAME)', '10.0.0.0/40', 'a range of addresses'],
    ['duration', 'duration(R.attr.x) > duration(NAME)', '1d', 'a duration'],
    ['timestamp', 'timestamp(R.attr.x) > timestamp(NAME)', '2024-01-01', 'a timestamp'],
    ['ip', 'ip(R.attr.x) == ip(NAME)', '10.0.0', 'an IP address'],
    ['cidr', 'cidr(NAME).containsIP(R.attr.x)', '10.0.0.0', 'a range of addresses'],
    ['getHours', 'timestamp(R.attr.x).getHours(NAME) > 9', 'Berlin', 'a time zone'],
  ] as const;
  for (const [name, text, value, wanted] of cases) {
    const twice = `${text} || ${text} && R.attr.y`;
    assert.equal(findProblems(twice.replaceAll('NAME', 'C.c'), constant(value)), warning(name, '`C.c`', wanted), name);
    for (const given of ['V.v', 'V.w'])
      assert.equal(
        findProblems(twice.replaceAll('NAME', given), variable(value)),
        warning(name, '`V.v`', wanted),
        name,
      );
  }
});

test('what can be read, and what only requests have, is not reported', () => {
  for (const text of [
    'R.attr.ip.inIPAddrRange("10.0.0.0/8")',
    'R.attr.ip.inIPAddrRange("fe80::/10")',
    'R.attr.ip.inIPAddrRange(R.attr.range)',
    'now().getHours() > 9',
    'now().getHours("Europe/Berlin") > 9',
    'now().getHours("+02:00") > 9',
    'duration("90m").getHours() > 0',
    'timestamp(R.attr.x) > timestamp(0)',
    'R.attr.x.startsWith("10.0.0.0/40")',
  ])
    assert.equal(findProblems(text), [], text);
  assert.equal(findProblems('duration(R.attr.x) > duration(C.c)', constant('1h30m')), []);
});

test.run();
