package io.kvreactive.protocol;

import static io.kvreactive.protocol.JsonForm.FLAG;
import static io.kvreactive.protocol.JsonForm.JSON;
import static io.kvreactive.protocol.JsonForm.OBJECT;
import static io.kvreactive.protocol.JsonForm.TEXT;
import static io.kvreactive.protocol.JsonForm.VERSIONSTAMP;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchOperation;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.IndexingDirective;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.protocol.QueryRequest.Explain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The requests for the items of a collection. Documents and values that are read are trees. */
public final class RequestMessages {
  /**
   * A request to patch an item.
   *
   * @param filter the condition that the item must meet, or null
   */
  public record PatchRequest(List<PatchOperation> operations, @Nullable String filter) {
    /** Returns the options of the patch. */
    public PatchOptions options(WriteOptions write) {
      return new PatchOptions(filter, write.ifMatch(), write.directive());
    }
  }

  /** Converts values of programs to JSON. */
  @FunctionalInterface
  public interface Values {
    /**
     * Returns the JSON of a value.
     *
     * @throws DocumentException with the code {@code otherwise} if it has none
     */
    JsonNode tree(@Nullable Object value, DocumentErrorCode otherwise);
  }

  /** Maximum of {@link QueryOptions#maxPageBytes}: a server holds a page until it is sent. */
  private static final long MAX_PAGE_BYTES = 16 << 20;

  private static final String OP = "op";
  private static final String PARTITION = "partitionKey";

  /** The directive of a write, which is also a header. */
  public static final JsonForm<IndexingDirective> DIRECTIVE =
      JsonForm.constant(IndexingDirective.class, "");

  /** The changes that a feed emits, which is also a parameter. */
  public static final JsonForm<ChangeFeedOptions.Mode> MODE =
      JsonForm.constant(ChangeFeedOptions.Mode.class, "\"");

  /** A range of the hashes of partition keys. */
  public static final JsonForm<FeedRange> FEED_RANGE =
      TEXT.map(FeedRange::parse, FeedRange::toString);

  private static final JsonForm<QueryOptions.PlannerMode> PLANNER_MODE =
      JsonForm.constant(QueryOptions.PlannerMode.class, "\"");

  private static final JsonForm<Explain> EXPLAIN =
      JsonForm.of(
          in ->
              in.json().asText().equals("only")
                  ? Explain.ONLY
                  : FLAG.read(in) ? Explain.ALSO : Explain.NONE,
          explain ->
              explain == Explain.ONLY
                  ? TextNode.valueOf("only")
                  : BooleanNode.valueOf(explain == Explain.ALSO));

  /** A parameter of a query. */
  private record Parameter(String name, JsonNode value) {}

  private static final JsonForm<Parameter> PARAMETER =
      JsonForm.object(
          m -> {
            String name = m.get("name", TEXT, Parameter::name);
            JsonNode value = m.get("value", JSON, Parameter::value);
            return () -> new Parameter(name, value);
          });

  private static final Map<Class<?>, String> PATCH_OPERATIONS =
      Map.of(
          PatchOperation.Add.class, "add",
          PatchOperation.Set.class, "set",
          PatchOperation.Replace.class, "replace",
          PatchOperation.Remove.class, "remove",
          PatchOperation.Increment.class, "incr",
          PatchOperation.Move.class, "move");

  public final JsonForm<PartitionKey> partitionKey;

  /** A partition key as the only member of a message. */
  public final JsonForm<PartitionKey> partition;

  public final JsonForm<PatchRequest> patch;
  public final JsonForm<TransactionalBatch> batch;
  public final JsonForm<QueryRequest> query;

  /** The selection of a change feed. */
  public final JsonForm<ChangeFeedOptions> changes;

  private final Function<Object, ObjectNode> documents;
  private final Values values;
  private final JsonForm<PatchOperation> patchOperation;

