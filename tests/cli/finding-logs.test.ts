import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../packages/cli/findings/finding.js';
import { findingLog } from '../../packages/cli/findings/log.js';

const FINDING: Finding = {
  rule: 'a/b',
  level: 'error',
  message: 'first, 100%: done\nsecond <line> ]]> \u0007',
  location: {
    path: 'policies/a,b:c.yaml',
    region: { startLine: 2, startColumn: 3, endLine: 2, endColumn: 9, line: '  text' },
  },
};
const WARNING: Finding = { rule: 'a/c', level: 'warning', message: 'soon', location: { path: 'policies/' } };

test('workflow commands escape what would end them', () => {
  assert.is(
    findingLog('github', [FINDING, WARNING], []),
    `::error file=policies/a%2Cb%3Ac.yaml,line=2,endLine=2,col=3,endColumn=9,title=a/b::first, 100%25: done%0Asecond <line> ]]> \\x07
::warning file=policies/,title=a/c::soon
`,
  );
  assert.is(findingLog('github', [], []), '');
});

test('JUnit has a failed case for each error, and a passed one for each warning', () => {
  assert.is(
    findingLog('junit', [FINDING, WARNING], []),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1">
  <testsuite name="authzc" tests="2" failures="1">
    <testcase name="policies/a,b:c.yaml:2:3 first, 100%: done" classname="a/b" file="policies/a,b:c.yaml">
      <failure type="a/b" message="first, 100%: done"><![CDATA[first, 100%: done
second <line> ]]]]><![CDATA[> \\x07]]></failure>
    </testcase>
    <testcase name="policies/ soon" classname="a/c" file="policies/">
      <system-out><![CDATA[soon]]></system-out>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
  assert.match(findingLog('junit', [], []), 'tests="1" failures="0"');
});

test.run();
