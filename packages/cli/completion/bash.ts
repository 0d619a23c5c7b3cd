import type { CommandCompletion, Values } from './completions.js';

/**
 * The script for bash. It works in version 3.2, which macOS has, without the package bash-completion, and never
 * evaluates what is typed.
 */
export function bashCompletion(name: string, commands: readonly CommandCompletion[]): string {
  const names = commands.flatMap(({ path, commands: children }) =>
    children.flatMap(({ name: child, aliases }) =>
      [child, ...aliases].map((word) => `      ${quoted(`${path} ${word}`)}) command=${quoted(`${path} ${child}`)} ;;`),
    ),
  );
  const values = commands.flatMap(({ path, flags }) =>
    flags.flatMap((flag) =>
      flag.values === undefined
        ? []
        : `    ${flag.names.map((word) => quoted(`${path} ${word}`)).join(' | ')}) ${offer(flag.values)} ;;`,
    ),
  );
  const flags = commands.map(
    ({ path, flags: own }) => `    ${quoted(`${path} -`)}) words='${own.flatMap(({ names }) => names).join(' ')}' ;;`,
  );
  const rest = commands.map(({ path, commands: children, arguments: offered }) => {
    const words = children.map((child) => child.name);
    return `    ${quoted(`${path} `)}) ${offer(words.length === 0 ? offered : { kind: 'words', words })} ;;`;
  });
  return `# bash completion for ${name}

_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  # Bash splits --flag=value at the equals sign.
  if [[ $current == '=' ]]; then current=''; elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi

  local word command='' kind=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      *' --') command=' --'; break ;;
${names.join('\n')}
    esac
  done
  if [[ $current == -* ]]; then kind=-; fi

  local words='' paths='' IFS=$' \\t\\n'
  case "$command $previous" in
${values.join('\n')}
    *) case "$command $kind" in
${[...flags, ...rest].map((line) => `  ${line}`).join('\n')}
      ' -- '*) paths=files ;;
    esac ;;
  esac

  COMPREPLY=()
  local reply
  while IFS= read -r reply; do
    COMPREPLY+=("$reply")
  done < <(
    if [[ $words ]]; then compgen -W "$words" -- "$current"; fi
    if [[ $paths == files ]]; then compgen -f -- "$current"; fi
    if [[ $paths == directories ]]; then compgen -d -- "$current"; fi
  )
  if [[ $paths ]]; then compopt -o filenames 2>/dev/null; fi
}

complete -F _${name} ${name}
`;
}

function quoted(word: string): string {
  return `'${word}'`;
}

function offer(values: Values): string {
  switch (values.kind) {
    case 'words':
      return `words='${values.words.join(' ')}'`;
    case 'files':
    case 'directories':
      return `paths=${values.kind}`;
    case 'anything':
      return ':';
  }
}
