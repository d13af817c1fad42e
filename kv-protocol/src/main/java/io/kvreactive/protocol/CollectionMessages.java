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
            long done = m.get("done", WHOLE, Job::done);
            long total = m.get("total", WHOLE, Job::total);
            Instant startedAt = m.get("startedAt", TIME, Job::startedAt);
            String definition = m.optional("definition", TEXT, Job::definition);
            m.also("etaSeconds", WHOLE, CollectionMessages::remainingSeconds);
            String error = m.optional("error", TEXT, Job::error);
            return new Job(index, state, done, total, startedAt, error, definition);
          });

  /** The progress of index builds. */
  public static final JsonForm<TransformationProgress> TRANSFORMATION =
      JsonForm.object(
          m -> {
            m.also("done", FLAG, TransformationProgress::isComplete);
            int percent = m.get("percent", INT, TransformationProgress::percent);
            int version = m.get("policyVersion", INT, TransformationProgress::policyVersion);
            return new TransformationProgress(
                version, percent, m.list("jobs", JOB, TransformationProgress::jobs));
          });

  /** The members of a collection besides those of its definition. */
  private static final JsonForm<CollectionInfo> STATE =
      JsonForm.object(
          m -> {
            String name = m.get("name", TEXT, CollectionInfo::name);
            int version = m.get("policyVersion", INT, CollectionInfo::policyVersion);
            Versionstamp etag = m.get("etag", VERSIONSTAMP, CollectionInfo::etag);
            int percent =
                m.get("indexTransformationProgress", INT, info -> info.transformation().percent());
            List<Job> jobs =
                m.list("indexTransformation", JOB, info -> info.transformation().jobs());
            TransformationProgress progress = new TransformationProgress(version, percent, jobs);
            return new CollectionInfo(name, CollectionDefinition.DEFAULT, version, etag, progress);
          });

  /** A collection: the members of its definition, and its state. */
  public static final JsonForm<CollectionInfo> COLLECTION =
      JsonForm.of(CollectionMessages::read, CollectionMessages::write);

  public static final JsonForm<List<CollectionInfo>> COLLECTIONS =
      JsonForm.object(m -> m.list("collections", COLLECTION, all -> all));

  private static final JsonForm<IndexSize> INDEX_SIZE =
      JsonForm.object(
          m -> {
            String index = m.get("index", TEXT, IndexSize::index);
            long entries = m.get("entries", WHOLE, IndexSize::entries);
            long bytes = m.get("bytes", WHOLE, IndexSize::bytes);
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
            return new IndexSize(
                index, entries, bytes, orZero(memory), orZero(vectors), ready, definition);
          });

  private static final JsonForm<CollectionSizes> SIZES =
      JsonForm.object(
          m ->
              new CollectionSizes(
                  m.get("items", WHOLE, CollectionSizes::items),
                  m.get("dataBytes", WHOLE, CollectionSizes::dataBytes),
                  m.get("indexBytes", WHOLE, CollectionSizes::indexBytes),
                  m.get("reclaimableBytes", WHOLE, CollectionSizes::reclaimableBytes),
                  m.list("indexes", INDEX_SIZE, CollectionSizes::indexes),
                  m.get("furtherPaths", WHOLE, CollectionSizes::furtherPaths)));

  /** The sizes among the other members of a collection. */
  public static final JsonForm<CollectionSizes> SIZES_OF_COLLECTION =
      JsonForm.object(m -> m.get("sizes", SIZES, sizes -> sizes));

  /** The versionstamp of a commit. */
  public static final JsonForm<Versionstamp> COMMITTED =
      JsonForm.object(m -> m.get("versionstamp", VERSIONSTAMP, stamp -> stamp));

  public static final JsonForm<DeleteProgress> DELETED =
      JsonForm.object(
          m -> {
            long deleted = m.get("deleted", WHOLE, DeleteProgress::deleted);
            long changed = m.get("changed", WHOLE, DeleteProgress::changed);
            Duration elapsed = m.get("elapsedMs", MILLIS, DeleteProgress::elapsed);
            return new DeleteProgress(
                deleted,
                changed,
                m.optional("versionstamp", VERSIONSTAMP, DeleteProgress::versionstamp),
                elapsed);
          });

  // ---- groups of change processors

  /** A request to create a group. */
  public record NewGroup(int ranges, @Nullable Versionstamp since) {}

  private static final int DEFAULT_RANGES = 8;
  private static final int MAX_MEMBER_CHARS = 255;

  public static final JsonForm<NewGroup> NEW_GROUP =
      JsonForm.object(
          m ->
              new NewGroup(
                  m.get(
                      "ranges",
                      JsonForm.integer(1, FeedRange.MAX_COUNT),
                      NewGroup::ranges,
                      DEFAULT_RANGES),
                  m.optional("since", VERSIONSTAMP, NewGroup::since)));

  public static final JsonForm<Lease> LEASE =
      JsonForm.object(
          m ->
              new Lease(
                  m.get("range", INT, Lease::range),
                  m.get("versionstamp", VERSIONSTAMP, Lease::versionstamp),
                  m.nullable("owner", TEXT, Lease::owner),
                  m.nullable("wanted", TEXT, Lease::wanted),
                  m.get("continuation", VERSIONSTAMP, Lease::continuation)));

  public static final JsonForm<List<Lease>> LEASES =
      JsonForm.object(m -> m.list("leases", LEASE, all -> all));

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
          m ->
              new Lease(
                  0,
                  Versionstamp.ZERO,
                  m.nullable("owner", MEMBER, Lease::owner),
                  m.nullable("wanted", MEMBER, Lease::wanted),
                  m.get("continuation", VERSIONSTAMP, Lease::continuation)));

  // ---- queries

  private static final JsonForm<Duration> FRACTION_MILLIS =
      DOUBLE.map(
          millis -> Duration.ofNanos(Math.round(millis * NANOS_PER_MILLI)),
          time -> time.toNanos() / NANOS_PER_MILLI);

  /** The cost of a page. The counts of vectors are those of a vector index. */
  private static final JsonForm<QueryMetrics> METRICS =
      JsonForm.object(
          m -> {
            long entriesRead = m.get("entriesRead", WHOLE, QueryMetrics::entriesRead);
            long items = m.get("retrievedItems", WHOLE, QueryMetrics::retrievedItems);
            long bytes = m.get("retrievedBytes", WHOLE, QueryMetrics::retrievedBytes);
            Long candidates =
                m.optional(
                    "candidates",
                    WHOLE,
                    cost -> cost.rankedVectors() > 0 ? cost.candidates() : null);
            long ranked = m.get("rankedVectors", WHOLE, QueryMetrics::rankedVectors, 0L);
            long outputItems = m.get("outputItems", WHOLE, QueryMetrics::outputItems);
            m.also("indexHitRatio", DOUBLE, QueryMetrics::indexHitRatio);
            return new QueryMetrics(
                entriesRead,
                items,
                bytes,
                orZero(candidates),
                ranked,
                outputItems,
                m.get("compileMs", FRACTION_MILLIS, QueryMetrics::compileTime),
                m.get("totalMs", FRACTION_MILLIS, QueryMetrics::totalTime));
          });

  public static final JsonForm<Explanation> EXPLANATION =
      JsonForm.object(
          m ->
              new Explanation(
                  m.get("plan", OBJECT, Explanation::plan),
                  m.get("indexMetrics", OBJECT, Explanation::indexMetrics),
                  m.optional("operators", OBJECT, Explanation::operators)));

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
        m ->
            new QueryPage<>(
                m.list("items", row, QueryPage::items),
                m.nullable("continuation", TEXT, QueryPage::continuation),
                m.get("versionstamp", VERSIONSTAMP, QueryPage::snapshot),
                m.get("metrics", METRICS, QueryPage::metrics),
                explanation(m)));
  }

  /** Returns the explanation of a page, whose members are those of the page. */
  private static <R> @Nullable Explanation explanation(Members<QueryPage<R>> m) {
    ObjectNode plan = m.optional("plan", OBJECT, page -> explained(page, Explanation::plan));
    ObjectNode indexMetrics =
        m.optional("indexMetrics", OBJECT, page -> explained(page, Explanation::indexMetrics));
    ObjectNode operators =
        m.optional("operators", OBJECT, page -> explained(page, Explanation::operators));
    return plan == null || indexMetrics == null
        ? null
        : new Explanation(plan, indexMetrics, operators);
  }

  private static @Nullable ObjectNode explained(
      QueryPage<?> page, Function<Explanation, @Nullable ObjectNode> part) {
    Explanation explanation = page.explanation();
    return explanation == null ? null : part.apply(explanation);
  }
}
