package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CompactionProgress;
import io.kvreactive.internal.store.FaultyDisk;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;

/** Compactions on an image thread whose steps the test runs. */
class CompactorTest {
  @TempDir Path temp;

  private final FaultyDisk disk = new FaultyDisk();
  private final Queue<Runnable> imageThread = new ArrayDeque<>();
  private final List<CompactionProgress> seen = new ArrayList<>();
  private final List<Throwable> failed = new ArrayList<>();

  private Store open() {
    return Store.open(
        StoreOptions.of(temp.resolve("store"), disk, true, 1 << 20, 1 << 20, 1 << 20), () -> {});
  }

  private void runAll() {
    while (!imageThread.isEmpty()) {
      imageThread.remove().run();
    }
  }

  private void assertDone() {
    assertThat(failed).isEmpty();
    assertThat(seen).isNotEmpty();
    assertThat(seen.get(seen.size() - 1).done()).isTrue();
  }

  @Test
  void startsAnotherCompactionAfterOneHasCompleted() throws Exception {
    Store store = open();
    Compactor compactor = new Compactor(store, imageThread::add, Runnable::run, () -> {});
    boolean[] done = {false};
    var unused =
        compactor
            .compact()
            .subscribe(
                progress -> {
                  if (progress.done()) {
                    done[0] = true;
                    var another = compactor.compact().subscribe(seen::add, failed::add);
                  }
                });
    runAll();
    assertThat(done[0]).isTrue();
    assertDone();
    store.close();
  }

  @Test
  void startsAnotherCompactionWhileOneIsBeingCancelled() throws Exception {
    Store store = open();
    Compactor compactor = new Compactor(store, imageThread::add, Runnable::run, () -> {});
    Disposable first = compactor.compact().subscribe();
    imageThread.remove().run();
    first.dispose();
    disk.beforeDelete =
        () -> {
          disk.beforeDelete = () -> {};
          var unused = compactor.compact().subscribe(seen::add, failed::add);
        };
    runAll();
    assertDone();
    store.close();
  }
}
