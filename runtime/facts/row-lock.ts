/** How rows are locked until the transaction ends: `share` against changes, `update` against other locks too. */
export type RowLock = 'share' | 'update';
