package io.kvreactive.protocol;

import static io.kvreactive.protocol.JsonForm.FLAG;
import static io.kvreactive.protocol.JsonForm.INT;
import static io.kvreactive.protocol.JsonForm.TEXT;
import static io.kvreactive.protocol.JsonForm.TIME;
import static io.kvreactive.protocol.JsonForm.VERSIONSTAMP;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.BatchResult.Outcome;
import io.kvreactive.documents.BatchResult.Result;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.ItemChanges.Change;
import io.kvreactive.documents.PartitionKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answers with items of a collection.
 *
 * @param <T> the type of the documents
 */
public final class ItemMessages<T> {
  /** A change with the versionstamp of its commit, and its time if it was requested. */
  public record CommittedChange<T>(
      Versionstamp versionstamp, @Nullable Instant time, Change<T> change) {}

  /** A page of changes, which need not be grouped by commit. */
  public record Page<T>(
      List<CommittedChange<T>> changes, Versionstamp continuation, boolean hasMore) {
    /**
     * Returns a page.
     *
     * @param details true for changes with the times of their commits
     */
    public static <T> Page<T> of(ChangePage<T> page, boolean details) {
      return new Page<>(
          page.commits().stream().flatMap(commit -> changesOf(commit, details).stream()).toList(),
          page.continuation(),
          page.hasMore());
    }

    /** Returns the page by commits, whose changes have times. */
    public ChangePage<T> byCommit() {
      Map<Versionstamp, List<CommittedChange<T>>> commits = new LinkedHashMap<>();
      for (CommittedChange<T> each : changes) {
        commits.computeIfAbsent(each.versionstamp, stamp -> new ArrayList<>()).add(each);
      }
      List<ItemChanges<T>> all = new ArrayList<>();
      commits.forEach((stamp, each) -> all.add(commit(stamp, each.get(0).time, each)));
      return new ChangePage<>(all, continuation, hasMore);
    }
  }

  /** An item as it is in answers. */
  public final JsonForm<Item<T>> item;

  public final JsonForm<BatchResult<T>> batchResult;
  public final JsonForm<CommittedChange<T>> change;
  public final JsonForm<Page<T>> changePage;

  /** The changes of one commit; a bookmark has no time. */
  public final JsonForm<ItemChanges<T>> commit;

  /**
   * Creates the answers.
   *
   * @param partitionKey the form of partition keys
   * @param item the form of items, in one direction
   */
  public ItemMessages(JsonForm<PartitionKey> partitionKey, JsonForm<Item<T>> item) {
    this.item = item;
    JsonForm<Result<T>> result =
        JsonForm.object(
            m -> {
              Outcome outcome =
                  m.get(
                      "status",
                      INT.map(ItemMessages::outcome, ItemMessages::status),
                      Result::outcome);
              m.also("etag", VERSIONSTAMP, each -> each.item() == null ? null : each.item().etag());
              Item<T> stored = m.optional("item", item, Result::item);
              return () -> new Result<>(outcome, stored);
            });
    batchResult =
        JsonForm.object(
            m -> {
              Versionstamp stamp = m.get("versionstamp", VERSIONSTAMP, BatchResult::versionstamp);
              List<Result<T>> results = m.list("results", result, BatchResult::results);
              return () -> new BatchResult<>(stamp, results);
            });
    change = JsonForm.object(m -> change(m, partitionKey));
    changePage =
        JsonForm.object(
            m -> {
              List<CommittedChange<T>> changes = m.list("changes", change, Page::changes);
              Versionstamp continuation = m.get("continuation", VERSIONSTAMP, Page::continuation);
              Boolean hasMore = m.get("hasMore", FLAG, Page::hasMore);
              return () -> new Page<>(changes, continuation, hasMore);
            });
    commit =
        JsonForm.object(
            m -> {
              Versionstamp stamp = m.get("versionstamp", VERSIONSTAMP, ItemChanges::versionstamp);
              Instant time = m.optional("millis", TIME, ItemChanges::time);
              List<CommittedChange<T>> changes =
                  m.list("changes", change, each -> changesOf(each, false));
              return () -> commit(stamp, time, changes);
            });
  }

  /** Returns the form of items that are read. */
  public static <T> JsonForm<Item<T>> reading(Function<JsonNode, T> document) {
    return JsonForm.reading(
        in ->
            new Item<>(
                document.apply(in.json()),
                in.json().path("id").asText(),
                Versionstamp.parse(in.json().path("_etag").asText()),
                Instant.ofEpochSecond(in.json().path("_ts").asLong())));
  }

  private static int status(Outcome outcome) {
    return switch (outcome) {
      case CREATED -> 201;
      case REPLACED, READ -> 200;
      case DELETED -> 204;
    };
  }

  /** Returns the outcome; that of a read has the status of a replaced item. */
  private static Outcome outcome(int status) {
    return status == 201 ? Outcome.CREATED : status == 204 ? Outcome.DELETED : Outcome.REPLACED;
  }

  private Supplier<CommittedChange<T>> change(
      Members<CommittedChange<T>> m, JsonForm<PartitionKey> partitionKey) {
    Versionstamp stamp = m.get("versionstamp", VERSIONSTAMP, CommittedChange::versionstamp);
    String type =
        m.get("type", TEXT, each -> each.change instanceof Change.Upsert<T> ? "upsert" : "delete");
    String id = m.get("id", TEXT, each -> each.change.id());
    Item<T> now =
        m.optional(
            "item",
            item,
            each -> each.change instanceof Change.Upsert<T> upsert ? upsert.item() : null);
    PartitionKey partition =
        m.get(
            "partitionKey",
            partitionKey,
            each ->
                each.change instanceof Change.Delete<T> delete
                    ? delete.partitionKey()
                    : PartitionKey.NONE,
            PartitionKey.NONE);
    Boolean isExpired =
        m.get(
            "timeToLiveExpired",
            FLAG,
            each -> each.change instanceof Change.Delete<T> delete && delete.isExpired(),
            false);
    Item<T> previous = m.optional("previous", item, each -> each.change.previous());
    Instant time = m.optional("millis", TIME, CommittedChange::time);
    return () -> {
      if (!type.equals("upsert")) {
        Change<T> delete = new Change.Delete<>(id, partition, previous, isExpired);
        return new CommittedChange<>(stamp, time, delete);
      } else if (now == null) {
        throw m.wrong("item", "nothing", "an item");
      }
      return new CommittedChange<>(stamp, time, new Change.Upsert<>(now, previous));
    };
  }

  /**
   * Returns the changes of a commit.
   *
   * @param details true for changes with the time of the commit
   */
  public static <T> List<CommittedChange<T>> changesOf(ItemChanges<T> commit, boolean details) {
    Instant time = details ? commit.time() : null;
    return commit.changes().stream()
        .map(change -> new CommittedChange<>(commit.versionstamp(), time, change))
        .toList();
  }

  private static <T> ItemChanges<T> commit(
      Versionstamp stamp, @Nullable Instant time, List<CommittedChange<T>> changes) {
    return new ItemChanges<>(
        stamp,
        time == null ? Instant.now() : time,
        changes.stream().map(CommittedChange::change).toList());
  }
}
