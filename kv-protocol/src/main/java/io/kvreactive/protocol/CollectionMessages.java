package io.kvreactive.protocol;

import static io.kvreactive.protocol.JsonForm.DOUBLE;
import static io.kvreactive.protocol.JsonForm.FLAG;
import static io.kvreactive.protocol.JsonForm.INT;
import static io.kvreactive.protocol.JsonForm.MILLIS;
import static io.kvreactive.protocol.JsonForm.OBJECT;
import static io.kvreactive.protocol.JsonForm.TEXT;
import static io.kvreactive.protocol.JsonForm.TIME;
import static io.kvreactive.protocol.JsonForm.VERSIONSTAMP;
import static io.kvreactive.protocol.JsonForm.WHOLE;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeGroup.Lease;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.CollectionSizes;
import io.kvreactive.documents.CollectionSizes.IndexSize;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DeleteProgress;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.IndexState;
import io.kvreactive.documents.QueryMetrics;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.TransformationProgress;
import io.kvreactive.documents.TransformationProgress.Job;
import io.kvreactive.json.JsonSyntax;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The descriptions of collections, their jobs and their groups of change processors. */
public final class CollectionMessages {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final JsonMapper MAPPER = JsonSyntax.mapper();

  // ---- definitions

  private static final JsonForm<Job> JOB =
      JsonForm.object(
          m -> {
            String index = m.get("index", TEXT, Job::index);
            IndexState state =
                m.get("state", TEXT.map(IndexState::valueOf, IndexState::name), Job::state);
            Long done = m.get("done", WHOLE, Job::done);
            Long total = m.get("total", WHOLE, Job::total);
            Instant startedAt = m.get("startedAt", TIME, Job::startedAt);
            String definition = m.optional("definition", TEXT, Job::definition);
            m.also("etaSeconds", WHOLE, CollectionMessages::remainingSeconds);
            String error = m.optional("error", TEXT, Job::error);
            return () -> new Job(index, state, done, total, startedAt, error, definition);
          });

  /** The progress of index builds. */
  public static final JsonForm<TransformationProgress> TRANSFORMATION =
      JsonForm.object(
          m -> {
            m.also("done", FLAG, TransformationProgress::isComplete);
            Integer percent = m.get("percent", INT, TransformationProgress::percent);
            Integer version = m.get("policyVersion", INT, TransformationProgress::policyVersion);
            List<Job> jobs = m.list("jobs", JOB, TransformationProgress::jobs);
            return () -> new TransformationProgress(version, percent, jobs);
          });

  /** The members of a collection besides those of its definition. */
  private static final JsonForm<CollectionInfo> STATE =
      JsonForm.object(
          m -> {
            String name = m.get("name", TEXT, CollectionInfo::name);
            Integer version = m.get("policyVersion", INT, CollectionInfo::policyVersion);
            Versionstamp etag = m.get("etag", VERSIONSTAMP, CollectionInfo::etag);
            Integer percent =
                m.get("indexTransformationProgress", INT, info -> info.transformation().percent());
            List<Job> jobs =
                m.list("indexTransformation", JOB, info -> info.transformation().jobs());
            return () ->
                new CollectionInfo(
                    name,
                    CollectionDefinition.DEFAULT,
                    version,
                    etag,
                    new TransformationProgress(version, percent, jobs));
          });

  /** A collection: the members of its definition, and its state. */
  public static final JsonForm<CollectionInfo> COLLECTION =
      JsonForm.of(CollectionMessages::read, CollectionMessages::write);

  public static final JsonForm<List<CollectionInfo>> COLLECTIONS =
      JsonForm.member("collections", JsonForm.list(COLLECTION));

  private static final JsonForm<IndexSize> INDEX_SIZE =
      JsonForm.object(
          m -> {
            String index = m.get("index", TEXT, IndexSize::index);
            Long entries = m.get("entries", WHOLE, IndexSize::entries);
            Long bytes = m.get("bytes", WHOLE, IndexSize::bytes);
            String definition = m.optional("definition", TEXT, IndexSize::definition);
            Boolean ready = m.optional("ready", FLAG, IndexSize::ready);
            Long vectors =
                m.optional(
                    "vectorsInMemory",
                    WHOLE,
                    size -> size.ready() == null ? null : size.vectorsInMemory());
            Long memory =
                m.optional(
                    "memoryBytes", WHOLE, size -> size.ready() == null ? null : size.memoryBytes());
            return () ->
                new IndexSize(
                    index, entries, bytes, orZero(memory), orZero(vectors), ready, definition);
          });

