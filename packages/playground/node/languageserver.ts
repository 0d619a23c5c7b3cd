/**
 * What completion uses of `vscode-languageserver` when it runs: the kinds of proposals, by the numbers of the protocol.
 * The build of the page puts it in place of that package, whose connection the page does not need.
 */
export const CompletionItemKind = {
  Function: 3,
  Field: 5,
  Variable: 6,
  Property: 10,
  Value: 12,
  Keyword: 14,
  EnumMember: 20,
  Constant: 21,
} as const;
