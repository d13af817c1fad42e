package io.kvreactive.value;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code Set}: members of any kind, in the order of insertion, compared as in {@link
 * JsMap}: primitives by value, everything else by identity. So this is not a general-purpose Set.
 *
 * <p>Not thread-safe.
 */
public final class JsSet extends AbstractSet<@Nullable Object> {
  private final LinkedHashMap<Object, @Nullable Object> members = new LinkedHashMap<>();

  /** Creates an empty set. */
  public JsSet() {}

  /** Creates a set of these members. */
  public JsSet(Collection<?> source) {
    addAll(source);
  }

  @Override
  public boolean add(@Nullable Object member) {
    Object id = SameValueZero.of(member);
    if (members.containsKey(id)) {
      return false;
    }
    members.put(id, SameValueZero.normalized(member));
    return true;
  }

  @Override
  public boolean contains(@Nullable Object member) {
    return members.containsKey(SameValueZero.of(member));
  }

  @Override
  public boolean remove(@Nullable Object member) {
    Object id = SameValueZero.of(member);
    boolean present = members.containsKey(id);
    members.remove(id);
    return present;
  }

  @Override
  public Iterator<@Nullable Object> iterator() {
    return members.values().iterator();
  }

  @Override
  public int size() {
    return members.size();
  }
}
