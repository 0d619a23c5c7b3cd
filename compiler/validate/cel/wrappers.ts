import { type CelType, opaque, printType } from '../../cel/types.js';

/**
 * The type of `google.protobuf.Int32Value{value: 5}` and its like (docs/spec/conditions.md#messages-as-values): stands
 * for the scalar it wraps, and the scalar for it; null stands for it too.
 */
export function wrapperOf(scalar: CelType): CelType {
  return opaque(`wrapper(${printType(scalar)})`);
}

/** Whether one of the two is the wrapper of the other. */
export function isWrapperOf(a: CelType, b: CelType): boolean {
  return wraps(a, b) || wraps(b, a);
}

/** Whether it is the wrapper of any scalar. */
export function isWrapper(type: CelType): boolean {
  return type.kind === 'opaque' && type.name.startsWith('wrapper(');
}

function wraps(wrapper: CelType, scalar: CelType): boolean {
  return wrapper.kind === 'opaque' && wrapper.name === `wrapper(${scalar.kind})`;
}
