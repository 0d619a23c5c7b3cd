/** `Edit` of `edit`, `CommentAdd` of `comment:add`: what is neither a letter nor a digit begins a word. */
type Words<
  Action extends string,
  Written extends string = '',
  Starts extends boolean = true,
> = Action extends `${infer Character}${infer Rest}`
  ? IsSeparator<Character> extends true
    ? Words<Rest, Written, true>
    : Words<Rest, `${Written}${Starts extends true ? Uppercase<Character> : Character}`, false>
  : Written;

type IsSeparator<Character extends string> = Character extends Digit
  ? false
  : Uppercase<Character> extends Lowercase<Character>
    ? true
    : false;

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** The name of the column of an action: `canEdit` of `edit`, `canCommentAdd` of `comment:add`. */
export type CapabilityName<Action extends string> = string extends Action ? string : `can${Words<Action>}`;

/**
 * Names the column of an action, as `CapabilityName` does.
 *
 * @example
 * import { capabilityName } from 'authz/residual';
 *
 * console.log(capabilityName('comment:add')); // => canCommentAdd
 */
export function capabilityName<Action extends string>(action: Action): CapabilityName<Action> {
  let name = 'can';
  let starts = true;
  for (const character of action.split('')) {
    const isSeparator = !/[0-9]/.test(character) && character.toUpperCase() === character.toLowerCase();
    if (!isSeparator) name += starts ? character.toUpperCase() : character;
    starts = isSeparator;
  }
  return name as CapabilityName<Action>;
}

/**
 * The names of the columns of actions, in their order.
 * @param taken the columns of the table, which no name may repeat.
 * @throws {TypeError} if two columns have the same name; databases may ignore the case of names.
 */
export function distinctNames(
  actions: readonly string[],
  names: (action: string) => string = capabilityName,
  taken: readonly string[] = [],
): readonly string[] {
  const owners = new Map(taken.map((name) => [name.toLowerCase(), `the column \`${name}\` of the table`]));
  return actions.map((action) => {
    const name = names(action);
    const owner = owners.get(name.toLowerCase());
    if (owner !== undefined)
      throw new TypeError(
        `the column \`${name}\` of the action \`${action}\` has the name of ${owner}: pass \`names\``,
      );
    owners.set(name.toLowerCase(), `the column of the action \`${action}\``);
    return name;
  });
}
