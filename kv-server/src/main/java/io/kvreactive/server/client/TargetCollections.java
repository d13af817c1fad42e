package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The collections of a store, in the forms of the REST interface. Methods behave like those of
 * {@link Target}.
 */
public interface TargetCollections {
  /** Lists all collections, ordered by name. */
  void list(Consumer<ObjectNode> collections);

  /**
   * Returns the description of a collection.
   *
   * @param sizes true to count the items and the index entries
   */
  ObjectNode describe(String name, boolean sizes);

  /** Creates a collection, or starts the transformation to another definition. */
  ObjectNode define(String name, ObjectNode definition);

  /** Creates a collection. Fails with {@code ExitCode.NO} if it exists. */
  ObjectNode create(String name, ObjectNode definition);

  /** Drops a collection. */
  void drop(String name);

  /** Reports the progress of index builds until all indexes are complete. */
  void transformation(String name, Consumer<ObjectNode> progress);

  /**
   * Returns an item.
   *
   * @param partition the partition key, a value or an array of values; null for none
   */
  ObjectNode item(String name, String id, @Nullable JsonNode partition);

  /** Creates or replaces an item. */
  ObjectNode put(String name, ObjectNode item);

  /**
   * Creates or replaces the items of lines of JSON.
   *
   * @param progress the consumer of the progress, with the number of stored {@code items}; called
   *     at least when all items are stored
   */
  void load(String name, InputStream lines, Consumer<ObjectNode> progress);

  /** Deletes an item. */
  ObjectNode delete(String name, String id, @Nullable JsonNode partition);

  /**
   * The selection of a collection's changes.
   *
   * @param since the versionstamp or continuation after which to start; null for all changes that
   *     are kept, or {@code now}
   * @param mode {@code latest} or {@code all}
   * @param partition the partition key, a value or an array of values; null for all items
   */
  record Changes(@Nullable String since, String mode, @Nullable JsonNode partition) {}

  /** Returns a page of at most {@code limit} changes, with the {@code continuation}. */
  ObjectNode changes(String name, Changes selected, int limit);

  /**
   * Follows the changes, until the process or the server ends. Without a position, starts at the
   * newest.
   */
  void followChanges(String name, Changes selected, Consumer<ObjectNode> changes);

  /**
   * Deletes the items that a query finds, and reports the progress with the numbers of items that
   * were {@code deleted}, and left because they had {@code changed}; at least at the end.
   */
  void deleteMany(String name, ObjectNode query, Consumer<ObjectNode> progress);

  /** Runs a query and passes on all rows, which are read at one version. */
  void query(String name, ObjectNode query, Consumer<JsonNode> rows);

  /** Returns the plan of a query. */
  ObjectNode explain(String name, ObjectNode query);
}
