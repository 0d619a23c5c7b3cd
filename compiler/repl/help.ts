/** What `:help` prints. */
export const HELP = `An expression prints its value; \`_\` is the last one. A line goes on after a backslash, in brackets and in quotes; # begins a comment.

:let NAME = EXPRESSION   name a value
:let P = JSON            whom requests come from: {"id": "alice", "roles": ["user"], "attr": {...}}
:let R = JSON            what they are about: {"kind": "album", "id": "a1", "attr": {...}}
:let V = JSON            the variables; also request, request.auxData, C (constants), G (globals)
:vars                    all that has a name
:load FILE               read a policy: its variables, constants and conditional rules; imports are found in its folder
:rules                   the conditional rules of that policy
:exec #N                 what each part of a rule's condition decides
:reset                   forget everything
:help, :h                this
:quit, :q, :exit         leave, as the end of the input does
`;
