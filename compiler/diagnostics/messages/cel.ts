import { plainSyntaxError } from '../syntax-text.js';
import { message } from './message.js';

/** Expressions: phase 6 of docs/spec/policy-language.md#compilation-phases. */
export const celMessages = {
  'expression/invalid': message<{ readonly text: string; readonly messages: readonly string[] }>({
    severity: 'error',
    stage: 'compile',
    kind: 'invalid expression',
    text: ({ text, messages }) => `Invalid expression \`${text}\`: [${messages.join(', ')}]`,
    shown: ({ text, messages }) => `invalid expression \`${text}\`: ${messages.map(plainSyntaxError).join(', ')}`,
    explanation: `
A condition, an output or a variable does not parse or does not type-check. The message lists all of its errors in source order; if there are several, each also has a note with its
location. The marked location is that of the first. Common errors:

- \`undeclared reference\`: the name is not a variable, function or macro, or a macro has the wrong number of arguments. Attributes are \`R.attr.x\` and \`P.attr.x\`, variables
  \`V.x\`, constants \`C.x\`.
- \`undefined field\`: write \`R.kind\` for \`R.type\`, \`P.attr\` for \`P.attributes\`.
- \`found no matching overload\`: the operator does not accept operands of these types. Numbers are never mixed (\`1 + 1.0\`); attributes are doubles, so write
  \`R.attr.x + 1.0\` or \`int(R.attr.x) + 1\`.
- \`expected type 'bool'\`: the operands of \`&&\`, \`||\` and \`!\` must be booleans: compare first, \`R.attr.x == "a" || R.attr.x == "b"\`.
- \`invalid … argument\`: a literal duration, timestamp, pattern or address is malformed.
- \`unexpected …\`, \`missing …\`, \`ends too early\`: the expression does not parse. Look at the marked character and shortly before it.
`,
  }),
};