  /**
   * Creates the requests.
   *
   * @param documents converts the documents of written requests
   * @param values converts the values of written requests
   * @param ofOperation makes the exception of an operation of a batch from its index and its own
   *     exception
   */
  public RequestMessages(
      Function<Object, ObjectNode> documents,
      Values values,
      BiFunction<Integer, RuntimeException, RuntimeException> ofOperation) {
    this.documents = documents;
    this.values = values;
    partitionKey =
        JsonForm.of(
                RequestMessages::keyOf,
                key ->
                    JsonNodeFactory.instance
                        .arrayNode()
                        .addAll(key.values().stream().map(this::argument).toList()))
            .readingNull();
    partition = JsonForm.member(PARTITION, partitionKey);
    patchOperation =
        JsonForm.object(step -> List.of(OP, "path", "value", "from"), this::patchOperation);
    patch =
        JsonForm.object(
            m -> {
              List<PatchOperation> steps =
                  m.list("operations", patchOperation, PatchRequest::operations);
              String filter = m.optional("filter", TEXT, PatchRequest::filter);
              return () -> new PatchRequest(steps, filter);
            });
    JsonForm<List<BatchOperation>> operations =
        JsonForm.list(
            JsonForm.object(RequestMessages::membersOf, this::batchOperation), ofOperation);
    batch =
        JsonForm.object(
            m -> {
              PartitionKey key =
                  m.get(PARTITION, partitionKey, TransactionalBatch::partition, PartitionKey.NONE);
              List<BatchOperation> steps =
                  m.get("operations", operations, TransactionalBatch::operations, List.of());
              return () -> new TransactionalBatch(key, steps);
            });
    query = JsonForm.object(this::query);
    changes =
        JsonForm.object(
            m -> {
              ChangeFeedOptions.Mode mode = m.get("mode", MODE, ChangeFeedOptions::mode);
              Versionstamp since = m.optional("since", VERSIONSTAMP, ChangeFeedOptions::since);
              PartitionKey key =
                  m.optional(PARTITION, partitionKey, ChangeFeedOptions::partitionKey);
              FeedRange range = m.optional("range", FEED_RANGE, ChangeFeedOptions::range);
              return () -> new ChangeFeedOptions(mode, since, key, range);
            });
  }

  private JsonNode argument(@Nullable Object value) {
    return values.tree(value, DocumentErrorCode.INVALID_ARGUMENT);
  }

  // ---- partition keys

  /** Reads a value, or an array of values. A key that is missing has none. */
  private static PartitionKey keyOf(JsonInput in) {
    JsonNode json = in.json();
    if (json.isMissingNode() || json.isNull() && !in.isStrict()) {
      return PartitionKey.NONE;
    }
    List<@Nullable Object> values = new ArrayList<>();
    if (json.isArray()) {
      json.forEach(value -> values.add(scalar(in, value)));
    } else {
      values.add(scalar(in, json));
    }
    return new PartitionKey(values);
  }

  private static @Nullable Object scalar(JsonInput in, JsonNode json) {
    return switch (json.getNodeType()) {
      case STRING -> json.textValue();
      case NUMBER -> json.numberValue();
      case BOOLEAN -> json.booleanValue();
      case NULL -> null;
      default ->
          throw in.fault(
              "%s: %s (expected: text, a number, a boolean or null, or an array of them)"
                  .formatted(PARTITION, JsonInput.excerpt(json.toString())));
    };
  }

  // ---- patches

