package io.kvreactive.documents.internal.api;

import io.kvreactive.KvKey;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An index of records, which computes the index entries of a record. */
public final class RecordIndex<T> {
  private final String name;
  private final String root;
  private final boolean unique;
  private final Function<? super T, ? extends @Nullable Object> value;

  private RecordIndex(
      String records,
      String name,
      boolean unique,
      Function<? super T, ? extends @Nullable Object> value) {
    this.name = name;
    this.root = records + "_by_" + name;
    this.unique = unique;
    this.value = value;
  }

  public static <T> RecordIndex<T> unique(
      String records, String name, Function<? super T, ? extends @Nullable Object> value) {
    return new RecordIndex<>(records, name, true, value);
  }

  public static <T> RecordIndex<T> plain(
      String records, String name, Function<? super T, ? extends @Nullable Object> value) {
    return new RecordIndex<>(records, name, false, value);
  }

  /**
   * Returns the key with the given parts below a root.
   *
   * @param parts one part, or a list of several
   */
  public static KvKey keyOf(String root, Object parts) {
    List<Object> all = new ArrayList<>();
    all.add(root);
    if (parts instanceof List<?> several) {
      all.addAll(several);
    } else {
      all.add(parts);
    }
    return KvKey.of(all);
  }

  /**
   * Returns the parts of a record's key after the root, as a value: one part, or a list of several.
   */
  public static Object partsOf(KvKey record) {
    List<Object> parts = record.parts();
    return parts.size() == 2 ? parts.get(1) : List.copyOf(parts.subList(1, parts.size()));
  }

  public static DocumentException taken(KvKey key) {
    return new DocumentException(
        DocumentErrorCode.ITEM_EXISTS, "a record already exists at " + key);
  }

  public String name() {
    return name;
  }

  public boolean isUnique() {
    return unique;
  }

  /** Returns the key of a value's entry in a unique index. */
  public KvKey entry(Object of) {
    return keyOf(root, of);
  }

  /**
   * Returns the common prefix of the keys of all entries with a value, or with a list of values
   * that starts with the given ones.
   */
  public KvKey prefix(Object of) {
    return keyOf(root, of);
  }

  /** Returns the entries of a record: one entry, or none if the record has no value. */
  public List<KvKey> entriesOf(KvKey record, T of) {
    Object fieldValue = value.apply(of);
    if (fieldValue == null) {
      return List.of();
    }
    KvKey entry = keyOf(root, fieldValue);
    if (unique) {
      return List.of(entry);
    }
    List<Object> parts = record.parts();
    return List.of(entry.append(parts.subList(1, parts.size()).toArray()));
  }
}
