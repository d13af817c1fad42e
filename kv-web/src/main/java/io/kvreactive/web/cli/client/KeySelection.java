package io.kvreactive.web.cli.client;

import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which keys a command is about; all of them when nothing is set.
 *
 * @param prefix keys below this one
 * @param start from this one on
 * @param end up to this one, exclusive
 */
public record KeySelection(@Nullable KvKey prefix, @Nullable KvKey start, @Nullable KvKey end) {
  /** Whether anything is left out. */
  public boolean isExplicit() {
    return prefix != null || start != null || end != null;
  }

  /** For the store. */
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

  /** For the REST interface. */
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
