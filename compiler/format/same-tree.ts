import type { YamlNode } from '../parse/yaml/node.js';

/** Whether two documents mean the same: equal types, texts, notations, keys and order, wherever they stand. */
export function isSameTree(one: YamlNode, other: YamlNode): boolean {
  switch (one.type) {
    case 'Mapping':
      return (
        other.type === 'Mapping' &&
        one.entries.length === other.entries.length &&
        one.entries.every(({ key, value }, index) => {
          const entry = other.entries[index];
          return (
            entry !== undefined &&
            key.type === entry.key.type &&
            key.text === entry.key.text &&
            isSameTree(value, entry.value)
          );
        })
      );
    case 'Sequence':
      return (
        other.type === 'Sequence' &&
        one.items.length === other.items.length &&
        one.items.every((item, index) => isSameTree(item, other.items[index] as YamlNode))
      );
    case 'Nan':
    case 'Infinity':
    case 'Broken':
      return one.type === other.type;
    case 'Null':
    case 'Bool':
    case 'Integer':
    case 'Float':
    case 'String':
      return one.type === other.type && one.text === other.text && one.style === other.style;
  }
}
