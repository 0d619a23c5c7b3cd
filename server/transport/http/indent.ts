/**
 * Indents compact JSON by two spaces a level (docs/spec/server.md#json-mapping, `pretty`). Empty lists and objects stay
 * on one line.
 */
export function indentJson(compact: string): string {
  let text = '';
  let level = 0;
  for (let at = 0; at < compact.length; at++) {
    const character = compact[at] as string;
    switch (character) {
      case '"': {
        const end = stringEnd(compact, at);
        text += compact.slice(at, end);
        at = end - 1;
        break;
      }
      case '{':
      case '[':
        if (compact[at + 1] === '}' || compact[at + 1] === ']') {
          text += character + compact[at + 1];
          at += 1;
        } else {
          level += 1;
          text += character + newLine(level);
        }
        break;
      case '}':
      case ']':
        level -= 1;
        text += newLine(level) + character;
        break;
      case ',':
        text += character + newLine(level);
        break;
      case ':':
        text += ': ';
        break;
      default:
        text += character;
    }
  }
  return text;
}

/** The offset after the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function newLine(level: number): string {
  return `\n${'  '.repeat(level)}`;
}
