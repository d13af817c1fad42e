package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Reads that block, as on a disk that does not answer, do not delay other reads. */
class StalledReadTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final byte[] KEY = KvKey.of("k").bytes();
  private static final List<ReadRange> POINT = List.of(ReadRange.point(KEY));
  private static final KvValue VALUE = new KvValue(KvValue.Encoding.BYTES, new byte[8]);

  @Test
  void readsWhileAllThreadsButOneAreStalled() throws Exception {
    ExecutorService storeThread = Executors.newSingleThreadExecutor();
    EmbeddedEngine engine =
        EmbeddedEngine.open(KvOptions.inMemory().withReaderThreads(4), storeThread);
    CountDownLatch goOn = new CountDownLatch(1);
    try {
      engine.commit(Commit.of(new Mutation.Set(KEY, VALUE))).block(TIMEOUT);
      for (int stalled = 0; stalled < 3; stalled++) {
        CountDownLatch standsStill = new CountDownLatch(1);
        var unused =
            engine
                .read(POINT, null)
                .subscribe(
                    result -> {
                      standsStill.countDown();
                      await(goOn);
                    });
        assertThat(standsStill.await(60, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 10; i++) {
          assertThat(engine.read(POINT, null).block(TIMEOUT).pages()).hasSize(1);
        }
      }
    } finally {
      goOn.countDown();
      engine.close().block(TIMEOUT);
      storeThread.shutdown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(4, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
