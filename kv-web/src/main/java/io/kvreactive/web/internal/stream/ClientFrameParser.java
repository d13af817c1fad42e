package io.kvreactive.web.internal.stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.KvJson;
import io.kvreactive.json.Utf8;
import io.kvreactive.protocol.QueryRequest;
import io.kvreactive.protocol.RequestMessages;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.collections.ServerMessages;
import io.kvreactive.web.internal.http.BatchOperationException;
import io.kvreactive.web.internal.http.JsonTreeSize;
import io.kvreactive.web.internal.rest.RangeParams;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parses the frames of clients and validates all input. */
final class ClientFrameParser {
  private static final long MAX_ID = 1L << 53;
  private static final int EXCERPT = 60;

  private static final JsonMapper JSON = JsonSyntax.mapper();

  private ClientFrameParser() {}

  /**
   * Parses a message.
   *
   * @throws BadFrameException if the message is not part of the protocol
   */
  static ClientFrame read(Buffer message) {
    byte[] utf8 = message.getBytes();
    JsonNode json = parse(utf8);
    if (!json.isObject()) {
      throw new BadFrameException(excerpt(json) + " (expected: a JSON object)");
    }
    String op = json.path("op").asText("");
    return switch (op) {
      case "ping" -> new ClientFrame.Ping();
      case "cancel" -> new ClientFrame.Cancel(id(json));
      case "credit" ->
          new ClientFrame.Credit(
              id(json),
              whole(json, "n", json.has("bytes") ? 0 : Long.MIN_VALUE),
              whole(json, "bytes", 0));
      case "list" -> open(Operation.LIST_FRAME, id(json), json);
      case "watch" -> open(Operation.WATCH_FRAME, id(json), json);
      case "changes" -> open(Operation.CHANGES_FRAME, id(json), json);
      case "query" -> open(Operation.QUERY_FRAME, id(json), json);
      case "itemChanges" -> open(Operation.ITEM_CHANGES_FRAME, id(json), json);
      case "batch" -> write(Operation.BATCH_FRAME, id(json), json, utf8);
      case "deleteItems" -> write(Operation.DELETE_ITEMS_FRAME, id(json), json, utf8);
      case "deletePartition" -> write(Operation.DELETE_PARTITION_FRAME, id(json), json, utf8);
      default ->
          throw new BadFrameException(
              "op: "
                  + excerpt(json.path("op"))
                  + " (expected: list, watch, changes, query, itemChanges, batch, deleteItems,"
                  + " deletePartition, credit, cancel or ping)");
    };
  }

  private static JsonNode parse(byte[] utf8) {
    try {
      return JSON.readTree(Utf8.decodeDocument(utf8));
    } catch (JsonProcessingException e) {
      throw new BadFrameException("not JSON at " + JsonSyntax.describe(e));
    } catch (KvException e) {
      throw new BadFrameException("not JSON: " + e.detail());
    }
  }

  private static long id(JsonNode json) {
    JsonNode id = json.path("id");
    if (!id.isIntegralNumber()
        || !id.canConvertToLong()
        || id.longValue() < 0
        || id.longValue() >= MAX_ID) {
      throw new BadFrameException(
          "id: " + excerpt(id) + " (expected: a whole number from 0 to 2^53 - 1)");
    }
    return id.longValue();
  }

  private static long whole(JsonNode json, String name, long missing) {
    JsonNode number = json.path(name);
    if (number.isMissingNode() && missing != Long.MIN_VALUE) {
      return missing;
    }
    if (!number.isIntegralNumber()) {
      throw new BadFrameException(name + ": " + excerpt(number) + " (expected: a whole number)");
    }
    return number.canConvertToLong()
        ? number.longValue()
        : number.bigIntegerValue().signum() < 0 ? -1 : Long.MAX_VALUE; // saturates outside 64 bits
  }

