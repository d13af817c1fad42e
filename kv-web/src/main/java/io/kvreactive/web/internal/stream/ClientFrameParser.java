package io.kvreactive.web.internal.stream;

import static io.kvreactive.protocol.JsonForm.FLAG;
import static io.kvreactive.protocol.JsonForm.TEXT;
import static io.kvreactive.protocol.JsonForm.VERSIONSTAMP;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.JsonInput;
import io.kvreactive.protocol.Members;
import io.kvreactive.protocol.RequestMessages;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.collections.ServerMessages;
import io.kvreactive.web.internal.http.BatchOperationException;
import io.kvreactive.web.internal.http.JsonTreeSize;
import io.kvreactive.web.internal.rest.RangeParams;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Parses the frames of clients and validates all input. */
final class ClientFrameParser {
  private static final JsonMapper JSON = JsonSyntax.mapper();

  private static final String CREDIT = "credit";
  private static final String BYTES = "bytes";
  private static final String COLLECTION = "collection";
  private static final String KEYS = "keys";
  private static final String SINCE = "since";

  private static final JsonForm<Long> ID = JsonForm.whole(0, (1L << 53) - 1);

  /** A whole number, saturated outside 64 bits. Any other value is not part of the protocol. */
  private static final JsonForm<Long> WHOLE =
      JsonForm.reading(
          in -> {
            JsonNode number =
                JsonInput.strict(in.place(), in.json(), BadFrameException::new)
                    .require(JsonNode::isIntegralNumber, "a whole number");
            return number.canConvertToLong()
                ? number.longValue()
                : number.bigIntegerValue().signum() < 0 ? -1 : Long.MAX_VALUE;
          });

  private static final JsonForm<Long> CREDITS = atLeast(0);
  private static final JsonForm<Long> LIMIT = atLeast(1);

  private static final JsonForm<Consistency> CONSISTENCY =
      JsonForm.constant(Consistency.class, "\"");

  private static final JsonForm<KvKey> WATCHED =
      JsonForm.reading(
          in -> {
            KvKey key = JsonForm.STORED_KEY.read(in);
            if (key.isEmpty()) {
              throw new KvException(
                  KvErrorCode.INVALID_KEY, in.place() + ": [] (expected: at least one part)");
            }
            return key;
          });

  /** The changes of a feed, with the errors of the parameter over REST. */
  private static final JsonForm<ChangeFeedOptions.Mode> MODE =
      JsonForm.reading(
          in -> StrictJson.read(TEXT.write(TEXT.read(in)), in.place(), RequestMessages.MODE));

  /** A partition key, with the errors of the parameter over REST. */
  private static final JsonForm<PartitionKey> PARTITION =
      JsonForm.<PartitionKey>reading(
              in -> StrictJson.read(in.json(), in.place(), ServerMessages.REQUESTS.partitionKey))
          .readingNull();

  // ---- frames that open subscriptions

  /** The members that each of them has. */
  private record Opening(Long id, Long credit) {
    static Opening of(Members<?> m) {
      var unused = m.read("op", TEXT);
      return new Opening(m.read("id", ID), m.read(CREDIT, CREDITS, 0L));
    }
  }

  private static final JsonForm<ClientFrame> LIST =
      JsonForm.object(
          m -> {
            Opening opening = Opening.of(m);
            Long bytes = creditBytes(m);
            KvRange range = RangeParams.of(m);
            Boolean reverse = m.read("reverse", FLAG, false);
            Long limit = m.read("limit", LIMIT, ListOptions.UNLIMITED);
            String cursor = text(m, "cursor");
            Boolean keysOnly = m.read("keysOnly", FLAG, false);
            Consistency consistency = m.readIfAny("consistency", CONSISTENCY);
            return () ->
                new ClientFrame.ListRange(
                    opening.id(),
                    opening.credit(),
                    bytes,
                    range,
                    ListOptions.DEFAULT
                        .withReverse(reverse)
                        .withLimit(limit)
                        .withCursor(cursor)
                        .withKeysOnly(keysOnly)
                        .withConsistency(consistency == null ? Consistency.PAGE : consistency));
          });

  private static final JsonForm<ClientFrame> WATCH =
      JsonForm.object(
          m -> {
            Opening opening = Opening.of(m);
            List<KvKey> keys = m.readList(KEYS, WATCHED);
            return () -> {
              if (keys.isEmpty()) {
                throw m.wrong(KEYS, "none", "an array of keys, at least one");
              }
              return new ClientFrame.Watch(opening.id(), opening.credit(), List.copyOf(keys));
            };
          });

  private static final JsonForm<ClientFrame> CHANGES =
      JsonForm.object(
          m -> {
            Opening opening = Opening.of(m);
            Long bytes = creditBytes(m);
            KvRange range = RangeParams.of(m);
            Versionstamp since = m.readIfAny(SINCE, VERSIONSTAMP);
            Boolean list = m.read("list", FLAG, false);
            Boolean oldValues = m.read("oldValues", FLAG, false);
            return () -> {
              if (list && since != null) {
                throw m.wrong(
                    SINCE,
                    since.toString(),
                    "no since with list, which starts with the current entries");
              }
              return new ClientFrame.Changes(
                  opening.id(), opening.credit(), bytes, range, since, list, oldValues);
            };
          });