  private static final JsonForm<CollectionSizes> SIZES =
      JsonForm.object(
          m -> {
            Long items = m.get("items", WHOLE, CollectionSizes::items);
            Long data = m.get("dataBytes", WHOLE, CollectionSizes::dataBytes);
            Long index = m.get("indexBytes", WHOLE, CollectionSizes::indexBytes);
            Long reclaimable = m.get("reclaimableBytes", WHOLE, CollectionSizes::reclaimableBytes);
            List<IndexSize> indexes = m.list("indexes", INDEX_SIZE, CollectionSizes::indexes);
            Long further = m.get("furtherPaths", WHOLE, CollectionSizes::furtherPaths);
            return () -> new CollectionSizes(items, data, index, reclaimable, indexes, further);
          });

  /** The sizes among the other members of a collection. */
  public static final JsonForm<CollectionSizes> SIZES_OF_COLLECTION =
      JsonForm.member("sizes", SIZES);

  /** The versionstamp of a commit. */
  public static final JsonForm<Versionstamp> COMMITTED =
      JsonForm.member("versionstamp", VERSIONSTAMP);

  public static final JsonForm<DeleteProgress> DELETED =
      JsonForm.object(
          m -> {
            Long deleted = m.get("deleted", WHOLE, DeleteProgress::deleted);
            Long changed = m.get("changed", WHOLE, DeleteProgress::changed);
            Duration elapsed = m.get("elapsedMs", MILLIS, DeleteProgress::elapsed);
            Versionstamp stamp =
                m.optional("versionstamp", VERSIONSTAMP, DeleteProgress::versionstamp);
            return () -> new DeleteProgress(deleted, changed, stamp, elapsed);
          });

  // ---- groups of change processors

  /** A request to create a group. */
  public record NewGroup(int ranges, @Nullable Versionstamp since) {}

  private static final int DEFAULT_RANGES = 8;
  private static final int MAX_MEMBER_CHARS = 255;

  public static final JsonForm<NewGroup> NEW_GROUP =
      JsonForm.object(
          m -> {
            Integer ranges =
                m.get(
                    "ranges",
                    JsonForm.integer(1, FeedRange.MAX_COUNT),
                    NewGroup::ranges,
                    DEFAULT_RANGES);
            Versionstamp since = m.optional("since", VERSIONSTAMP, NewGroup::since);
            return () -> new NewGroup(ranges, since);
          });

  public static final JsonForm<Lease> LEASE =
      JsonForm.object(
          m -> {
            Integer range = m.get("range", INT, Lease::range);
            Versionstamp stamp = m.get("versionstamp", VERSIONSTAMP, Lease::versionstamp);
            String owner = m.nullable("owner", TEXT, Lease::owner);
            String wanted = m.nullable("wanted", TEXT, Lease::wanted);
            Versionstamp continuation = m.get("continuation", VERSIONSTAMP, Lease::continuation);
            return () -> new Lease(range, stamp, owner, wanted, continuation);
          });

  public static final JsonForm<List<Lease>> LEASES =
      JsonForm.member("leases", JsonForm.list(LEASE));

  private static final JsonForm<String> MEMBER =
      JsonForm.of(
          in -> {
            String id = TEXT.read(in);
            if (id.isEmpty() || id.length() > MAX_MEMBER_CHARS) {
              throw in.fault(
                  "%s: \"%s\" (expected: 1 to %d characters, or null)"
                      .formatted(in.place(), JsonInput.excerpt(id), MAX_MEMBER_CHARS));
            }
            return id;
          },
          TEXT::write);

  /**
   * A request to replace a lease, whose range is in the path and whose versionstamp is the
   * condition: both are 0 when it is read.
   */
  public static final JsonForm<Lease> NEW_LEASE =
      JsonForm.object(
          m -> {
            String owner = m.nullable("owner", MEMBER, Lease::owner);
            String wanted = m.nullable("wanted", MEMBER, Lease::wanted);
            Versionstamp continuation = m.get("continuation", VERSIONSTAMP, Lease::continuation);
            return () -> new Lease(0, Versionstamp.ZERO, owner, wanted, continuation);
          });

  // ---- queries