  private static ClientFrame open(Operation operation, long id, JsonNode json) {
    try {
      long credit = whole(json, "credit", 0);
      if (credit < 0) {
        throw invalid("credit", json.path("credit"), "at least 0");
      }
      return switch (operation) {
        case LIST_FRAME -> list(id, credit, json);
        case WATCH_FRAME -> watch(id, credit, json);
        case QUERY_FRAME -> query(id, credit, json);
        case ITEM_CHANGES_FRAME -> itemChanges(id, credit, json);
        default -> changes(id, credit, json);
      };
    } catch (KvException | WebException | DocumentException e) {
      return new ClientFrame.Refused(operation, id, e);
    }
  }

  private static ClientFrame list(long id, long credit, JsonNode json) {
    requireOnly(
        json,
        Set.of(
            "op",
            "id",
            "credit",
            "creditBytes",
            "reverse",
            "limit",
            "cursor",
            "keysOnly",
            "consistency",
            "prefix",
            "start",
            "end"));
    long limit = whole(json, "limit", ListOptions.UNLIMITED);
    if (limit < 1) {
      throw invalid("limit", json.path("limit"), "at least 1");
    }
    return new ClientFrame.ListRange(
        id,
        credit,
        byteCredit(json),
        range(json),
        flag(json, "reverse"),
        limit,
        text(json, "cursor", ""),
        flag(json, "keysOnly"),
        snapshot(json));
  }

  private static boolean snapshot(JsonNode json) {
    String consistency = text(json, "consistency", "page");
    return switch (consistency) {
      case "page" -> false;
      case "snapshot" -> true;
      default -> throw invalid("consistency", json.path("consistency"), "page or snapshot");
    };
  }

  private static ClientFrame watch(long id, long credit, JsonNode json) {
    requireOnly(json, Set.of("op", "id", "credit", "keys"));
    JsonNode keys = json.path("keys");
    if (!keys.isArray() || keys.isEmpty()) {
      throw invalid("keys", keys, "an array of keys, at least one");
    }
    List<KvKey> watched = new ArrayList<>(keys.size());
    for (JsonNode key : keys) {
      KvKey one = KvJson.storedKeyOf(key);
      if (one.isEmpty()) {
        throw new KvException(
            KvErrorCode.INVALID_KEY,
            "keys[%d]: [] (expected: at least one part)".formatted(watched.size()));
      }
      watched.add(one);
    }
    return new ClientFrame.Watch(id, credit, List.copyOf(watched));
  }

  private static ClientFrame changes(long id, long credit, JsonNode json) {
    requireOnly(
        json,
        Set.of(
            "op",
            "id",
            "credit",
            "creditBytes",
            "since",
            "list",
            "oldValues",
            "prefix",
            "start",
            "end"));
    boolean list = flag(json, "list");
    Versionstamp since =
        json.hasNonNull("since") ? Versionstamp.parse(text(json, "since", "")) : null;
    if (list && since != null) {
      throw invalid(
          "since", json.path("since"), "no since with list, which starts with the current entries");
    }
    return new ClientFrame.Changes(
        id, credit, byteCredit(json), range(json), since, list, flag(json, "oldValues"));
  }

  private static ClientFrame query(long id, long credit, JsonNode json) {
    requireOnly(
        json,
        Set.of(
            "op",
            "id",
            "credit",
            "creditBytes",
            "collection",
            "query",
            "parameters",
            "plannerMode",
            "forceScan",
            "enableScan",
            "continuation",
            "partitionKey",
            "watch"));
    String collection = text(json, "collection", "");
    QueryRequest query =
        StrictJson.read(
            without(json, "op", "id", "credit", "creditBytes", "collection", "watch"),
            "body",
            ServerMessages.REQUESTS.query);
    return new ClientFrame.Query(
        id, credit, byteCredit(json), collection, query.query(), flag(json, "watch"));
  }

  /** Returns the body that the same request has over REST. */
  private static ObjectNode without(JsonNode json, String... names) {
    ObjectNode body = StrictJson.object();
    body.setAll((ObjectNode) json);
    return body.remove(List.of(names));
  }

