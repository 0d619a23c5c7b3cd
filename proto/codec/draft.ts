/** A message while it is being read: as its type, but not readonly. */
export type Draft<Message> = Message extends string | number | boolean | undefined
  ? Message
  : Message extends ReadonlyMap<string, infer Value>
    ? Map<string, Draft<Value>>
    : Message extends readonly (infer Item)[]
      ? Draft<Item>[]
      : { -readonly [Name in keyof Message]: IsAny<Message[Name]> extends true ? unknown : Draft<Message[Name]> };

/** Attributes have members of any type. */
type IsAny<Type> = 0 extends 1 & Type ? true : false;
