package io.kvreactive.documents.internal.collection;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.json.JsonSyntax;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A validated document without the members that the store adds. An instance serves one write.
 *
 * @param tree the document; its top level belongs to the write, which may add members for a while,
 *     but nested containers belong to the caller
 * @param json the same document as JSON bytes
 */
record Document(ObjectNode tree, byte[] json) {
  private static final int MAX_SIZE = 2 << 20;
  private static final int MAX_NUMBER_LENGTH = Json.MAX_NUMBER_LENGTH - 50;
  private static final int MAX_BITS = (int) (MAX_NUMBER_LENGTH * 3.3);

  /** Maximum length of a number in a message. */
  private static final int MAX_SHOWN = 40;

  /** Maximum exponent of a number whose text can be read back, however its digits are written. */
  private static final int MAX_EXPONENT = 999_999_999;

  /**
   * Validates a document given by a caller.
   *
   * @throws DocumentException INVALID_ITEM, ITEM_TOO_LARGE
   */
  static Document of(Object given) {
    ObjectNode tree = DocumentType.object(given);
    tree.remove(StoredItem.TS);
    tree.remove(StoredItem.ETAG);
    if (!check(tree)) {
      tree = DocumentType.readBack(tree);
    }
    byte[] json = Json.write(tree);
    if (json.length > MAX_SIZE) {
      throw tooLarge("item of " + json.length + " bytes (expected: at most " + MAX_SIZE + ")");
    }
    checkTtl(tree.path(StoredItem.TTL));
    return new Document(tree, json);
  }

  private static DocumentException tooLarge(String message) {
    return new DocumentException(DocumentErrorCode.ITEM_TOO_LARGE, message);
  }

  private static void checkTtl(JsonNode ttl) {
    if (ttl.isMissingNode()) {
      return;
    }
    boolean whole = ttl.isIntegralNumber() && ttl.canConvertToInt();
    if (!whole || ttl.intValue() < -1 || ttl.intValue() == 0) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM,
          "ttl: " + shown(Json.writeText(ttl)) + " (expected: -1, or 1 to 2147483647)");
    }
  }

  private static String shown(String number) {
    return number.length() > MAX_SHOWN ? number.substring(0, MAX_SHOWN) + "…" : number;
  }

  /**
   * Rejects values that no document may contain: those that are too deep to be walked by recursion,
   * and numbers that are too long or too large.
   *
   * @throws DocumentException ITEM_TOO_LARGE, INVALID_ITEM
   */
  static void checkValue(JsonNode tree) {
    var unused = check(tree);
  }

  /** A container and its nesting depth. */
  private record Level(JsonNode node, int depth) {}

  /**
   * Checks depth and numbers without recursion, because the tree may have any depth.
   *
   * @return true if the tree equals the one that parsing its JSON would give
   */
  private static boolean check(JsonNode tree) {
    if (!tree.isContainerNode()) {
      return checkScalar(tree);
    }
    boolean exact = true;
    Deque<Level> open = new ArrayDeque<>();
    open.add(new Level(tree, 1));
    while (!open.isEmpty()) {
      Level level = open.removeLast();
      if (level.depth() > Json.MAX_DEPTH) {
        throw tooLarge("item nested too deep (expected: at most " + Json.MAX_DEPTH + " levels)");
      }
      for (JsonNode child : level.node()) {
        checkpoint();
        if (child.isContainerNode()) {
          open.add(new Level(child, level.depth() + 1));
        } else {
          exact &= checkScalar(child);
        }
      }
    }
    return exact;
  }

  private static boolean checkScalar(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING, BOOLEAN, NULL -> true;
      case NUMBER -> checkNumber(value);
      case BINARY, MISSING -> false;
      default ->
          throw new DocumentException(
              DocumentErrorCode.INVALID_ITEM,
              "a value of type " + value.getNodeType() + " (expected: JSON)");
    };
  }

  private static boolean checkNumber(JsonNode value) {
    boolean tooLong =
        value.isBigInteger() && value.bigIntegerValue().bitLength() > MAX_BITS
            || value.isBigDecimal() && value.decimalValue().precision() > MAX_NUMBER_LENGTH;
    if (tooLong) {
      throw tooLarge("number: too long (expected: at most " + MAX_NUMBER_LENGTH + " digits)");
    }
    if (value.isBigDecimal()) {
      checkExponent(value.decimalValue());
    }
    if (!Double.isFinite(value.doubleValue())) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM,
          "number: " + shown(value.asText()) + " (expected: " + JsonSyntax.NUMBERS + ")");
    }
    return value.isInt()
        || value.isLong()
        || value.isDouble()
        || value.isBigDecimal()
        || value.isBigInteger();
  }

  private static void checkExponent(BigDecimal number) {
    long exponent = (long) number.precision() - number.scale() - 1;
    if (Math.abs(exponent) > MAX_EXPONENT) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ITEM,
          "number with the exponent "
              + exponent
              + " (expected: -"
              + MAX_EXPONENT
              + " to "
              + MAX_EXPONENT
              + ")");
    }
  }
}
