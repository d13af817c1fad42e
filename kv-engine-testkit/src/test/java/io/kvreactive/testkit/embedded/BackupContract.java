package io.kvreactive.testkit.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.BackupProgress;
import io.kvreactive.CommitResult;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvMessage;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvStores;
import io.kvreactive.KvU64;
import io.kvreactive.QueueOptions;
import io.kvreactive.RestoreOptions;
import io.kvreactive.RestoreResult;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.testkit.KvContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Contents of a backup, and the restored store. */
abstract class BackupContract extends KvContract {
  private static final int LANES = 8;
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path temp;
  private Kv restored;

  @AfterEach
  void closeRestored() {
    if (restored != null) {
      restored.close().block(TIMEOUT);
    }
  }

  private Path backupPath() {
    return temp.resolve("backup");
  }

  private BackupProgress backUp() {
    BackupProgress last = kv.admin().backup(backupPath()).blockLast(LONG);
    assertThat(last.isDone()).isTrue();
    return last;
  }

  private Versionstamp restore(RestoreOptions options) {
    Path path = temp.resolve("restored");
    RestoreResult result = KvStores.restore(backupPath(), path, options).block(LONG);
    restored = get(Kv.open(vertx, KvOptions.at(path)));
    return result.versionstamp();
  }

  private static List<String> content(Kv kv) {
    return all(kv.list(KvRange.all()).map(e -> e.key() + "@" + e.versionstamp() + "=" + text(e)));
  }

  private static String text(KvEntry<Object> entry) {
    Object value = entry.value();
    return value instanceof byte[] bytes
        ? bytes.length + ":" + Arrays.hashCode(bytes)
        : String.valueOf(value);
  }

  private void fill(int entries) {
    Random random = new Random(entries);
    int[] sizes = {0, 10, 100, 300, 5000, 60_000};
    for (int i = 0; i < entries; i += 50) {
      int from = i;
      commit(
          c -> {
            for (int n = from; n < from + 50; n++) {
              byte[] value = new byte[sizes[random.nextInt(n % 50 == 0 ? 6 : 4)]];
              random.nextBytes(value);
              c.set(KvKey.of("fill", random.nextInt(100_000), n), value);
            }
          });
    }
  }

  @Test
  void backsUpAndRestoresAnEmptyStore() {
    assertThat(backUp().versionstamp()).isEqualTo(Versionstamp.ZERO);
    assertThat(restore(RestoreOptions.DEFAULT)).isEqualTo(Versionstamp.ZERO);
    assertThat(content(restored)).isEmpty();
    Versionstamp ofOrigin = get(kv.set(KvKey.of("a"), 1));
    assertThat(get(restored.set(KvKey.of("a"), 1)))
        .as("none that the origin gives out")
        .isGreaterThan(ofOrigin);
  }

  @Test
  void restoresTheSameStoreForFurtherUse() {
    fill(3000);
    settle();
    set(KvKey.of("expires"), "late");
    get(kv.touch(KvKey.of("expires"), Instant.now().plusSeconds(3600)));
    get(kv.set(KvKey.of("gone"), "soon", Instant.now().minusSeconds(1)));
    get(kv.deleteRange(KvRange.prefix("fill", 7)));
    Versionstamp last = set(KvKey.of("last"), "value");

    BackupProgress progress = backUp();
    Versionstamp stamp = progress.versionstamp();
    assertThat(stamp).isGreaterThanOrEqualTo(last); // expired keys may have been removed
    assertThat(progress.entries()).isGreaterThanOrEqualTo(3000);
    assertThat(restore(RestoreOptions.DEFAULT)).isEqualTo(stamp);
    assertThat(content(restored)).isEqualTo(content(kv));
    assertThat(get(restored.set(KvKey.of("next"), 1))).isGreaterThan(stamp);
    assertThat(exists(KvKey.of("next"))).as("the origin is another store").isFalse();
    assertThat(get(restored.get(KvKey.of("gone"))).exists()).isFalse();
  }

