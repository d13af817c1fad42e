package io.kvreactive.postgres.internal;

import io.kvreactive.KvValue.Encoding;
import io.kvreactive.postgres.internal.GroupEvaluator.Cell;
import io.kvreactive.postgres.internal.GroupEvaluator.Change;
import io.kvreactive.postgres.internal.GroupEvaluator.Message;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The second round trip of a group of commits: writes the rows that its evaluation has given. */
final class GroupPublication {
  /** The first number of the keys of a deleted range among the changes of their commit. */
  private static final long RANGE_NUMBERS = 1L << 32;

  private GroupPublication() {}

  /**
   * Sends the statements, in the transaction in which the rows were read.
   *
   * @param id of the group
   */
  static List<Future<?>> send(
      PgConnection own, PostgresSql sql, GroupEvaluator evaluator, UUID id) {
    List<Future<?>> sent = new ArrayList<>();
    long n = RANGE_NUMBERS;
    for (Map.Entry<byte[], byte[]> range : evaluator.deletedRanges.asMap().entrySet()) {
      Tuple parameters =
          Tuple.of(
              Buffer.buffer(range.getKey()),
              Buffer.buffer(range.getValue()),
              evaluator.version(),
              n,
              evaluator.now);
      sent.add(own.preparedQuery(sql.deleteRange).execute(parameters));
      n += RANGE_NUMBERS;
    }
    sent.add(own.preparedQuery(sql.apply).execute(rows(evaluator, id)));
    if (!evaluator.newIds.isEmpty()) {
      sent.add(own.preparedQuery(sql.insertIds).execute(ids(evaluator)));
    }
    if (!evaluator.messages.isEmpty()) {
      sent.add(own.preparedQuery(sql.insertMessages).execute(messages(evaluator)));
    }
    return sent;
  }

  private static Tuple rows(GroupEvaluator evaluator, UUID id) {
    List<Change> changes = evaluator.changes;
    List<byte[]> set = new ArrayList<>();
    List<Cell> setCells = new ArrayList<>();
    List<byte[]> touched = new ArrayList<>();
    List<Cell> touchedCells = new ArrayList<>();
    List<byte[]> deleted = new ArrayList<>();
    evaluator.written.forEach(
        (key, cell) -> {
          if (cell.version() == 0) {
            if (evaluator.loaded.containsKey(key)) {
              deleted.add(key);
            }
          } else if (cell.stored()) {
            touched.add(key);
            touchedCells.add(cell);
          } else {
            set.add(key);
            setCells.add(cell);
          }
        });
    return Tuple.tuple()
        .addValue(changes.stream().map(Change::version).toArray(Long[]::new))
        .addValue(changes.stream().map(Change::n).toArray(Long[]::new))
        .addValue(Buffers.array(changes.stream().map(Change::key).toList()))
        .addValue(changes.stream().map(c -> Buffers.of(c.end())).toArray(Buffer[]::new))
        .addValue(changes.stream().map(c -> (short) c.kind().code()).toArray(Short[]::new))
        .addValue(changes.stream().map(Change::expireAt).toArray(Long[]::new))
        .addValue(changes.stream().map(c -> c.old().version()).toArray(Long[]::new))
        .addValue(changes.stream().map(c -> code(c.old())).toArray(Short[]::new))
        .addValue(changes.stream().map(c -> c.old().expireAt()).toArray(Long[]::new))
        .addValue(
            changes.stream()
                .map(c -> c.stored() == 0 ? Buffers.of(c.old().value()) : null)
                .toArray(Buffer[]::new))
        .addValue(changes.stream().map(Change::stored).toArray(Short[]::new))
        .addValue(Buffers.array(set))
        .addValue(setCells.stream().map(Cell::version).toArray(Long[]::new))
        .addValue(setCells.stream().map(GroupPublication::code).toArray(Short[]::new))
        .addValue(setCells.stream().map(Cell::expireAt).toArray(Long[]::new))
        .addValue(setCells.stream().map(c -> Buffers.of(c.value())).toArray(Buffer[]::new))
        .addValue(Buffers.array(touched))
        .addValue(touchedCells.stream().map(Cell::version).toArray(Long[]::new))
        .addValue(touchedCells.stream().map(Cell::expireAt).toArray(Long[]::new))
        .addValue(evaluator.now)
        .addValue(Buffers.array(deleted))
        .addValue(evaluator.version())
        .addValue(evaluator.addedKeys)
        .addValue(evaluator.writtenBytes)
        .addValue(id);
  }

  private static @Nullable Short code(Cell cell) {
    Encoding encoding = cell.encoding();
    return encoding == null ? null : (short) encoding.code();
  }

  private static Tuple ids(GroupEvaluator evaluator) {
    Map<String, Long> ids = evaluator.newIds;
    return Tuple.of(
        Buffers.array(
            ids.keySet().stream().map(id -> id.getBytes(StandardCharsets.UTF_8)).toList()),
        ids.values().toArray(Long[]::new),
        evaluator.now);
  }

  private static Tuple messages(GroupEvaluator evaluator) {
    List<Message> messages = evaluator.messages;
    return Tuple.tuple()
        .addValue(messages.stream().map(Message::version).toArray(Long[]::new))
        .addValue(messages.stream().map(Message::n).toArray(Integer[]::new))
        .addValue(
            messages.stream()
                .map(m -> Buffer.buffer(m.enqueue().queue().getBytes(StandardCharsets.UTF_8)))
                .toArray(Buffer[]::new))
        .addValue(messages.stream().map(Message::readyAt).toArray(Long[]::new))
        .addValue(
            messages.stream()
                .map(m -> Buffer.buffer(QueueRow.of(m.enqueue()).stored()))
                .toArray(Buffer[]::new))
        .addValue(
            messages.stream()
                .map(m -> (short) m.enqueue().payload().encoding().code())
                .toArray(Short[]::new))
        .addValue(
            messages.stream()
                .map(m -> Buffer.buffer(m.enqueue().payload().bytes()))
                .toArray(Buffer[]::new))
        .addValue(evaluator.now);
  }
}
