package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.value.Values;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The identity of an item: its partition and id.
 *
 * @param partition the partition scalars, one for each partition path of the definition
 */
public record ItemIdentity(List<JsonNode> partition, String id) {
  private static final int MAX_ID_LENGTH = 1023;
  private static final int MAX_PARTITION_LENGTH = 2048;
  private static final int SHOWN = 40;

  public ItemIdentity {
    partition = List.copyOf(partition);
  }

  /**
   * Returns the identity of a document.
   *
   * @throws DocumentException INVALID_ITEM, ITEM_TOO_LARGE
   */
  static ItemIdentity of(JsonNode document, CollectionMetadata metadata) {
    List<JsonNode> values = new ArrayList<>();
    for (IndexPath path : metadata.writeLayout().partitionKey()) {
      JsonNode value = path.in(document);
      if (value.isContainerNode()) {
        throw new DocumentException(
            DocumentErrorCode.INVALID_ITEM,
            "partition key " + path + ": an array or object (expected: a scalar)");
      }
      values.add(value.isMissingNode() ? Values.NULL : value);
    }
    return new ItemIdentity(values, idOf(document)).checked(DocumentErrorCode.ITEM_TOO_LARGE);
  }

  /**
   * Returns the identity for an id and partition given by a caller.
   *
   * @throws DocumentException INVALID_ARGUMENT
   */
  static ItemIdentity of(String id, PartitionKey partition, CollectionMetadata metadata) {
    int expected = metadata.writeLayout().partitionKey().size();
    if (partition.values().size() != expected) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ARGUMENT,
          "partition key of " + partition.values().size() + " values (expected: " + expected + ")");
    }
    return new ItemIdentity(scalars(partition), id).checked(DocumentErrorCode.INVALID_ARGUMENT);
  }

  /**
   * Returns the values of a partition key given by a caller, or of the first of its paths.
   *
   * @param partition at least one value, and at most one for each path of the definition
   * @throws DocumentException INVALID_ARGUMENT
   */
  static List<JsonNode> prefix(PartitionKey partition, CollectionMetadata metadata) {
    int given = partition.values().size();
    int most = metadata.writeLayout().partitionKey().size();
    if (given == 0 || given > most) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ARGUMENT,
          "partition key of "
              + given
              + " values (expected: "
              + (most == 0
                  ? "none, as collection \"" + metadata.name() + "\" has no partition key"
                  : "1 to " + most)
              + ")");
    }
    return scalars(partition);
  }

  /**
   * Returns the values of a partition key given by a caller.
   *
   * @throws DocumentException INVALID_ARGUMENT
   */
  static List<JsonNode> scalars(PartitionKey partition) {
    List<JsonNode> values = new ArrayList<>();
    for (Object value : partition.values()) {
      JsonNode json = DocumentType.tree(value, DocumentErrorCode.INVALID_ARGUMENT);
      if (!json.isNull() && !json.isBoolean() && !json.isTextual() && !json.isNumber()) {
        throw new DocumentException(
            DocumentErrorCode.INVALID_ARGUMENT,
            "partition key of type "
                + json.getNodeType()
                + " (expected: text, number, boolean or null)");
      }
      values.add(json);
    }
    return values;
  }

  private ItemIdentity checked(DocumentErrorCode code) {
    for (JsonNode value : partition) {
      if (value.isTextual() && utf8Length(value.textValue()) > MAX_PARTITION_LENGTH) {
        throw new DocumentException(
            code, "partition key: too long (expected: at most " + MAX_PARTITION_LENGTH + " bytes)");
      }
    }
    return this;
  }

  /**
   * Returns the id of a document.
   *
   * @throws DocumentException INVALID_ITEM
   */
  static String idOf(JsonNode document) {
    JsonNode id = document.path("id");
    if (!id.isTextual()) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM,
          "id: " + (id.isMissingNode() ? "none" : id.getNodeType()) + " (expected: a text)");
    }
    String text = id.textValue();
    if (text.isEmpty() || utf8Length(text) > MAX_ID_LENGTH) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM,
          "id of " + utf8Length(text) + " bytes (expected: 1 to " + MAX_ID_LENGTH + ")");
    }
    if (text.indexOf('/') >= 0 || text.indexOf('\\') >= 0) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM, "id: \"" + shown(text) + "\" (expected: no / and no \\)");
    }
    return text;
  }

  private static int utf8Length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }

  /** Returns the partition as a public type. */
  PartitionKey partitionKey() {
    return new PartitionKey(partition.stream().map(Values::scalar).toList());
  }

  /** Returns the key under which the item's document id is stored. */
  byte[] key(CollectionMetadata metadata) {
    CanonicalEncoding bytes = new CanonicalEncoding();
    partition.forEach(bytes::value);
    boolean grouped = bytes.text(id).isLong() && PartitionPrefix.groupsLongIds(metadata);
    return metadata.keys().id(grouped ? PartitionPrefix.longId(partition, id) : bytes.toKey());
  }

  /** Returns the form used in messages. */
  @Override
  public String toString() {
    return "\"" + shown(id) + "\"" + (partition.isEmpty() ? "" : " in " + shown(partition + ""));
  }
}
