package io.kvreactive.web.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store that commands work on: a server's, over REST and WebSocket, or that of a directory,
 * opened in this process. JSON goes in and comes out, in the shapes of the REST interface, so that
 * both print the same. Calls block until they are done; what comes in parts is handed over part by
 * part on the calling thread, and no more is asked for meanwhile. Failures are {@link
 * CliException}s.
 */
public interface Target extends AutoCloseable {
  /**
   * What a list is to have.
   *
   * @param limit most entries
   * @param reverse whether it begins at the end
   * @param keysOnly whether values are left out
   */
  record Listing(long limit, boolean reverse, boolean keysOnly) {}

  /** Work on all of a store that tells how far it is; the last line is its result. */
  enum Job {
    BACKUP,
    COMPACT,
    VERIFY
  }

  /** An entry; when it is absent its {@code versionstamp} is null. */
  ObjectNode get(KvKey key);

  /** Commits checks, mutations and enqueues. */
  ObjectNode atomic(ObjectNode operation);

  /** Entries in the order of their keys. */
  void list(KeySelection range, Listing listing, Consumer<ObjectNode> entries);

  /** The state of keys, now and after changes, until the process or the server ends. */
  void watch(List<KvKey> keys, Consumer<ObjectNode> states);

  /** Commits that change a range, until the process or the server ends. */
  void changes(KeySelection range, @Nullable String since, Consumer<ObjectNode> commits);

  /** Messages of a queue, each acknowledged when the consumer returns, and given back else. */
  void listen(String queue, long count, Consumer<ObjectNode> messages);

  /** How the store is doing. */
  ObjectNode stats();

  /** Lines of docs/json.md. */
  void exportLines(KeySelection range, Consumer<String> lines);

  /** Stores such lines; tells how far that is. */
  void importLines(InputStream lines, Consumer<ObjectNode> progress);

  /** Does a job. */
  void run(Job job, @Nullable Path directory, Consumer<ObjectNode> progress);

  /** Its collections. */
  TargetCollections documents();

  @Override
  void close();
}
