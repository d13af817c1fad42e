package io.kvreactive.server.command;

import io.kvreactive.KvKey;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.KeySelection;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that select a range of keys. */
final class RangeFlags {
  @Option(names = "--prefix", paramLabel = "KEY", description = "keys below this one")
  @Nullable String prefix;

  @Option(names = "--start", paramLabel = "KEY", description = "first key, inclusive")
  @Nullable String start;

  @Option(names = "--end", paramLabel = "KEY", description = "end of the keys, exclusive")
  @Nullable String end;

  KeySelection range() {
    return new KeySelection(key(prefix), key(start), key(end));
  }

  private static @Nullable KvKey key(@Nullable String typed) {
    return typed == null ? null : KeyParser.parse(typed);
  }
}
