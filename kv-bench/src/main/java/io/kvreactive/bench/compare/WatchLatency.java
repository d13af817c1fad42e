package io.kvreactive.bench.compare;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.bench.Data;
import io.kvreactive.bench.Loop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Measures the time from the call of set until the watcher has the value, for one set at a time.
 */
final class WatchLatency {
  private final Kv kv;
  private final Loop loop;
  private final KvKey key = KvKey.of("bench", "watch");
  private final Semaphore arrived = new Semaphore(0);
  private final List<Long> nanos = new ArrayList<>();
  private volatile int expected;
  private volatile long start;
  private volatile long latency;
  private volatile @Nullable Throwable failure;

  WatchLatency(Kv kv, Loop loop) {
    this.kv = kv;
    this.loop = loop;
  }

  double medianMillis() {
    Disposable.Swap watch = Disposables.swap();
    loop.caller()
        .accept(
            () ->
                watch.update(
                    kv.watch(key, byte[].class)
                        .subscribe(entry -> emitted(entry.value()), this::failed)));
    try {
      measureUntil(System.nanoTime() + loop.warmUp().toNanos());
      nanos.clear();
      measureUntil(System.nanoTime() + loop.measured().toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    watch.dispose();
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted[sorted.length / 2] / 1e6;
  }

  private void emitted(byte @Nullable [] value) {
    if (value != null && ByteBuffer.wrap(value).getInt() == expected) {
      latency = System.nanoTime() - start;
      arrived.release();
    }
  }

  private void failed(Throwable error) {
    failure = error;
    arrived.release(2);
  }

  private void measureUntil(long end) throws InterruptedException {
    while (System.nanoTime() < end) {
      byte[] value = Data.value();
      int number = expected + 1;
      ByteBuffer.wrap(value).putInt(number);
      expected = number;
      loop.caller().accept(() -> set(value));
      if (!arrived.tryAcquire(2, 10, TimeUnit.SECONDS) || failure != null) {
        throw new IllegalStateException(
            "set " + number + " was not seen: " + Arrays.toString(value), failure);
      }
      nanos.add(latency);
    }
  }

  private void set(byte[] value) {
    start = System.nanoTime();
    kv.set(key, value).subscribe(stamp -> arrived.release(), this::failed);
  }
}
