package io.kvreactive.server.client;

import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a command operates on; all keys if all components are null.
 *
 * @param prefix the prefix of the keys
 * @param start the first key, inclusive
 * @param end the end of the keys, exclusive
 */
public record KeySelection(@Nullable KvKey prefix, @Nullable KvKey start, @Nullable KvKey end) {
  /** Returns true if any component is present. */
  public boolean isExplicit() {
    return prefix != null || start != null || end != null;
  }

  /** Returns the selection as a range of the store. */
  public KvRange toKvRange() {
    try {
      if (prefix != null) {
        if (start != null && end != null) {
          KvRange from = KvRange.prefixFrom(prefix, start);
          return KvRange.ofEncoded(from.startBytes(), KvRange.prefixUntil(prefix, end).endBytes());
        }
        return start != null
            ? KvRange.prefixFrom(prefix, start)
            : end != null ? KvRange.prefixUntil(prefix, end) : KvRange.prefix(prefix);
      }
      KvRange all = KvRange.all();
      return KvRange.ofEncoded(
          start == null ? all.startBytes() : start.bytes(),
          end == null ? all.endBytes() : end.bytes());
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  /** Returns the selection as query parameters of the REST interface. */
  public Map<String, String> toQuery() {
    Map<String, String> query = new LinkedHashMap<>();
    put(query, "prefix", prefix);
    put(query, "start", start);
    put(query, "end", end);
    return query;
  }

  private static void put(Map<String, String> query, String name, @Nullable KvKey key) {
    if (key != null) {
      query.put(name, KeyParser.print(key));
    }
  }
}
