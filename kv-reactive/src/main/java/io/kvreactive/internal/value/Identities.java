package io.kvreactive.internal.value;

import org.jspecify.annotations.Nullable;

/**
 * A map from objects, by identity, to numbers. The first few objects are searched linearly, so that
 * small values need no hashing.
 */
final class Identities {
  static final int NONE = -1;

  private static final int LINEAR = 12;

  private @Nullable Object[] objects = new Object[LINEAR];
  private int[] numbers = new int[LINEAR];
  private int count;

  int get(Object object) {
    if (objects.length == LINEAR) {
      for (int i = 0; i < count; i++) {
        if (objects[i] == object) {
          return numbers[i];
        }
      }
      return NONE;
    }
    int slot = slot(object);
    return objects[slot] == null ? NONE : numbers[slot];
  }

  /** Adds an object that is absent. */
  void put(Object object, int number) {
    if (objects.length == LINEAR && count < LINEAR) {
      objects[count] = object;
      numbers[count++] = number;
      return;
    }
    if (objects.length == LINEAR || count * 2 >= objects.length) {
      rehash(Math.max(64, objects.length * 2));
    }
    insert(object, number);
    count++;
  }

  private void rehash(int capacity) {
    @Nullable Object[] oldObjects = objects;
    int[] oldNumbers = numbers;
    objects = new Object[capacity];
    numbers = new int[capacity];
    for (int i = 0; i < oldObjects.length; i++) {
      Object object = oldObjects[i];
      if (object != null) {
        insert(object, oldNumbers[i]);
      }
    }
  }

  private void insert(Object object, int number) {
    int slot = slot(object);
    objects[slot] = object;
    numbers[slot] = number;
  }

  private int slot(Object object) {
    int mask = objects.length - 1;
    int slot = System.identityHashCode(object) * 0x9E3779B9 >>> 7 & mask;
    while (objects[slot] != null && objects[slot] != object) {
      slot = slot + 1 & mask;
    }
    return slot;
  }
}