  @Test
  void includesMessagesAndCommitIds() {
    get(kv.queues().enqueue("leased"));
    AtomicReference<KvMessage<String>> held = new AtomicReference<>();
    Disposable consumer = kv.queues().listen(String.class).subscribe(held::set);
    waitFor(() -> held.get() != null);
    get(kv.queues().enqueue("ready", EnqueueOptions.to("other")));
    CommitResult first = get(kv.atomic().set(KvKey.of("a"), 1).commitId("only-once").commit());
    backUp();
    consumer.dispose();
    restore(RestoreOptions.DEFAULT);

    KvMessage<String> again = restored.queues().listen(String.class).blockFirst(TIMEOUT);
    assertThat(again.required()).isEqualTo("leased");
    assertThat(again.attempt()).isEqualTo(2);
    KvMessage<String> other =
        restored.queues().listen(String.class, QueueOptions.of("other")).blockFirst(TIMEOUT);
    assertThat(other.required()).isEqualTo("ready");
    assertThat(other.attempt()).isEqualTo(1);
    CommitResult second =
        get(restored.atomic().set(KvKey.of("a"), 2).commitId("only-once").commit());
    assertThat(second).isEqualTo(first);
    assertThat(get(restored.get(KvKey.of("a"))).value()).isEqualTo(1);
  }

  @Test
  void backsUpOneVersionUnderLoad() throws Exception {
    fill(4000);
    Lanes lanes = new Lanes();
    lanes.await(200);
    Map<Integer, Integer> before = lanes.last(Long.MAX_VALUE);
    Versionstamp stamp = backUp().versionstamp();
    lanes.await(100 + LANES); // pending commits may be in the backup
    if (durable()) { // continues while the store is running
      Map<Integer, Integer> answered = lanes.last(Long.MAX_VALUE);
      Path later = temp.resolve("later");
      RestoreResult result =
          KvStores.restore(backupPath(), later, RestoreOptions.DEFAULT.withLog(directory))
              .block(LONG);
      assertThat(result.commitsOfLog()).isGreaterThanOrEqualTo(100);
      Kv goneOn = get(Kv.open(vertx, KvOptions.at(later)));
      assertThat(verify(goneOn))
          .allSatisfy((lane, n) -> assertThat(n).isGreaterThanOrEqualTo(answered.get(lane)));
      goneOn.close().block(TIMEOUT);
    }
    lanes.stop();

    assertThat(restore(RestoreOptions.DEFAULT)).isEqualTo(stamp);
    Map<Integer, Integer> there = verify(restored);
    assertThat(there).isEqualTo(lanes.last(stamp.version()));
    assertThat(there)
        .allSatisfy((lane, n) -> assertThat(n).isGreaterThanOrEqualTo(before.get(lane)));
  }

  /** Returns the last commit of each lane. Asserts that each commit is completely present. */
  private static Map<Integer, Integer> verify(Kv kv) {
    Map<Integer, Integer> last = new HashMap<>();
    long sum = 0;
    for (int lane = 0; lane < LANES; lane++) {
      int n = (int) value(kv, "a", lane);
      assertThat(value(kv, "b", lane)).isEqualTo(n);
      assertThat(value(kv, "count", lane)).isEqualTo(n);
      last.put(lane, n);
      sum += n;
    }
    KvU64 total = get(kv.get(KvKey.of("total"), KvU64.class)).value();
    assertThat(total == null ? 0 : total.bits()).isEqualTo(sum);
    return last;
  }

  private static long value(Kv kv, String what, int lane) {
    KvKey prefix = KvKey.of(what, lane);
    if (what.equals("count")) {
      return get(kv.count(KvRange.prefix(prefix)));
    }
    Integer n = get(kv.get(prefix, Integer.class)).value();
    return n == null ? 0 : n;
  }

  /** Commits endlessly, in sequence within each lane. */
  private final class Lanes {
    private final List<NavigableMap<Long, Integer>> answered =
        Stream.<NavigableMap<Long, Integer>>generate(ConcurrentSkipListMap::new)
            .limit(LANES)
            .toList();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Mono<Void> done;

