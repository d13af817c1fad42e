package io.kvreactive.value;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A decoded JavaScript array: an {@link ArrayList}, in which a slot without a value is {@link
 * JsHole#HOLE}. It also has the named properties of the array, like {@code index} of a RegExp
 * match. Any other list can be encoded as well. Arrays that JavaScript marks as sparse are decoded
 * as {@link JsSparseArray} instead.
 *
 * <p>Equality is that of lists and ignores the properties.
 */
public final class JsArray extends ArrayList<@Nullable Object> {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // serializable if the properties are
  private @Nullable Map<String, @Nullable Object> properties;

  /** Creates an empty array. */
  public JsArray() {}

  /** Creates an empty array with an initial capacity. */
  public JsArray(int capacity) {
    super(capacity);
  }

  /** Creates an array of these elements. */
  public JsArray(Collection<?> elements) {
    super(elements);
  }

  /** Returns the named properties, in order. The map is modifiable. */
  public Map<String, @Nullable Object> properties() {
    Map<String, @Nullable Object> current = properties;
    if (current == null) {
      current = new LinkedHashMap<>();
      properties = current;
    }
    return current;
  }

  /** Returns true if there are named properties. Does not create the map. */
  public boolean hasProperties() {
    return properties != null && !properties.isEmpty();
  }
}
