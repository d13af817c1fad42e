package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store that commands operate on: that of a server, over REST and WebSocket, or that of a
 * directory, opened in this process. Input and output are JSON in the forms of the REST interface,
 * so that both print the same.
 *
 * <p>Methods block until they are done. Consumers are called on the calling thread, and nothing
 * more is requested until they return. Failures are {@link CliException}s.
 */
public interface Target extends AutoCloseable {
  /**
   * The options of a list.
   *
   * @param limit the maximum number of entries
   * @param reverse true to begin at the end
   * @param keysOnly true to omit values
   */
  record Listing(long limit, boolean reverse, boolean keysOnly) {}

  /**
   * An operation on the whole store that reports its progress. The last line of the progress is the
   * result.
   */
  enum Job {
    BACKUP,
    COMPACT,
    VERIFY
  }

  /** Returns an entry. If the key does not exist, the {@code versionstamp} is null. */
  ObjectNode get(KvKey key);

  /** Commits checks, mutations and messages. Returns the versionstamp or the failed checks. */
  ObjectNode atomic(ObjectNode operation);

  /** Lists entries in key order. */
  void list(KeySelection range, Listing listing, Consumer<ObjectNode> entries);

  /** Watches the newest state of keys, until the process or the server ends. */
  void watch(List<KvKey> keys, Consumer<ObjectNode> states);

  /**
   * Follows the commits that change a range, until the process or the server ends.
   *
   * @param since the versionstamp after which to start; null for the newest
   */
  void changes(KeySelection range, @Nullable String since, Consumer<ObjectNode> commits);

  /**
   * Consumes messages of a queue. A message is acknowledged when the consumer returns, and returned
   * to the queue if the consumer throws.
   *
   * @param count the number of messages
   */
  void listen(String queue, long count, Consumer<ObjectNode> messages);

  /** Returns the number of keys. */
  long count(KeySelection range);

  /** Returns the names of the databases that the caller may use, in order. */
  List<String> databases();

  /** Returns the statistics of the store. */
  ObjectNode stats();

  /** Exports entries as lines in the format of docs/json.md. */
  void exportLines(KeySelection range, Consumer<String> lines);

  /** Imports lines in the format of docs/json.md and reports progress. */
  void importLines(InputStream lines, Consumer<ObjectNode> progress);

  /**
   * Runs a job.
   *
   * @param directory the directory of a backup; null for other jobs
   */
  void run(Job job, @Nullable Path directory, Consumer<ObjectNode> progress);

  /** Returns the collections of the store. */
  TargetCollections documents();

  @Override
  void close();
}
