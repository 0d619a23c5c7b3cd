import type { Example } from './example.js';

export const agents: Example = {
  name: 'agents',
  title: 'Agents and tools',
  about: 'An agent calls the tools it was given, and needs an approval to call one that changes data.',
  files: [
    {
      path: 'tool.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: tool
  version: default
  schemas:
    principalSchema: {ref: "authz:///agent.json"}
    resourceSchema: {ref: "authz:///tool.json"}
  rules:
    - name: given-tools
      actions: [describe]
      effect: EFFECT_ALLOW
      roles: [agent]
      condition:
        match:
          expr: R.id in P.attr.tools
    - name: tools-that-read
      actions: [call]
      effect: EFFECT_ALLOW
      roles: [agent]
      condition:
        match:
          all:
            of:
              - expr: R.id in P.attr.tools
              - expr: R.attr.readOnly
    - name: approved-calls
      actions: [call]
      effect: EFFECT_ALLOW
      roles: [agent]
      condition:
        match:
          all:
            of:
              - expr: R.id in P.attr.tools
              - expr: R.attr.approvedBy != ""
              - expr: R.attr.approvedBy != P.id
`,
    },
    {
      path: '_schemas/agent.json',
      text: `{
  "type": "object",
  "properties": { "tools": { "type": "array", "items": { "type": "string" } } },
  "required": ["tools"]
}
`,
    },
    {
      path: '_schemas/tool.json',
      text: `{
  "type": "object",
  "properties": { "readOnly": { "type": "boolean" }, "approvedBy": { "type": "string" } },
  "required": ["readOnly"]
}
`,
    },
    {
      path: 'tool_test.yaml',
      text: `name: tools
principals:
  agent: {id: agent-7, roles: [agent], attr: {tools: [search, refund]}}
resources:
  search: {kind: tool, id: search, attr: {readOnly: true}}
  refund: {kind: tool, id: refund, attr: {readOnly: false}}
  approved: {kind: tool, id: refund, attr: {readOnly: false, approvedBy: maria}}
  self-approved: {kind: tool, id: refund, attr: {readOnly: false, approvedBy: agent-7}}
  shell: {kind: tool, id: shell, attr: {readOnly: true}}
tests:
  - name: only given tools, and changes only with an approval
    input: {principals: [agent], resources: [search, refund, approved, self-approved, shell], actions: [describe, call]}
    expected:
      - {principal: agent, resources: [search, approved], actions: {describe: EFFECT_ALLOW, call: EFFECT_ALLOW}}
      - {principal: agent, resources: [refund, self-approved], actions: {describe: EFFECT_ALLOW}}
`,
    },
  ],
  request: `{
  "principal": {
    "id": "agent-7",
    "roles": ["agent"],
    "attr": { "tools": ["search", "refund"] }
  },
  "resource": {
    "kind": "tool",
    "id": "refund",
    "attr": { "readOnly": false }
  },
  "actions": ["describe", "call"]
}
`,
};
