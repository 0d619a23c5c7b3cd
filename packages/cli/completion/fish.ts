import type { CommandCompletion, FlagCompletion, Values } from './completions.js';

/** The script for fish. */
export function fishCompletion(name: string, commands: readonly CommandCompletion[]): string {
  const names = commands.flatMap(({ path, commands: children }) =>
    children.map((child) => {
      const patterns = [child.name, ...child.aliases].map((word) => quoted(`${path} ${word}`));
      return `            case ${patterns.join(' ')}\n                set command ${quoted(`${path} ${child.name}`)}`;
    }),
  );
  return `# fish completion for ${name}

function __${name}_is --description 'Whether the words so far name this command'
    set -l command ''
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case '* --'
                set command ' --'
                break
${names.join('\n')}
        end
    end
    test "$command" = "$argv[1]"
end

complete -c ${name} -e
complete -c ${name} -f
complete -c ${name} -n '__${name}_is " --"' -F
${commands.flatMap((command) => formatLines(name, command)).join('\n')}
`;
}

function formatLines(
  name: string,
  { path, flags, commands, arguments: offered }: CommandCompletion,
): readonly string[] {
  const start = `complete -c ${name} -n ${quoted(`__${name}_is "${path}"`)}`;
  return [
    ...flags.map((flag) => `${start} ${flagWords(flag)}`),
    ...commands.map((child) => `${start} -a ${child.name} -d ${quoted(child.description)}`),
    ...(commands.length === 0 && offered.kind !== 'anything' ? [`${start} ${valueWords(offered)}`] : []),
  ];
}

function flagWords({ names, description, values }: FlagCompletion): string {
  const written = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const offered = values === undefined ? [] : ['-r', valueWords(values)];
  return [...written, '-d', quoted(description), ...offered].join(' ');
}

function valueWords(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `-f -a '${values.words.join(' ')}'`;
    case 'files':
      return '-F';
    case 'directories':
      return "-f -a '(__fish_complete_directories)'";
    case 'anything':
      return '-f';
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
