package io.kvreactive.documents.internal.collection;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Applies patches to documents. */
final class PatchApplier {
  private static final int MAX_STEPS = 128;
  private static final int MAX_DIGITS = 300;

  /**
   * Maximum number of array elements that the insertions and removals of a patch may move: 0.1 s of
   * work.
   */
  private static final long MAX_MOVED = 100_000_000;

  private static final Set<String> SYSTEM =
      Set.of("id", StoredItem.TS, StoredItem.ETAG, "_rid", "_self", "_attachments");

  private final ObjectNode document;
  private final List<IndexPath> partitionKey;
  private long moved;

  private PatchApplier(ObjectNode document, List<IndexPath> partitionKey) {
    this.document = document;
    this.partitionKey = partitionKey;
  }

  /**
   * Rejects a patch without operations.
   *
   * @throws DocumentException INVALID_PATCH
   */
  static void checkNotEmpty(List<PatchOperation> operations) {
    if (operations.isEmpty()) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_PATCH, "patch without operations (expected: at least 1)");
    }
  }

  /**
   * Applies operations in order.
   *
   * @param document the document, which is changed
   * @param partitionKey the paths of the partition key, which must not be patched
   * @throws DocumentException INVALID_PATCH; the document may then be changed in part
   */
  static void apply(
      ObjectNode document, List<PatchOperation> operations, List<IndexPath> partitionKey) {
    PatchApplier patches = new PatchApplier(document, partitionKey);
    operations.forEach(patches::apply);
  }

  private void apply(PatchOperation operation) {
    checkpoint();
    Place place = place(operation.path());
    if (operation instanceof PatchOperation.Add add) {
      place.add(json(add.value()), true);
    } else if (operation instanceof PatchOperation.Set set) {
      place.add(json(set.value()), false);
    } else if (operation instanceof PatchOperation.Replace replace) {
      place.existing();
      place.add(json(replace.value()), false);
    } else if (operation instanceof PatchOperation.Remove) {
      place.remove();
    } else if (operation instanceof PatchOperation.Increment increment) {
      place.add(sum(place, json(increment.by())), false);
    } else if (operation instanceof PatchOperation.Move move) {
      if ((move.path() + "/").startsWith(move.from() + "/") && !move.path().equals(move.from())) {
        throw invalid(move.path(), "a place inside of the moved value", "another place");
      }
      JsonNode moved = place(move.from()).remove();
      place(move.path()).add(moved, true);
    }
  }

  private static JsonNode json(@Nullable Object value) {
    JsonNode tree = DocumentType.tree(value, DocumentErrorCode.INVALID_PATCH);
    Document.checkValue(tree);
    return Json.copy(tree);
  }

  private static JsonNode sum(Place place, JsonNode by) {
    JsonNode now = place.get();
    if (now.isMissingNode()) {
      return by;
    }
    if (!now.isNumber() || !by.isNumber()) {
      throw invalid(place.path, now.getNodeType().toString(), "a number");
    }
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (now.canConvertToLong()
        && by.canConvertToLong()
        && now.isIntegralNumber()
        && by.isIntegralNumber()) {
      try {
        return Values.number(Math.addExact(now.longValue(), by.longValue()));
      } catch (ArithmeticException e) {
        return nodes.numberNode(now.bigIntegerValue().add(by.bigIntegerValue()));
      }
    }
    if (!isShort(now) || !isShort(by)) {
      return nodes.numberNode(now.doubleValue() + by.doubleValue());
    }
    BigDecimal sum = now.decimalValue().add(by.decimalValue());
    return nodes.numberNode(sum);
  }

  /** Returns true if exact addition of the number takes at most a few hundred digits. */
  private static boolean isShort(JsonNode number) {
    if (number.isDouble() || number.isFloat()) {
      return false;
    }
    BigDecimal decimal = number.decimalValue();
    return decimal.precision() <= MAX_DIGITS && Math.abs((long) decimal.scale()) <= MAX_DIGITS;
  }

  private static DocumentException invalid(String path, String found, String expected) {
    String shown = path.length() <= 100 ? path : path.substring(0, 100) + "…";
    return new DocumentException(
        DocumentErrorCode.INVALID_PATCH,
        "patch of \"" + shown + "\": " + found + " (expected: " + expected + ")");
  }

  /** Returns the container of a JSON pointer's last step. */
  private Place place(String path) {
    if (!path.startsWith("/")) {
      throw invalid(path, "no /", "a JSON pointer to a place in the item");
    }
    List<String> steps = new ArrayList<>();
    for (String step : path.substring(1).split("/", MAX_STEPS + 1)) {
      steps.add(step.replace("~1", "/").replace("~0", "~"));
    }
    if (steps.size() > MAX_STEPS) {
      throw invalid(path, "too many steps", "at most " + MAX_STEPS);
    }
    checkPatchable(steps, path);
    JsonNode container = document;
    for (String step : steps.subList(0, steps.size() - 1)) {
      container =
          container instanceof ArrayNode array
              ? array.path(index(step, path))
              : container.path(step);
    }
    if (!container.isContainerNode()) {
      throw invalid(path, "no object or array above it", "one");
    }
    return new Place(container, steps.get(steps.size() - 1), path);
  }

  /** Rejects the members that identify an item, and those that the store sets. */
  private void checkPatchable(List<String> steps, String path) {
    if (SYSTEM.contains(steps.get(0))) {
      throw invalid(path, "a system property", "another property");
    }
    for (IndexPath key : partitionKey) {
      boolean isPart = steps.size() >= key.steps().size();
      for (int i = 0; isPart && i < key.steps().size(); i++) {
        isPart =
            key.steps().get(i) instanceof MemberStep member && member.name().equals(steps.get(i));
      }
      if (isPart) {
        throw invalid(path, "a part of the partition key " + key, "another property");
      }
    }
  }

  private static int index(String step, String path) {
    boolean number =
        !step.isEmpty()
            && step.length() < 10
            && step.chars().allMatch(c -> c >= '0' && c <= '9')
            && (step.length() == 1 || step.charAt(0) != '0');
    if (!number) {
      throw invalid(path, "\"" + step + "\" in an array", "a position");
    }
    return Integer.parseInt(step);
  }

  private void moves(int elements) {
    moved += elements;
    if (moved > MAX_MOVED) {
      throw new DocumentException(
          DocumentErrorCode.LIMIT_EXCEEDED,
          "a patch that moves more than "
              + MAX_MOVED
              + " array elements (expected: fewer inserts and removals in large arrays)");
    }
  }

  /** A member or an element, which may be absent. */
  private final class Place {
    private final JsonNode container;
    private final String step;
    private final String path;

    Place(JsonNode container, String step, String path) {
      this.container = container;
      this.step = step;
      this.path = path;
    }

    private int position() {
      return index(step, path);
    }

    JsonNode get() {
      return container instanceof ArrayNode array
          ? step.equals("-") ? array.path(array.size()) : array.path(position())
          : container.path(step);
    }

    JsonNode existing() {
      JsonNode value = get();
      if (value.isMissingNode()) {
        throw invalid(path, "nothing", "a value there");
      }
      return value;
    }

    JsonNode remove() {
      JsonNode value = existing();
      if (container instanceof ArrayNode array) {
        int at = position();
        moves(array.size() - at);
        array.remove(at);
      } else {
        ((ObjectNode) container).remove(step);
      }
      return value;
    }

    /**
     * Adds a value.
     *
     * @param insert true to insert before an existing element instead of replacing it
     */
    void add(JsonNode value, boolean insert) {
      if (!(container instanceof ArrayNode array)) {
        ((ObjectNode) container).set(step, value);
        return;
      }
      int at = step.equals("-") ? array.size() : position();
      if (at > array.size()) {
        throw invalid(path, "an array of " + array.size(), "a position in it or at its end");
      }
      if (insert || at == array.size()) {
        moves(array.size() - at);
        array.insert(at, value);
      } else {
        array.set(at, value);
      }
    }
  }
}
