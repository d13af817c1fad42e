package io.kvreactive.web.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The collections of a store, in the shapes of the REST interface; calls are as of {@link Target}.
 */
public interface TargetCollections {
  /** All collections by name. */
  void list(Consumer<ObjectNode> collections);

  /** One collection. */
  ObjectNode describe(String name, boolean sizes);

  /** Creates a collection, or begins to put another definition into effect. */
  ObjectNode define(String name, ObjectNode definition);

  /** Creates a collection; fails with {@code ExitCode.NO} when there is one. */
  ObjectNode create(String name, ObjectNode definition);

  /** Drops a collection. */
  void drop(String name);

  /** How far the indexes are, until they are complete. */
  void transformation(String name, Consumer<ObjectNode> progress);

  /**
   * An item.
   *
   * @param partition its partition key, a value or an array of them; null for none
   */
  ObjectNode item(String name, String id, @Nullable JsonNode partition);

  /** Creates or replaces an item, which has its id. */
  ObjectNode put(String name, ObjectNode item);

  /**
   * Creates or replaces the items of lines of JSON.
   *
   * @param progress {@code items} that are stored, at the latest when all are
   */
  void load(String name, InputStream lines, Consumer<ObjectNode> progress);

  /** Deletes an item. */
  ObjectNode delete(String name, String id, @Nullable JsonNode partition);

  /** All rows of a query, read at one version. */
  void query(String name, ObjectNode query, Consumer<JsonNode> rows);

  /** How a query would be answered. */
  ObjectNode explain(String name, ObjectNode query);
}