  private static ClientFrame write(Operation operation, long id, JsonNode json, byte[] utf8) {
    try {
      String collection = text(json, "collection", "");
      ObjectNode body = without(json, "op", "id", "collection");
      long bytes = ClientFrame.OBJECT_BYTES + JsonTreeSize.of(utf8);
      return switch (operation) {
        case BATCH_FRAME ->
            new ClientFrame.Batch(
                id,
                collection,
                StrictJson.read(body, "body", ServerMessages.REQUESTS.batch),
                bytes);
        case DELETE_ITEMS_FRAME ->
            new ClientFrame.DeleteItems(id, collection, ServerMessages.deletion(body), bytes);
        default ->
            new ClientFrame.DeletePartition(
                id,
                collection,
                StrictJson.read(body, "body", ServerMessages.REQUESTS.partition),
                bytes);
      };
    } catch (KvException | WebException | DocumentException | BatchOperationException e) {
      return new ClientFrame.Refused(operation, id, e);
    }
  }

  private static ClientFrame itemChanges(long id, long credit, JsonNode json) {
    requireOnly(
        json,
        Set.of(
            "op",
            "id",
            "credit",
            "creditBytes",
            "collection",
            "since",
            "mode",
            "partitionKey",
            "range"));
    return new ClientFrame.CollectionChanges(
        id,
        credit,
        byteCredit(json),
        text(json, "collection", ""),
        new ChangeFeedOptions(
            StrictJson.read(
                TextNode.valueOf(text(json, "mode", "latest")), "mode", RequestMessages.MODE),
            json.hasNonNull("since") ? Versionstamp.parse(text(json, "since", "")) : null,
            json.has("partitionKey")
                ? StrictJson.read(
                    json.path("partitionKey"), "partitionKey", ServerMessages.REQUESTS.partitionKey)
                : null,
            json.has("range") ? FeedRange.parse(text(json, "range", "")) : null));
  }

  private static long byteCredit(JsonNode json) {
    long bytes = whole(json, "creditBytes", Long.MAX_VALUE);
    if (bytes < 0) {
      throw invalid("creditBytes", json.path("creditBytes"), "at least 0");
    }
    return bytes;
  }

  private static KvRange range(JsonNode json) {
    return RangeParams.of(
        key(json, RangeParams.PREFIX, KvJson::keyOf),
        key(json, RangeParams.START, KvJson::storedKeyOf),
        key(json, RangeParams.END, KvJson::storedKeyOf));
  }

  private static @Nullable KvKey key(JsonNode json, String name, Function<JsonNode, KvKey> reader) {
    JsonNode key = json.path(name);
    return key.isMissingNode() ? null : reader.apply(key);
  }

  private static boolean flag(JsonNode json, String name) {
    JsonNode flag = json.path(name);
    if (!flag.isMissingNode() && !flag.isBoolean()) {
      throw invalid(name, flag, "true or false");
    }
    return flag.asBoolean();
  }

  private static String text(JsonNode json, String name, String missing) {
    JsonNode text = json.path(name);
    if (text.isMissingNode() || text.isNull()) {
      return missing;
    }
    if (!text.isTextual()) {
      throw invalid(name, text, "a string");
    }
    return text.textValue();
  }

  /** Rejects unknown properties, so that misspelt ones are not ignored. */
  private static void requireOnly(JsonNode json, Set<String> names) {
    json.fieldNames()
        .forEachRemaining(
            name -> {
              if (!names.contains(name)) {
                throw new KvException(
                    KvErrorCode.INVALID_ARGUMENT,
                    "property "
                        + cut(name)
                        + " (expected: "
                        + String.join(", ", names.stream().sorted().toList())
                        + ")");
              }
            });
  }

  private static KvException invalid(String name, JsonNode found, String expected) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        name + ": " + excerpt(found) + " (expected: " + expected + ")");
  }

  private static String excerpt(JsonNode json) {
    if (json.isMissingNode()) {
      return "nothing";
    }
    return json.isContainerNode()
        ? (json.isArray() ? "an array" : "an object")
        : cut(json.toString());
  }

  private static String cut(String text) {
    return text.length() <= EXCERPT ? text : text.substring(0, EXCERPT) + "…";
  }
}
