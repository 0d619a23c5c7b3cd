/**
 * The text of a file of tables with ids in the column `id`, and attributes in columns of their names:
 * `{ album: ['albums', { owner: 'text' }] }`.
 */
export function tableFile(tables: {
  readonly [kind: string]: readonly [name: string, types: { readonly [column: string]: string }];
}): string {
  const mapped = Object.entries(tables).map(([kind, [name, types]]) => {
    const columns = Object.entries(types).map(([column, type]) => [column, { column, type }]);
    return [kind, { name, id: { column: 'id', type: 'text' }, columns: Object.fromEntries(columns) }];
  });
  return JSON.stringify({ tables: Object.fromEntries(mapped) });
}
