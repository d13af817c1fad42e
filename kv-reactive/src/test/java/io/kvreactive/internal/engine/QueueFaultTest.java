package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.FaultyDisk;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeasedMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;

/** Rollback of the in-memory state of queues when their commit fails. */
class QueueFaultTest {
  private static final long LEASE = 1000;

  @TempDir Path directory;
  private final FaultyDisk disk = new FaultyDisk();
  private ManualQueues queues;

  @BeforeEach
  void open() {
    queues = new ManualQueues(directory, disk);
    List<Enqueue> enqueues =
        IntStream.range(0, 10)
            .mapToObj(i -> new KvValue(KvValue.Encoding.BYTES, new byte[] {(byte) i}))
            .map(payload -> new Enqueue("", payload, 0, List.of(0L, 0L), List.of()))
            .toList();
    queues.commit(new Commit(List.of(), List.of(), List.of(), enqueues, null));
  }

  @AfterEach
  void close() throws IOException {
    queues.close();
  }

  private void diskIsFull() {
    disk.writesLeft = 0;
    disk.fullFor = "kvlog";
  }

  /** Ends the disk fault. The store tries again after a while. */
  private void diskHasRoom() {
    disk.fullFor = "nothing";
    long end = System.nanoTime() + 60_000_000_000L;
    Enqueue probe =
        new Enqueue(
            "probe", new KvValue(KvValue.Encoding.BYTES, new byte[0]), 0, List.of(), List.of());
    while (System.nanoTime() < end) {
      try {
        queues.commit(new Commit(List.of(), List.of(), List.of(), List.of(probe), null));
        return;
      } catch (java.util.concurrent.CompletionException e) {
        Thread.onSpinWait();
      }
    }
    throw new AssertionError("still full");
  }

  private List<LeasedMessage> claim(int max) {
    List<LeasedMessage> claimed = new ArrayList<>();
    assertThat(queues.failure(queues.queues.claim("", max, LEASE).doOnNext(claimed::addAll)))
        .isNull();
    return claimed;
  }

  private static List<Integer> numbers(List<LeasedMessage> messages) {
    return messages.stream().map(m -> (int) m.payload().bytes()[0]).toList();
  }

  private static KvErrorCode code(KvException failure) {
    assertThat(failure).isNotNull();
    return failure.code();
  }

  @Test
  void keepsTheMessagesOfAFailedClaim() {
    diskIsFull();
    assertThat(code(queues.failure(queues.queues.claim("", 4, LEASE))))
        .isEqualTo(KvErrorCode.DISK_FULL);
    diskHasRoom();

    List<LeasedMessage> claimed = claim(20);
    assertThat(numbers(claimed)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(claimed).allMatch(m -> m.attempt() == 1);
  }

  @Test
  void keepsALeaseWhoseAckFails() {
    List<LeasedMessage> claimed = claim(3);
    diskIsFull();
    for (LeasedMessage message : claimed) {
      assertThat(code(queues.failure(queues.queues.finish(message.token(), new Finish.Ack()))))
          .isEqualTo(KvErrorCode.DISK_FULL);
    }
    diskHasRoom();
    for (LeasedMessage message : claimed) {
      assertThat(queues.failure(queues.queues.finish(message.token(), new Finish.Ack()))).isNull();
    }
    assertThat(numbers(claim(20))).containsExactly(3, 4, 5, 6, 7, 8, 9);
  }

  @Test
  void endsALostLeaseWhenTheDiskHasRoomAgain() {
    claim(2);
    diskIsFull();
    queues.pass(2 * LEASE);
    diskHasRoom();
    queues.pass(2 * LEASE);

    List<LeasedMessage> claimed = claim(20);
    assertThat(claimed).hasSize(10);
    assertThat(claimed.stream().filter(m -> m.attempt() == 2)).hasSize(2);
  }

  @Test
  void servesWaitingConsumersWhenTheDiskHasRoomAgain() {
    claim(10);
    List<LeasedMessage> late = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    Disposable waiting = queues.queues.claim("", 20, LEASE).subscribe(late::addAll, failures::add);
    queues.run();
    diskIsFull();
    queues.pass(2 * LEASE);
    assertThat(late).isEmpty();
    diskHasRoom();
    queues.pass(2 * LEASE);
    queues.pass(2 * LEASE);
    assertThat(late).isNotEmpty();
    assertThat(failures).isEmpty();
    waiting.dispose();
  }

  @Test
  void returnsMessagesLeasedForACancelledConsumerUncounted() {
    List<LeasedMessage> claimed = new ArrayList<>();
    Disposable gone = queues.queues.claim("", 5, LEASE).subscribe(claimed::addAll);
    gone.dispose(); // before or after the commit
    queues.run();
    assertThat(claimed).isEmpty();
    assertThat(claim(20)).hasSize(10).allMatch(m -> m.attempt() == 1);
  }

  @Test
  void omitsMessagesDeletedBeforeTheirRead() {
    List<LeasedMessage> late = claimThatIsReadLate(1);
    assertThat(late).hasSize(1);
    assertThat(late.get(0).attempt()).isEqualTo(1);
  }

  @Test
  void keepsAConsumerWaitingWhenAllItsMessagesAreDeleted() {
    List<LeasedMessage> late = claimThatIsReadLate(0);
    assertThat(late).isEmpty();
    queues.pass(2 * LEASE);
    assertThat(late).isNotEmpty();
  }

  /**
   * Claims three messages, and delays the read of them. Meanwhile the leases end, another consumer
   * gets all messages and acks the three except for {@code left}.
   */
  private List<LeasedMessage> claimThatIsReadLate(int left) {
    List<LeasedMessage> late = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    queues.holdReads();
    queues.queues.claim("", 3, LEASE).subscribe(late::addAll, failures::add);
    queues.run();
    queues.readOthers();
    queues.pass(2 * LEASE);
    List<LeasedMessage> claimed = claim(20);
    assertThat(claimed).hasSize(10);
    claimed.stream()
        .filter(m -> m.attempt() == 2)
        .skip(left)
        .forEach(
            m ->
                assertThat(queues.failure(queues.queues.finish(m.token(), new Finish.Ack())))
                    .isNull());
    queues.readHeld();
    assertThat(failures).isEmpty();
    return late;
  }
}
