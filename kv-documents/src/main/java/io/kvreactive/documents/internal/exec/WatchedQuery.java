package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.PartitionPrefix;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.eval.Row;
import io.kvreactive.documents.internal.sql.SqlErrors;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * A watched query: remembers the items with a row, and derives the row updates from the changes of
 * items. For one subscription.
 */
final class WatchedQuery {
  private final QueryProgram program;
  private final PreparedQuery items;
  private final CollectionMetadataCache metadataCache;
  private final DocumentStoreOptions options;
  private final QueryBudget budget;
  private final @Nullable PartitionKey partitionKey;
  private final Roaring64Bitmap yielded = new Roaring64Bitmap();

  /**
   * Creates a watched query.
   *
   * @param partitionKey the partition key of the watched items; null for all
   * @throws QueryException INVALID_QUERY if a row does not belong to exactly one item
   */
  WatchedQuery(
      PreparedQuery prepared,
      CollectionMetadataCache metadataCache,
      DocumentStoreOptions options,
      QueryBudget budget,
      @Nullable PartitionKey partitionKey) {
    this.partitionKey = partitionKey;
    this.program = prepared.program();
    this.metadataCache = metadataCache;
    this.options = options;
    this.budget = budget;
    Query query = program.query();
    Query.Source.Path source = query.itemSource();
    if (source == null
        || program.isAggregate()
        || program.isDistinct()
        || query.select().top() != null
        || query.offset() != null) {
      throw SqlErrors.meaning(
          "A query can only be watched when each of its rows belongs to one item: FROM the"
              + " collection, without JOIN, GROUP BY, aggregates, DISTINCT, TOP and OFFSET.",
          query.span());
    }
    Expr item = new Expr.Identifier(source.alias(), query.span());
    this.items =
        new PreparedQuery(
            Query.ofValue(item, query.from(), query.where(), query.orderBy(), query.span()));
  }

  /** Returns the query that emits the items of the rows. */
  PreparedQuery items() {
    return items;
  }

  /** Returns the update for an existing item, or null if the item gives no row. */
  @Nullable QueryUpdate<JsonNode> existing(
      CollectionMetadata metadata, RowCursor.NumberedRow found) {
    JsonNode document = found.value();
    long docId = found.out().docId();
    JsonNode row = row(metadata, document, docId);
    if (row == null) {
      return null;
    }
    yielded.addLong(docId);
    return new QueryUpdate.Insert<>(
        id(document),
        partition(metadata, document),
        row,
        Versionstamp.parse(document.path(StoredItem.ETAG).asText()));
  }

  /** Returns the row updates of a commit. */
  List<QueryUpdate<JsonNode>> updates(CollectionMetadata metadata, CommittedChanges commit) {
    List<QueryUpdate<JsonNode>> updates = new ArrayList<>();
    byte[] deleted = metadata.keys().deleted();
    for (StoredChange change : commit.changes()) {
      if (change.kind() == StoredChange.Kind.DELETE_RANGE) {
        throw new DocumentException(
            DocumentErrorCode.COLLECTION_NOT_FOUND,
            "collection \"" + metadataCache.name() + "\" was dropped");
      }
      if (change.value() == null) {
        continue;
      }
      if (Arrays.equals(change.key(), deleted)) {
        List<QueryUpdate<JsonNode>> gone = new ArrayList<>();
        removals(Json.parse(change.value().bytes()), commit.versionstamp(), gone);
        updates.addAll(0, gone); // before the insertion that replaces an expired item
      } else {
        long docId = metadata.keys().docIdOfItem(change.key());
        StoredItem item =
            StoredItem.decode(change.value().bytes(), commit.versionstamp())
                .computing(metadata.computed());
        QueryUpdate<JsonNode> update = update(metadata, docId, item);
        if (update != null) {
          updates.add(update);
        }
      }
    }
    return updates;
  }

  private @Nullable QueryUpdate<JsonNode> update(
      CollectionMetadata metadata, long docId, StoredItem item) {
    JsonNode document = item.document();
    JsonNode row = isWatched(metadata, document) ? row(metadata, document, docId) : null;
    boolean known = yielded.contains(docId);
    if (row != null && known) {
      return new QueryUpdate.Update<>(
          id(document), partition(metadata, document), row, item.etag());
    }
    if (row != null) {
      yielded.addLong(docId);
      return new QueryUpdate.Insert<>(
          id(document), partition(metadata, document), row, item.etag());
    }
    if (known) {
      yielded.removeLong(docId);
      return new QueryUpdate.Remove<>(id(document), partition(metadata, document), item.etag());
    }
    return null;
  }

  private boolean isWatched(CollectionMetadata metadata, JsonNode document) {
    PartitionPrefix partition = PartitionPrefix.of(partitionKey, metadata);
    return partition == null || partition.contains(document);
  }

  private void removals(
      JsonNode records, Versionstamp versionstamp, List<QueryUpdate<JsonNode>> updates) {
    for (JsonNode record : records) {
      long docId = record.path("docId").longValue();
      if (yielded.contains(docId)) {
        yielded.removeLong(docId);
        List<JsonNode> partition = new ArrayList<>();
        record.path("partition").forEach(partition::add);
        updates.add(
            new QueryUpdate.Remove<>(
                record.path("id").asText(), partition(partition), versionstamp));
      }
    }
  }

  /** Returns the row of an item, or null if the query yields none. */
  private @Nullable JsonNode row(CollectionMetadata metadata, JsonNode document, long docId) {
    ItemContext context =
        ItemContext.of(metadata.definition(), options.clock(), options.clock().instant(), docId);
    budget.renew();
    Iterator<Row> rows = program.expand(document, context, budget);
    if (!rows.hasNext()) {
      return null;
    }
    Row found = rows.next();
    JsonNode row = program.project(found);
    return row.isMissingNode() || program.isAbsent(program.orderKeys(found)) ? null : row;
  }

  private static String id(JsonNode document) {
    return document.path("id").asText();
  }

  private static PartitionKey partition(CollectionMetadata metadata, JsonNode document) {
    return partition(
        metadata.writeLayout().partitionKey().stream().map(path -> path.in(document)).toList());
  }

  private static PartitionKey partition(List<JsonNode> values) {
    List<@Nullable Object> plain = new ArrayList<>();
    for (JsonNode value : values) {
      plain.add(Values.scalar(value));
    }
    return new PartitionKey(plain);
  }
}
