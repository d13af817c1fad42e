package io.kvreactive.web.internal.stream;

import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.json.KvJsonWriter;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.internal.collections.ServerMessages;
import io.kvreactive.web.internal.http.Problem;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.RowText;
import io.kvreactive.web.internal.rest.StrictJson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames of the server, one at a time, into a buffer that all connections of an event
 * loop share. Not thread-safe.
 */
final class FrameWriter {
  private final KvJsonWriter json = new KvJsonWriter();
  private final DataWriter data = new DataWriter(json);
  private boolean first;

  /** Returns the number of bytes of the current frame. */
  int length() {
    return json.length();
  }

  /** Returns the current frame as text. */
  String text() {
    return json.toString();
  }

  private void begin(long id, String type) {
    json.reset();
    json.raw("{\"id\":").number(id).raw(",\"type\":\"").raw(type).raw("\"");
  }

  private void array(String name) {
    json.raw(",\"").raw(name).raw("\":[");
    first = true;
  }

  private void comma() {
    if (!first) {
      json.raw(",");
    }
    first = false;
  }

  private void stamp(String name, @Nullable Versionstamp stamp) {
    if (stamp != null) {
      json.raw(",\"").raw(name).raw("\":").versionstamp(stamp);
    }
  }

  // ---- entries

  void beginEntries(long id) {
    begin(id, "entries");
    array("entries");
  }

  void beginState(long id) {
    begin(id, "state");
    array("entries");
  }

  void entry(StoredEntry entry) {
    comma();
    data.entry(entry);
  }

  void entry(KvEntry<KvValue> entry) {
    comma();
    data.entry(entry);
  }

  void absent(KvKey key) {
    comma();
    data.absent(key.bytes());
  }

  /**
   * Ends a frame of entries.
   *
   * @param snapshot the version of the entries, or null
   * @param cursor the position after the last entry, or null
   */
  void endEntries(@Nullable Versionstamp snapshot, @Nullable String cursor) {
    json.raw("]");
    endAt(snapshot, cursor);
  }

  private void endAt(@Nullable Versionstamp stamp, @Nullable String cursor) {
    stamp("versionstamp", stamp);
    if (cursor != null) {
      json.raw(",\"cursor\":").string(cursor);
    }
    json.raw("}");
  }

  // ---- queries

  void beginRows(long id) {
    begin(id, "rows");
    array("rows");
  }

  /**
   * Adds a row.
   *
   * @param row the row as JSON in ASCII characters
   */
  void row(@Nullable String row) {
    comma();
    json.raw(row == null ? "null" : row);
  }

  void endRows() {
    json.raw("]}");
  }

  /**
   * Writes a change of the rows of a watched query.
   *
   * @param row the row as JSON in ASCII characters; null if the update has none
   */
  void queryUpdate(long id, QueryUpdate<?> update, @Nullable String row) {
    if (update instanceof QueryUpdate.Synced<?> synced) {
      at(id, "listed", synced.versionstamp());
    } else if (update instanceof QueryUpdate.Insert<?> in) {
      update(id, "insert", in.id(), in.partitionKey(), in.versionstamp(), row);
    } else if (update instanceof QueryUpdate.Update<?> up) {
      update(id, "update", up.id(), up.partitionKey(), up.versionstamp(), row);
    } else if (update instanceof QueryUpdate.Remove<?> out) {
      update(id, "remove", out.id(), out.partitionKey(), out.versionstamp(), null);
    }
  }

  private void update(
      long id,
      String type,
      String item,
      PartitionKey partition,
      Versionstamp stamp,
      @Nullable String row) {
    begin(id, type);
    json.raw(",\"item\":").string(item);
    partition(partition);
    stamp("versionstamp", stamp);
    if (row != null) {
      json.raw(",\"row\":").raw(row);
    }
    json.raw("}");
  }

  // ---- changes

  void commit(long id, KvCommit<KvValue> commit) {
    begin(id, "commit");
    json.raw(",");
    data.members(commit);
    json.raw("}");
  }

  /** Writes a commit to a collection. */
  void itemChanges(long id, ItemChanges<RowText.Ascii> commit) {
    begin(id, "commit");
    stamp("versionstamp", commit.versionstamp());
    json.raw(",\"millis\":").number(commit.time().toEpochMilli());
    array("changes");
    for (ItemChanges.Change<RowText.Ascii> change : commit.changes()) {
      comma();
      change(commit.versionstamp(), change);
    }
    json.raw("]}");
  }