  private PatchOperation patchOperation(Members<PatchOperation> m) {
    String op = m.get(OP, TEXT, step -> PATCH_OPERATIONS.get(step.getClass()));
    String path = m.get("path", TEXT, PatchOperation::path);
    return switch (op) {
      case "add" -> new PatchOperation.Add(path, value(m));
      case "set" -> new PatchOperation.Set(path, value(m));
      case "replace" -> new PatchOperation.Replace(path, value(m));
      case "remove" -> new PatchOperation.Remove(path);
      case "incr" -> {
        JsonNode by = value(m);
        if (!by.isNumber()) {
          throw m.wrong("value", JsonInput.excerpt(by.toString()), "a number");
        }
        yield new PatchOperation.Increment(path, by.numberValue());
      }
      case "move" ->
          new PatchOperation.Move(
              m.get("from", TEXT, step -> ((PatchOperation.Move) step).from()), path);
      default ->
          throw m.wrong(
              OP, "\"" + JsonInput.excerpt(op) + "\"", "add, set, replace, remove, incr or move");
    };
  }

  private JsonNode value(Members<PatchOperation> m) {
    return m.get(
        "value", JSON, step -> values.tree(valueOf(step), DocumentErrorCode.INVALID_PATCH));
  }

  private static @Nullable Object valueOf(PatchOperation step) {
    if (step instanceof PatchOperation.Add add) {
      return add.value();
    } else if (step instanceof PatchOperation.Set set) {
      return set.value();
    }
    return step instanceof PatchOperation.Replace replace
        ? replace.value()
        : ((PatchOperation.Increment) step).by();
  }

  // ---- batches

  private static List<String> membersOf(JsonInput operation) {
    String op = operation.json().path(OP).asText();
    return switch (op) {
      case "create" -> List.of(OP, "item", "indexing");
      case "upsert" -> List.of(OP, "item", "ifMatch", "indexing");
      case "replace" -> List.of(OP, "id", "item", "ifMatch", "indexing");
      case "patch" -> List.of(OP, "id", "operations", "filter", "ifMatch", "indexing");
      case "read", "delete" -> List.of(OP, "id", "ifMatch");
      default ->
          throw operation.fault(
              "%s.op: \"%s\" (expected: create, upsert, replace, read, patch or delete)"
                  .formatted(operation.objectPlace(), JsonInput.excerpt(op)));
    };
  }

  private BatchOperation batchOperation(Members<BatchOperation> m) {
    String op = m.get(OP, TEXT, step -> step.getClass().getSimpleName().toLowerCase(Locale.ROOT));
    return switch (op) {
      case "create" -> new BatchOperation.Create(item(m), options(m));
      case "upsert" -> new BatchOperation.Upsert(item(m), options(m));
      case "replace" -> replace(m);
      case "read" -> new BatchOperation.Read(id(m), options(m));
      case "patch" -> {
        String id = id(m);
        PatchRequest request =
            new PatchRequest(
                m.list("operations", patchOperation, step -> patch(step).operations()),
                m.optional("filter", TEXT, step -> patch(step).options().filter()));
        yield new BatchOperation.Patch(id, request.operations(), request.options(options(m)));
      }
      default -> new BatchOperation.Delete(id(m), options(m));
    };
  }

  private static BatchOperation.Patch patch(BatchOperation step) {
    return (BatchOperation.Patch) step;
  }

  private static String id(Members<BatchOperation> m) {
    return m.get(
        "id",
        TEXT,
        step ->
            step instanceof BatchOperation.Read read
                ? read.id()
                : step instanceof BatchOperation.Delete delete ? delete.id() : patch(step).id());
  }

  private ObjectNode item(Members<BatchOperation> m) {
    return m.get(
        "item",
        OBJECT,
        step ->
            documents.apply(
                step instanceof BatchOperation.Create create
                    ? create.document()
                    : step instanceof BatchOperation.Upsert upsert
                        ? upsert.document()
                        : ((BatchOperation.Replace) step).document()));
  }

  private static WriteOptions options(Members<BatchOperation> m) {
    return new WriteOptions(
        m.optional("ifMatch", VERSIONSTAMP, step -> optionsOf(step).ifMatch()),
        m.get(
            "indexing", DIRECTIVE, step -> optionsOf(step).directive(), IndexingDirective.DEFAULT));
  }

