package io.kvreactive.value;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code Map}: keys of any kind, in the order of insertion.
 *
 * <p>Keys are compared as JavaScript does (SameValueZero): strings, booleans, numbers and bigints
 * by value, where {@code 1} and {@code 1.0} are the same number, {@code NaN} equals itself, and a
 * bigint ({@code Long}, {@code BigInteger}) never equals a number; everything else by identity.
 * <b>So, like {@link java.util.IdentityHashMap}, this is not a general-purpose Map</b>: a list as a
 * key is found only by the same list object.
 *
 * <p>Not thread-safe.
 */
public final class JsMap extends AbstractMap<@Nullable Object, @Nullable Object> {
  private final LinkedHashMap<Object, Map.Entry<@Nullable Object, @Nullable Object>> entries =
      new LinkedHashMap<>();
  private final EntrySet entrySet = new EntrySet();

  /** Creates an empty map. */
  public JsMap() {}

  /** Creates a copy of a map. */
  public JsMap(Map<?, ?> source) {
    source.forEach(this::put);
  }

  @Override
  public @Nullable Object put(@Nullable Object key, @Nullable Object value) {
    Object id = SameValueZero.of(key);
    Map.Entry<@Nullable Object, @Nullable Object> entry = entries.get(id);
    if (entry != null) {
      return entry.setValue(value);
    }
    entries.put(id, new SimpleEntry<>(SameValueZero.normalized(key), value));
    return null;
  }

  @Override
  public @Nullable Object get(@Nullable Object key) {
    Map.Entry<@Nullable Object, @Nullable Object> entry = entries.get(SameValueZero.of(key));
    return entry == null ? null : entry.getValue();
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return entries.containsKey(SameValueZero.of(key));
  }

  @Override
  public @Nullable Object remove(@Nullable Object key) {
    Map.Entry<@Nullable Object, @Nullable Object> entry = entries.remove(SameValueZero.of(key));
    return entry == null ? null : entry.getValue();
  }

  @Override
  public Set<Map.Entry<@Nullable Object, @Nullable Object>> entrySet() {
    return entrySet;
  }

  private final class EntrySet extends AbstractSet<Map.Entry<@Nullable Object, @Nullable Object>> {
    @Override
    public Iterator<Map.Entry<@Nullable Object, @Nullable Object>> iterator() {
      return entries.values().iterator();
    }

    @Override
    public int size() {
      return entries.size();
    }
  }
}
