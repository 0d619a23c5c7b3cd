/*
 * Ends a program with one sentence if this version of Node is too old for it. A file of its own, in syntax that old
 * versions read; package.json runs it before `npm test`, and `npm start` begins with it.
 */
(() => {
  var needed = [20, 19];
  var found = process.versions.node.split('.').map(Number);
  if (found[0] > needed[0] || (found[0] === needed[0] && found[1] >= needed[1])) return;
  console.error(`authz needs Node ${needed.join('.')} or newer, and this is ${process.version}.`);
  process.exit(1);
})();
