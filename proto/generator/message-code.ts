import type { DescMessage, DescOneof } from '@bufbuild/protobuf';
import { type Code, constantName, joined, type Module, nameOf } from './code.js';
import { expressionCode } from './expression.js';
import { fieldCode } from './field-code.js';
import { fieldsOf } from './messages.js';

/** The code of a message: rules about the whole, then fields in the order of their numbers; a oneof stands where its first field does. */
export function messageCode(message: DescMessage, module: Module): Code {
  const rules = module.annotations.ofMessage(message).map(({ id, message: text, expression }): Code => {
    const condition = expressionCode(expression, message);
    const constant = `${constantName(id.replaceAll('.', '_'))}_RULE`;
    return {
      conditions: [/ (&&|\|\||[!=]==|[<>]=?) /.test(condition) ? `(${condition})` : condition],
      statements: [`if (!(${condition})) report(found, ${constant}, path);`],
      constants: new Map([[constant, ` = expression(${JSON.stringify(id)}, ${JSON.stringify(text)})`]]),
    };
  });
  const met = new Set<DescOneof>();
  const fields = fieldsOf(message).flatMap((field) => {
    const { oneof } = field;
    if (oneof === undefined || met.has(oneof)) return [fieldCode(field, module)];
    met.add(oneof);
    return [oneofCode(oneof, module), fieldCode(field, module)];
  });
  return joined([...rules, ...fields]);
}

/** A oneof has no number of its own; in a path it stands by its name. */
function oneofCode(oneof: DescOneof, { annotations }: Module): Code {
  if (!annotations.isRequiredOneof(oneof)) return { conditions: [], statements: [], constants: new Map() };
  const value = `message.${oneof.localName}`;
  const constant = `${constantName(nameOf(oneof.parent))}_${constantName(oneof.name)}`;
  return {
    conditions: [`${value} !== undefined`],
    statements: [`if (${value} === undefined) report(found, ONE_FIELD, path, ${constant});`],
    constants: new Map([[constant, `: FieldElement = { number: 0, name: '${oneof.name}', type: 'TYPE_MESSAGE' }`]]),
  };
}