  private static final JsonForm<ClientFrame> QUERY =
      JsonForm.object(
          m -> {
            Opening opening = Opening.of(m);
            Long bytes = creditBytes(m);
            String collection = text(m, COLLECTION);
            Boolean watch = m.read("watch", FLAG, false);
            ObjectNode body =
                m.readPart(
                    "query",
                    "parameters",
                    "plannerMode",
                    "forceScan",
                    "enableScan",
                    "continuation",
                    "partitionKey");
            return () ->
                new ClientFrame.Query(
                    opening.id(),
                    opening.credit(),
                    bytes,
                    collection,
                    StrictJson.read(body, "body", ServerMessages.REQUESTS.query).query(),
                    watch);
          });

  private static final JsonForm<ClientFrame> ITEM_CHANGES =
      JsonForm.object(
          m -> {
            Opening opening = Opening.of(m);
            Long bytes = creditBytes(m);
            String collection = text(m, COLLECTION);
            ChangeFeedOptions.Mode mode = m.readIfAny("mode", MODE);
            Versionstamp since = m.readIfAny(SINCE, VERSIONSTAMP);
            PartitionKey partition = m.readIfAny("partitionKey", PARTITION);
            FeedRange range = m.readIfAny("range", RequestMessages.FEED_RANGE.readingNull());
            return () ->
                new ClientFrame.CollectionChanges(
                    opening.id(),
                    opening.credit(),
                    bytes,
                    collection,
                    new ChangeFeedOptions(
                        mode == null ? ChangeFeedOptions.Mode.LATEST : mode,
                        since,
                        partition,
                        range));
          });

  private ClientFrameParser() {}

  /**
   * Parses a message.
   *
   * @throws BadFrameException if the message is not part of the protocol
   */
  static ClientFrame read(Buffer message) {
    byte[] utf8 = message.getBytes();
    JsonNode json =
        JsonInput.strict("message", parse(utf8), BadFrameException::new)
            .require(JsonNode::isObject, "a JSON object");
    return switch (json.path("op").asText("")) {
      case "ping" -> new ClientFrame.Ping();
      case "cancel" -> new ClientFrame.Cancel(id(json));
      case "credit" ->
          new ClientFrame.Credit(
              id(json),
              json.has(BYTES) ? whole(json, "n", 0) : WHOLE.read(ofProtocol(json, "n")),
              whole(json, BYTES, 0));
      case "list" -> open(Operation.LIST_FRAME, json, LIST);
      case "watch" -> open(Operation.WATCH_FRAME, json, WATCH);
      case "changes" -> open(Operation.CHANGES_FRAME, json, CHANGES);
      case "query" -> open(Operation.QUERY_FRAME, json, QUERY);
      case "itemChanges" -> open(Operation.ITEM_CHANGES_FRAME, json, ITEM_CHANGES);
      case "batch" -> write(Operation.BATCH_FRAME, json, utf8);
      case "deleteItems" -> write(Operation.DELETE_ITEMS_FRAME, json, utf8);
      case "deletePartition" -> write(Operation.DELETE_PARTITION_FRAME, json, utf8);
      default ->
          throw ofProtocol(json, "op")
              .unexpected(
                  "list, watch, changes, query, itemChanges, batch, deleteItems,"
                      + " deletePartition, credit, cancel or ping");
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

  /** Returns a member that ends the connection if it is invalid. */
  private static JsonInput ofProtocol(JsonNode json, String name) {
    return JsonInput.strict(name, json.path(name), BadFrameException::new);
  }

  private static long id(JsonNode json) {
    return ID.read(ofProtocol(json, "id"));
  }

  private static long whole(JsonNode json, String name, long missing) {
    return json.has(name) ? WHOLE.read(ofProtocol(json, name)) : missing;
  }

  private static JsonForm<Long> atLeast(long least) {
    return JsonForm.reading(
        in -> {
          long number = WHOLE.read(in);
          if (number < least) {
            throw in.unexpected("at least " + least);
          }
          return number;
        });
  }

  private static Long creditBytes(Members<?> m) {
    return m.read("creditBytes", CREDITS, Long.MAX_VALUE);
  }

  private static String text(Members<?> m, String name) {
    String text = m.readIfAny(name, TEXT);
    return text == null ? "" : text;
  }

  private static KvException invalid(String detail) {
    return new KvException(KvErrorCode.INVALID_ARGUMENT, detail);
  }

  private static ClientFrame open(Operation operation, JsonNode json, JsonForm<ClientFrame> form) {
    long id = id(json);
    var unused = whole(json, CREDIT, 0); // ends the connection, whatever else is invalid
    try {
      return form.read(JsonInput.strict("", json, ClientFrameParser::invalid));
    } catch (KvException | WebException | DocumentException e) {
      return new ClientFrame.Refused(operation, id, e);
    }
  }

  // ---- frames that write

  /** Parses the members of the frame, and the others as the body of the same request over REST. */
  private static ClientFrame write(Operation operation, JsonNode json, byte[] utf8) {
    long id = id(json);
    try {
      JsonNode name = json.path(COLLECTION);
      String collection =
          name.isMissingNode() || name.isNull()
              ? ""
              : TEXT.read(JsonInput.strict(COLLECTION, name, ClientFrameParser::invalid));
      ObjectNode body = StrictJson.object();
      body.setAll((ObjectNode) json);
      body.remove(List.of("op", "id", COLLECTION));
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
}