  /** Returns the options of an operation. The directive of reads and deletes has no effect. */
  private static WriteOptions optionsOf(BatchOperation step) {
    if (step instanceof BatchOperation.Create create) {
      return create.options();
    } else if (step instanceof BatchOperation.Upsert upsert) {
      return upsert.options();
    } else if (step instanceof BatchOperation.Replace replace) {
      return replace.options();
    } else if (step instanceof BatchOperation.Patch patch) {
      return new WriteOptions(patch.options().ifMatch(), patch.options().directive());
    }
    return WriteOptions.DEFAULT.withIfMatch(
        step instanceof BatchOperation.Read read
            ? read.options().ifMatch()
            : ((BatchOperation.Delete) step).options().ifMatch());
  }

  /** Returns a replacement, whose item gets the id of the operation. */
  private BatchOperation.Replace replace(Members<BatchOperation> m) {
    ObjectNode item = item(m);
    String id = m.get("id", TEXT, step -> item.path("id").asText());
    JsonNode own = item.get("id");
    if (own != null && !own.equals(item.textNode(id))) {
      throw m.wrong(
          "item.id",
          JsonInput.excerpt(own.toString()),
          "\"" + JsonInput.excerpt(id) + "\", as in the operation");
    }
    return new BatchOperation.Replace(item.put("id", id), options(m));
  }

  // ---- queries

  private Supplier<QueryRequest> query(Members<QueryRequest> m) {
    QueryOptions defaults = QueryOptions.DEFAULT;
    String text = m.get("query", TEXT, request -> request.query().text());
    List<Parameter> parameters = m.list("parameters", PARAMETER, this::parameters);
    Integer maxItemCount =
        m.get(
            "maxItemCount",
            JsonForm.integer(1, 100_000),
            request -> request.options().maxItemCount(),
            defaults.maxItemCount());
    Long maxPageBytes =
        m.get(
            "maxPageBytes",
            JsonForm.whole(1, MAX_PAGE_BYTES),
            request -> Math.min(MAX_PAGE_BYTES, request.options().maxPageBytes()),
            defaults.maxPageBytes());
    String continuation = m.optional("continuation", TEXT, QueryRequest::continuation);
    Explain explain = m.get("explain", EXPLAIN, QueryRequest::explain, Explain.NONE);
    QueryOptions.PlannerMode plannerMode =
        m.get(
            "plannerMode",
            PLANNER_MODE,
            request -> request.options().plannerMode(),
            defaults.plannerMode());
    Boolean forceScan = m.get("forceScan", FLAG, request -> request.options().forceScan(), false);
    Boolean enableScan = m.get("enableScan", FLAG, request -> request.options().enableScan(), true);
    PartitionKey key =
        m.optional(PARTITION, partitionKey, request -> request.options().partitionKey());
    return () -> {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      parameters.forEach(parameter -> values.put(parameter.name, parameter.value));
      QueryOptions options =
          defaults
              .withMaxItemCount(maxItemCount)
              .withMaxPageBytes(maxPageBytes)
              .withContinuation(continuation == null ? "" : continuation)
              .withPlannerMode(plannerMode)
              .withForceScan(forceScan)
              .withEnableScan(enableScan)
              .withExplain(explain == Explain.ALSO)
              .withPartitionKey(key);
      return new QueryRequest(new SqlQuery(text, values, options), explain);
    };
  }

  private List<Parameter> parameters(QueryRequest request) {
    List<Parameter> parameters = new ArrayList<>();
    request
        .query()
        .parameters()
        .forEach(
            (given, value) -> {
              String name = given.startsWith("@") ? given : "@" + given;
              try {
                parameters.add(new Parameter(name, argument(value)));
              } catch (DocumentException e) {
                throw new DocumentException(e.code(), "parameter " + name + ": " + e.detail(), e);
              }
            });
    return parameters;
  }
}
