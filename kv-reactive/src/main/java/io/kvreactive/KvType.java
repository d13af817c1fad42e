package io.kvreactive;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * The type as which a value is read. {@link #of} is for a class; a type with arguments is an
 * anonymous subclass, which keeps them: {@code new KvType<List<User>>() {}}.
 *
 * @param <T> the type
 */
public abstract class KvType<T> {
  private final Type type;

  /** Creates the type from the subclass's type argument. */
  protected KvType() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType self)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "KvType without a type argument (expected: new KvType<List<User>>() {})");
    }
    this.type = self.getActualTypeArguments()[0];
  }

  private KvType(Type type) {
    this.type = type;
  }

  private static final class OfClass<T> extends KvType<T> {
    OfClass(Class<T> type) {
      super(type);
    }
  }

  /** Returns a type without arguments. */
  public static <T> KvType<T> of(Class<T> type) {
    return new OfClass<>(type);
  }

  /** Returns the type as a reflection type. */
  public final Type type() {
    return type;
  }

  @Override
  public final String toString() {
    return type.getTypeName();
  }
}
