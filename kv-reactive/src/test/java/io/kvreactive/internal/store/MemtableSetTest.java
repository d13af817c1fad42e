package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.memtable.Memtable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A frozen memtable is written when no snapshot before it is held, and then exactly once. */
class MemtableSetTest {
  private final AtomicInteger writes = new AtomicInteger();
  private final MemtableSet memtables =
      new MemtableSet(
          SortedImage.inMemory(), new Memtable(), null, 0, 1, () -> 1_000, writes::incrementAndGet);

  @Test
  void writesTheFrozenMemtableAfterTheLastSnapshotBeforeIt() {
    StoreSnapshot first = memtables.snapshot();
    StoreSnapshot second = memtables.snapshot();
    StoreSnapshot third = memtables.snapshot();
    memtables.publish(2);
    memtables.rotate();
    StoreSnapshot later = memtables.snapshot();
    second.close();
    first.close();
    assertThat(writes).hasValue(0);
    assertThat(memtables.held()).isEqualTo(new MemtableSet.Held(2, 1_000, 1));
    assertThat(memtables.oldestNeeded()).isEqualTo(1);
    third.close();
    third.close();
    assertThat(writes).hasValue(1);
    assertThat(memtables.held().count()).isEqualTo(1);
    later.close();
    assertThat(memtables.held().count()).isZero();
    assertThat(memtables.oldestNeeded()).isEqualTo(2);
    assertThat(writes).hasValue(1);
  }

  @Test
  void waitsForTheReadsOfASnapshotThatIsClosedOrEnded() {
    StoreSnapshot closed = memtables.snapshot();
    StoreSnapshot ended = memtables.snapshot();
    closed.enter();
    ended.enter();
    ended.enter();
    memtables.publish(2);
    memtables.rotate();
    closed.close();
    memtables.endOldSnapshots();
    for (StoreSnapshot snapshot : List.of(closed, ended)) {
      assertThatThrownBy(snapshot::enter)
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.SNAPSHOT_TOO_OLD));
    }
    closed.leave();
    ended.leave();
    assertThat(writes).hasValue(0);
    ended.leave();
    assertThat(writes).hasValue(1);
    ended.close();
    assertThat(memtables.held().count()).isZero();
  }

  @Test
  void releasesAllSnapshotsOfConcurrentReaders() {
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    AtomicBoolean stop = new AtomicBoolean();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(i);
      readers.add(
          CompletableFuture.runAsync(
              () -> {
                while (!stop.get()) {
                  read(random);
                }
              }));
    }
    for (int rotations = 1; rotations <= 200; rotations++) {
      memtables.publish(rotations + 1);
      memtables.rotate();
      while (writes.get() < rotations) {
        memtables.endOldSnapshots();
      }
      memtables.release();
    }
    stop.set(true);
    readers.forEach(CompletableFuture::join);
    assertThat(memtables.held().count()).isZero();
    assertThat(writes).hasValue(200);
  }

  private void read(Random random) {
    StoreSnapshot snapshot = memtables.snapshot();
    try {
      for (int reads = random.nextInt(4); reads > 0; reads--) {
        StoreView view = snapshot.enter();
        assertThat(view.version()).isEqualTo(snapshot.version());
        if (random.nextInt(4) == 0) {
          snapshot.close(); // during a read
        }
        snapshot.leave();
      }
    } catch (KvException e) {
      assertThat(e.code()).isEqualTo(KvErrorCode.SNAPSHOT_TOO_OLD);
    } finally {
      snapshot.close();
    }
  }
}