  private static final JsonForm<Duration> FRACTION_MILLIS =
      DOUBLE.map(
          millis -> Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)),
          time -> time.toNanos() / NANOS_PER_MILLI);

  /** The cost of a page. The counts of vectors are those of a vector index. */
  private static final JsonForm<QueryMetrics> METRICS =
      JsonForm.object(
          m -> {
            Long entriesRead = m.get("entriesRead", WHOLE, QueryMetrics::entriesRead);
            Long items = m.get("retrievedItems", WHOLE, QueryMetrics::retrievedItems);
            Long bytes = m.get("retrievedBytes", WHOLE, QueryMetrics::retrievedBytes);
            Long candidates =
                m.optional(
                    "candidates",
                    WHOLE,
                    cost -> cost.rankedVectors() > 0 ? cost.candidates() : null);
            Long ranked = m.get("rankedVectors", WHOLE, QueryMetrics::rankedVectors, 0L);
            Long outputItems = m.get("outputItems", WHOLE, QueryMetrics::outputItems);
            m.also("indexHitRatio", DOUBLE, QueryMetrics::indexHitRatio);
            Duration compile = m.get("compileMs", FRACTION_MILLIS, QueryMetrics::compileTime);
            Duration whole = m.get("totalMs", FRACTION_MILLIS, QueryMetrics::totalTime);
            return () ->
                new QueryMetrics(
                    entriesRead,
                    items,
                    bytes,
                    orZero(candidates),
                    ranked,
                    outputItems,
                    compile,
                    whole);
          });

  public static final JsonForm<Explanation> EXPLANATION =
      JsonForm.object(
          m -> {
            ObjectNode plan = m.get("plan", OBJECT, Explanation::plan);
            ObjectNode metrics = m.get("indexMetrics", OBJECT, Explanation::indexMetrics);
            ObjectNode operators = m.optional("operators", OBJECT, Explanation::operators);
            return () -> new Explanation(plan, metrics, operators);
          });

  private CollectionMessages() {}

  private static CollectionInfo read(JsonInput in) {
    CollectionInfo state = STATE.read(in);
    return new CollectionInfo(
        state.name(),
        Definitions.parse(in.json().toString()),
        state.policyVersion(),
        state.etag(),
        state.transformation());
  }

  private static ObjectNode write(CollectionInfo info) {
    try {
      ObjectNode json = MAPPER.createObjectNode().put("name", info.name());
      json.setAll((ObjectNode) MAPPER.readTree(Definitions.toJson(info.definition())));
      return json.setAll(STATE.writeObject(info));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a definition without JSON", e);
    }
  }

  private static @Nullable Long remainingSeconds(Job job) {
    Duration remaining = job.remaining(Instant.now());
    return remaining == null ? null : remaining.toSeconds();
  }

  private static long orZero(@Nullable Long number) {
    return number == null ? 0 : number;
  }

  /** Returns a page of rows with a form. */
  public static <R> JsonForm<QueryPage<R>> page(JsonForm<R> row) {
    return JsonForm.object(
        m -> {
          List<R> items = m.list("items", row, QueryPage::items);
          String continuation = m.nullable("continuation", TEXT, QueryPage::continuation);
          Versionstamp snapshot = m.get("versionstamp", VERSIONSTAMP, QueryPage::snapshot);
          QueryMetrics metrics = m.get("metrics", METRICS, QueryPage::metrics);
          Supplier<@Nullable Explanation> explanation = explanation(m);
          return () -> new QueryPage<>(items, continuation, snapshot, metrics, explanation.get());
        });
  }

  /** Returns the explanation of a page, whose members are those of the page. */
  private static <R> Supplier<@Nullable Explanation> explanation(Members<QueryPage<R>> m) {
    ObjectNode plan = m.optional("plan", OBJECT, page -> explained(page, Explanation::plan));
    ObjectNode indexMetrics =
        m.optional("indexMetrics", OBJECT, page -> explained(page, Explanation::indexMetrics));
    ObjectNode operators =
        m.optional("operators", OBJECT, page -> explained(page, Explanation::operators));
    return () ->
        plan == null || indexMetrics == null
            ? null
            : new Explanation(plan, indexMetrics, operators);
  }

  private static @Nullable ObjectNode explained(
      QueryPage<?> page, Function<Explanation, @Nullable ObjectNode> part) {
    Explanation explanation = page.explanation();
    return explanation == null ? null : part.apply(explanation);
  }
}
