package io.kvreactive.value;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript array as it is decoded: an {@link ArrayList}, where a slot without a value is {@link
 * JsHole#HOLE}, and the named properties that an array may carry besides, like {@code index} of a
 * RegExp match. Any other list encodes as well. Arrays that JavaScript knows to have holes come as
 * {@link JsSparseArray} instead.
 *
 * <p>Equality is that of lists and does not look at the properties.
 */
public final class JsArray extends ArrayList<@Nullable Object> {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // as serializable as what is put into it
  private @Nullable Map<String, @Nullable Object> properties;

  /** An empty array. */
  public JsArray() {}

  /** An empty array with room for some elements. */
  public JsArray(int capacity) {
    super(capacity);
  }

  /** An array of these elements. */
  public JsArray(Collection<?> elements) {
    super(elements);
  }

  /** Returns the properties besides the elements, in order; change it to change them. */
  public Map<String, @Nullable Object> properties() {
    Map<String, @Nullable Object> current = properties;
    if (current == null) {
      current = new LinkedHashMap<>();
      properties = current;
    }
    return current;
  }

  /** Returns true if there are any; asks without making the map. */
  public boolean hasProperties() {
    return properties != null && !properties.isEmpty();
  }
}