    Lanes() {
      done =
          Flux.range(0, LANES)
              .flatMap(
                  lane ->
                      Flux.range(1, 1_000_000)
                          .takeWhile(n -> !stopped.get())
                          .concatMap(n -> commit(lane, n)))
              .then()
              .cache();
      var unused = done.subscribe();
    }

    private Mono<CommitResult> commit(int lane, int n) {
      return kv.atomic()
          .set(KvKey.of("a", lane), n)
          .set(KvKey.of("count", lane, n), new byte[100])
          .set(KvKey.of("b", lane), n)
          .sum(KvKey.of("total"), 1)
          .commit()
          .doOnNext(result -> answered.get(lane).put(result.versionstamp().version(), n));
    }

    /** Returns the last acknowledged commit of each lane up to a version. */
    Map<Integer, Integer> last(long version) {
      Map<Integer, Integer> last = new HashMap<>();
      for (int lane = 0; lane < LANES; lane++) {
        Map.Entry<Long, Integer> entry = answered.get(lane).floorEntry(version);
        last.put(lane, entry == null ? 0 : entry.getValue());
      }
      return last;
    }

    private int sum() {
      return last(Long.MAX_VALUE).values().stream().mapToInt(n -> n).sum();
    }

    void await(int more) {
      int from = sum();
      waitFor(() -> sum() >= from + more);
    }

    void stop() {
      stopped.set(true);
      done.block(TIMEOUT);
    }
  }

  private static void waitFor(BooleanSupplier condition) {
    Mono.fromSupplier(condition::getAsBoolean)
        .filter(holds -> holds)
        .repeatWhenEmpty(again -> again.delayElements(Duration.ofMillis(2)))
        .block(LONG);
  }

  @Test
  void restoresToAVersionOrATime() {
    assumeTrue(durable());
    set(KvKey.of("n"), 0);
    Versionstamp stamp = backUp().versionstamp();
    List<Versionstamp> stamps =
        IntStream.rangeClosed(1, 20).mapToObj(n -> set(KvKey.of("n"), n)).toList();
    RestoreOptions withLog = RestoreOptions.DEFAULT.withLog(directory);
    assertThat(restore(withLog.until(stamps.get(9)))).isEqualTo(stamps.get(9));
    assertThat(get(restored.get(KvKey.of("n"))).value()).isEqualTo(10);

    RestoreResult now =
        KvStores.restore(backupPath(), temp.resolve("now"), withLog.until(Instant.now()))
            .block(LONG);
    assertThat(now.versionstamp()).isEqualTo(stamps.get(19));
    assertThat(now.time()).isBeforeOrEqualTo(Instant.now());
    RestoreResult then =
        KvStores.restore(backupPath(), temp.resolve("then"), withLog.until(now.time())).block(LONG);
    assertThat(then.versionstamp()).isEqualTo(stamps.get(19));

    Path no = temp.resolve("no");
    assertThat(refused(no, withLog.until(Versionstamp.ZERO))).contains(stamp.toString());
    assertThat(refused(no, withLog.until(Versionstamp.of(1000))))
        .contains(stamps.get(19).toString());
    assertThat(refused(no, withLog.until(Instant.EPOCH))).contains(stamp.toString());
    assertThat(refused(no, RestoreOptions.DEFAULT.until(stamps.get(3)))).contains("a log");
    assertThat(refused(no, withLog.withLog(temp.resolve("restored")))).contains("log: ");
    assertThat(refused(no, withLog.withLog(temp))).contains("no store");
    assertThat(refused(temp, withLog)).contains("empty directory");
    assertThat(no).doesNotExist();
    assertThat(temp.resolve("no.partial")).doesNotExist();
  }

  private String refused(Path target, RestoreOptions options) {
    return failure(KvStores.restore(backupPath(), target, options), KvErrorCode.INVALID_ARGUMENT)
        .detail();
  }

