package io.kvreactive.internal.value;

/** Converts an object that the encoder does not know to one that it knows. */
@FunctionalInterface
interface BeanConverter {
  /**
   * Returns the same content as maps, lists and scalars.
   *
   * @throws io.kvreactive.KvException INVALID_VALUE if the object has no such form
   */
  @org.jspecify.annotations.Nullable Object treeOf(Object bean);
}
