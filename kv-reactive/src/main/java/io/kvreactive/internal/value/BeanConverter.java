package io.kvreactive.internal.value;

/** Turns an object that the encoder does not know into one that it does. */
@FunctionalInterface
interface BeanConverter {
  /**
   * Returns the same content in maps, lists and scalars.
   *
   * @throws io.kvreactive.KvException INVALID_VALUE when the object has no such form
   */
  @org.jspecify.annotations.Nullable Object treeOf(Object bean);
}