  @Test
  void rejectsPathsWithoutABackup() {
    failure(
        KvStores.restore(temp, temp.resolve("x"), RestoreOptions.DEFAULT),
        KvErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void replacesOnlyLeftoversOfFailedBackups() throws Exception {
    set(KvKey.of("a"), 1);
    Files.createDirectories(backupPath());
    Path partial = Files.createDirectories(temp.resolve("backup.partial"));
    Files.writeString(partial.resolve("image.db"), "left by a crash");
    backUp();
    assertThat(partial).doesNotExist();
    failure(kv.admin().backup(backupPath()), KvErrorCode.INVALID_ARGUMENT);
    assertThat(partial).doesNotExist();
    restore(RestoreOptions.DEFAULT);
    assertThat(content(restored)).isEqualTo(content(kv));
  }

  @Test
  void deletesWhatOtherKilledBackupsHaveLeft() throws Exception {
    set(KvKey.of("a"), 1);
    Path left = partial("left.partial", "lock", "image.db", "log-0000000000000001.kvlog");
    Path foreign = partial("foreign.partial", "lock", "image.db", "letter.txt");
    Path unlocked = partial("unlocked.partial", "image.db");
    Path held = partial("held.partial", "lock", "image.db");
    DirectoryLock lock = DirectoryLock.acquire(held);
    backUp();
    lock.close();
    assertThat(left).doesNotExist();
    assertThat(foreign.resolve("image.db")).exists();
    assertThat(unlocked.resolve("image.db")).exists();
    assertThat(held.resolve("image.db")).exists();
  }

  private Path partial(String name, String... files) throws IOException {
    Path partial = Files.createDirectory(temp.resolve(name));
    for (String file : files) {
      Files.writeString(partial.resolve(file), "left by a kill");
    }
    return partial;
  }

  @Test
  void allowsOneBackupAtATimeAndLeavesNothingOnCancel() {
    fill(5000);
    Path first = temp.resolve("first");
    StepVerifier.create(kv.admin().backup(first), 1)
        .expectNextCount(1)
        .thenCancel()
        .verify(TIMEOUT);
    waitFor(() -> !Files.exists(temp.resolve("first.partial")));
    kv.admin()
        .backup(backupPath())
        .retryWhen(
            Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(5)).filter(e -> isOverload(e)))
        .blockLast(LONG);
    assertThat(first)
        .satisfiesAnyOf(
            p -> assertThat(p).doesNotExist(), p -> assertThat(p.resolve("backup")).exists());
  }

  private static boolean isOverload(Throwable failure) {
    return failure instanceof KvException e && e.code() == KvErrorCode.OVERLOADED;
  }

  @Test
  void rejectsASecondBackupWhileOneRuns() {
    fill(5000);
    List<String> results = new ArrayList<>();
    while (!results.contains(
        "OVERLOADED")) { // repeated if each backup ended before the next one began
      results.addAll(
          Flux.range(results.size(), 4)
              .flatMap(
                  i ->
                      kv.admin()
                          .backup(temp.resolve("b" + i))
                          .then(Mono.just("whole"))
                          .onErrorResume(KvException.class, e -> Mono.just(e.code().name())))
              .collectList()
              .block(LONG));
    }
    assertThat(results).contains("whole").containsOnly("whole", "OVERLOADED");
  }

  @Test
  void endsABackupOnClose() {
    fill(5000);
    Mono<String> outcome =
        kv.admin()
            .backup(backupPath())
            .then(Mono.just("whole"))
            .onErrorResume(KvException.class, e -> Mono.just(e.code().name()))
            .cache();
    Disposable unused = outcome.subscribe();
    close();
    String ended = outcome.block(LONG);
    assertThat(ended).isIn("whole", "CLOSED");
    assertThat(Files.exists(backupPath())).isEqualTo(ended.equals("whole"));
    assertThat(temp.resolve("backup.partial")).doesNotExist();
    failure(kv.admin().backup(backupPath()), KvErrorCode.CLOSED);
  }
}