  private void change(Versionstamp stamp, ItemChanges.Change<RowText.Ascii> change) {
    json.raw("{\"versionstamp\":").versionstamp(stamp);
    if (change instanceof ItemChanges.Change.Upsert<RowText.Ascii> upsert) {
      json.raw(",\"type\":\"upsert\",\"id\":").string(upsert.id());
      json.raw(",\"item\":").raw(upsert.item().value().json());
    } else if (change instanceof ItemChanges.Change.Delete<RowText.Ascii> delete) {
      json.raw(",\"type\":\"delete\",\"id\":").string(delete.id());
      partition(delete.partitionKey());
      if (delete.isExpired()) {
        json.raw(",\"timeToLiveExpired\":true");
      }
    }
    Item<RowText.Ascii> previous = change.previous();
    if (previous != null) {
      json.raw(",\"previous\":").raw(previous.value().json());
    }
    json.raw("}");
  }

  private void partition(PartitionKey partition) {
    if (!partition.values().isEmpty()) {
      json.raw(",\"partitionKey\":")
          .raw(StrictJson.ascii(ServerMessages.REQUESTS.partitionKey.write(partition)));
    }
  }

  // ---- other frames

  void at(long id, String type, Versionstamp stamp) {
    begin(id, type);
    endAt(stamp, null);
  }

  /**
   * Writes the end of a subscription.
   *
   * @param versionstamp the version from which to continue, or null
   * @param cursor the position from which to continue, or null
   */
  void end(long id, @Nullable Versionstamp versionstamp, @Nullable String cursor) {
    begin(id, "end");
    endAt(versionstamp, cursor);
  }

  /**
   * Writes an error.
   *
   * @param id the id of the subscription; null if the error concerns none
   * @param versionstamp the version from which to resume, or null
   */
  void error(
      @Nullable Long id, Problem problem, String requestId, @Nullable Versionstamp versionstamp) {
    json.reset();
    json.raw("{");
    if (id != null) {
      json.raw("\"id\":").number(id).raw(",");
    }
    json.raw("\"type\":\"error\",\"status\":").number(problem.status());
    json.raw(",\"code\":").string(problem.code());
    json.raw(",\"detail\":").string(problem.detail());
    json.raw(",\"retryable\":").raw(String.valueOf(problem.retryable()));
    json.raw(",\"requestId\":").string(requestId);
    if (problem.place() != null) {
      json.raw(",\"errors\":[").raw(StrictJson.ascii(problem.place())).raw("]");
    }
    Integer failedOperation = problem.failedOperation();
    if (failedOperation != null) {
      json.raw(",\"failedOperation\":").number(failedOperation);
    }
    Problem.Compacted compacted = problem.compacted();
    if (compacted != null) {
      stamp("since", compacted.since());
      stamp("oldest", compacted.oldest());
      json.raw(",\"lost\":").raw(String.valueOf(compacted.isLost()));
    }
    stamp("versionstamp", versionstamp);
    json.raw("}");
  }

  /**
   * Writes the answer to a write.
   *
   * @param members an object as JSON in ASCII characters, without its first character
   */
  void answer(long id, String type, String members) {
    begin(id, type);
    json.raw(",").raw(members);
  }

  /**
   * Writes the answer to a ping.
   *
   * @param withoutCredit the ids of the subscriptions that wait for credit
   */
  void pong(List<Long> withoutCredit) {
    json.reset();
    json.raw("{\"type\":\"pong\"");
    for (int i = 0; i < withoutCredit.size(); i++) {
      json.raw(i == 0 ? ",\"withoutCredit\":[" : ",").number(withoutCredit.get(i));
    }
    json.raw(withoutCredit.isEmpty() ? "}" : "]}");
  }

  /**
   * Writes the frame that announces the end of the connection.
   *
   * @param resume the version from which each feed can resume, by the id of the subscription
   */
  void goingAway(long retryAfterMillis, Map<Long, Versionstamp> resume) {
    json.reset();
    json.raw("{\"type\":\"goingAway\",\"retryAfterMs\":").number(retryAfterMillis);
    json.raw(",\"resume\":{");
    first = true;
    resume.forEach(
        (id, stamp) -> {
          comma();
          json.raw("\"").number(id).raw("\":").versionstamp(stamp);
        });
    json.raw("}}");
  }
}
