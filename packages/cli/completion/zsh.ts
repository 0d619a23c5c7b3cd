import type { CommandCompletion, FlagCompletion, Values } from './completions.js';

/** The script for zsh. It can be evaluated, or be a file `_NAME` in a folder of `fpath`. */
export function zshCompletion(name: string, commands: readonly CommandCompletion[]): string {
  return `#compdef ${name}

${commands.map((command) => formatFunction(name, command)).join('\n')}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function formatFunction(name: string, { path, flags, commands, arguments: offered }: CommandCompletion): string {
  const functionName = nameFunction(name, path);
  // An argument that can be anything would keep zsh from completing flags at once.
  const rest = offered.kind === 'anything' ? [] : [quoted(`*: :${action(offered)}`)];
  const specs = flags.flatMap(formatSpecs);
  if (commands.length === 0)
    return `${functionName}() {
  _arguments -S \\
${[...specs, ...rest].map((spec) => `    ${spec}`).join(' \\\n')}
}
`;
  return `${functionName}() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C -S \\
${[...specs, quoted('1: :->name'), quoted('*:: :->rest')].map((spec) => `    ${spec}`).join(' \\\n')}
  case $state in
    name)
      local -a names=(
${commands.map((child) => `        ${quoted(`${child.name}:${child.description}`)}`).join('\n')}
      )
      _describe command names
      ;;
    rest)
      case $words[1] in
${commands.map((child) => `        ${[child.name, ...child.aliases].join(' | ')}) ${nameFunction(name, `${path} ${child.name}`)} ;;`).join('\n')}
      esac
      ;;
  esac
}
`;
}

function nameFunction(name: string, path: string): string {
  return `_${name}${path.replaceAll(' ', '_')}`;
}

/** Each name of a flag, as often as it is written. */
function formatSpecs({ names, description, values }: FlagCompletion): readonly string[] {
  const text = description.replace(/[\\[\]:]/g, '\\$&');
  return names.map((name) => {
    if (values === undefined) return quoted(`*${name}[${text}]`);
    const separator = name.startsWith('--') ? '=' : '';
    return quoted(`*${name}${separator}[${text}]: :${action(values)}`);
  });
}

function action(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `(${values.words.join(' ')})`;
    case 'files':
      return '_files';
    case 'directories':
      return '_files -/';
    case 'anything':
      return ' ';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
