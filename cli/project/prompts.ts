import { confirm, isCancel, select } from '@clack/prompts';
import { TEMPLATES, type Template } from './template-names.js';

/** Asks for a template. Returns undefined if the author cancels. */
export async function selectedTemplate(): Promise<Template | undefined> {
  const answer = await select({
    message: 'Which sample application? (--template)',
    options: Object.entries(TEMPLATES).map(([value, hint]) => ({ value: value as Template, label: value, hint })),
    initialValue: 'ts' as Template,
  });
  return isCancel(answer) ? undefined : answer;
}

/** Asks whether to make the changes that were shown. */
export async function confirmed(): Promise<boolean> {
  const answer = await confirm({ message: 'Make these changes? (--yes)' });
  return answer === true;
}
