import { confirm, isCancel, select } from '@clack/prompts';
import type { CommandContext } from '../context.js';
import { TEMPLATES, type Template } from './template-names.js';

/** Asks for a template. Returns undefined if the author cancels. */
export async function selectedTemplate({ stdin, stdout }: CommandContext): Promise<Template | undefined> {
  const answer = await select({
    message: 'Which sample application? (--template)',
    options: Object.entries(TEMPLATES).map(([value, hint]) => ({ value: value as Template, label: value, hint })),
    initialValue: 'ts' as Template,
    input: stdin,
    output: stdout,
  });
  return isCancel(answer) ? undefined : answer;
}

/** Asks whether to make the changes that were shown. */
export async function confirmed({ stdin, stdout }: CommandContext): Promise<boolean> {
  const answer = await confirm({ message: 'Make these changes? (--yes)', input: stdin, output: stdout });
  return answer === true;
}
