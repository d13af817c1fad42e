package io.kvreactive.examples.readme;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.BatchedAtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvU64;
import io.kvreactive.KvUpdate;
import io.kvreactive.LoadProgress;
import io.kvreactive.QueueOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.examples.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Runs the Java of the guides about commits, feeds and queues, like {@link ReadmeSnippetsTest}. */
class ReadmeFeatureSnippetsTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final Sinks.Many<String> sent = Sinks.many().replay().all();
  private final List<KvChange<Integer>> copied = new ArrayList<>();
  private Kv kv;

  record User(String name, int age) {}

  @BeforeEach
  void setUp() {
    kv = store.kv();
  }

  @Test
  void expiry() {
    KvKey session = KvKey.of("sessions", "a1");
    User user = new User("Ada", 36);
    // snippet: expiry
    Mono<Versionstamp> begin = kv.set(session, user, Duration.ofMinutes(30));
    Mono<Versionstamp> prolong = kv.touch(session, Duration.ofMinutes(30)); // empty if it is absent

    Mono<Instant> end = kv.get(session, User.class).mapNotNull(KvEntry::expireAt);
    // end
    assertThat(await(prolong)).isNull();
    assertThat(await(begin.then(prolong).then(end))).isAfter(Instant.now());
    await(kv.touch(session, Duration.ofMillis(1)));
    assertThat(await(kv.watch(session).filter(entry -> !entry.exists()).next())).isNotNull();
  }

  @Test
  void queue() {
    KvKey order = KvKey.of("orders", 17);
    // snippet: queue
    EnqueueOptions mails =
        EnqueueOptions.to("mails")
            .withBackoff(Duration.ofSeconds(1), Duration.ofMinutes(1)) // at most three attempts
            .withKeysIfUndelivered(KvKey.of("unsent", 17));
    Mono<CommitResult> placed =
        kv.atomic().checkAbsent(order).set(order, "a book").enqueue("order 17", mails).commit();

    Mono<Void> mailer = // at most 16 in flight; never completes
        kv.queues()
            .handle(String.class, QueueOptions.of("mails"), 16, mail -> send(mail.required()));
    // end
    assertThat(await(placed).committed()).isTrue();
    assertThat(await(placed).committed()).isFalse();
    Mono<String> first = sent.asFlux().next();
    assertThat(await(mailer.cast(String.class).takeUntilOther(first).then(first)))
        .isEqualTo("order 17");
  }

  private Mono<Void> send(String mail) {
    return Mono.fromRunnable(() -> sent.tryEmitNext(mail).orThrow());
  }

  @Test
  void changes() {
    Versionstamp first = await(kv.set(KvKey.of("orders", 1), 10));
    Versionstamp last = await(kv.set(KvKey.of("orders", 2), 20).then(kv.delete(order(1))));
    Versionstamp since = first;
    // snippet: changes
    Flux<Versionstamp> stored = // copy() stores changes and versionstamp in one commit
        kv.changes(KvRange.prefix("orders"), since, Integer.class)
            .concatMap(commit -> copy(commit.changes()).thenReturn(commit.versionstamp()), 1);
    // end
    await(stored.takeUntil(last::equals).then());
    assertThat(copied)
        .hasSize(2)
        .hasExactlyElementsOfTypes(KvChange.Set.class, KvChange.Delete.class);
  }

  private static KvKey order(int number) {
    return KvKey.of("orders", number);
  }

  private Mono<Void> copy(List<KvChange<Integer>> changes) {
    return Mono.fromRunnable(() -> copied.addAll(changes));
  }

  @Test
  void listAndWatch() {
    await(kv.set(order(1), 10).then(kv.set(order(2), 20)));
    // snippet: listAndWatch
    Map<KvKey, Integer> mirror = new ConcurrentHashMap<>();
    Flux<KvUpdate<Integer>> updates =
        kv.listAndWatch(KvRange.prefix("orders"), Integer.class)
            .doOnNext(
                update -> {
                  if (update instanceof KvUpdate.Listed<Integer> listed) {
                    mirror.put(listed.entry().key(), listed.entry().required());
                  } else if (update instanceof KvUpdate.Committed<Integer> committed) {
                    committed.commit().changes().forEach(change -> apply(change, mirror));
                  }
                });
    // end
    Mono<Boolean> changed =
        updates
            .concatMap(
                update ->
                    update instanceof KvUpdate.Synced
                        ? kv.atomic().delete(order(1)).set(order(3), 30).commit().thenReturn(true)
                        : Mono.just(true))
            .filter(each -> mirror.containsKey(order(3)))
            .next();
    assertThat(await(changed)).isTrue();
    assertThat(mirror).isEqualTo(Map.of(order(2), 20, order(3), 30));
  }

  private static void apply(KvChange<Integer> change, Map<KvKey, Integer> mirror) {
    if (change instanceof KvChange.Set<Integer> set) {
      mirror.put(set.key(), set.value());
    } else if (change instanceof KvChange.Delete<Integer> delete) {
      mirror.remove(delete.key());
    }
  }

  @Test
  void transact() {
    KvKey from = KvKey.of("accounts", 1);
    KvKey to = KvKey.of("accounts", 2);
    int amount = 30;
    await(kv.set(from, 100).then(kv.set(to, 0)));
    // snippet: transact
    Mono<Integer> left =
        kv.transact(
            tx ->
                Mono.zip(tx.get(from, Integer.class), tx.get(to, Integer.class))
                    .map(
                        read -> {
                          int rest = read.getT1().required() - amount;
                          tx.set(from, rest).set(to, read.getT2().required() + amount);
                          return rest;
                        }));
    // end
    assertThat(await(Flux.just(left, left, left).flatMap(each -> each).sort().collectList()))
        .isEqualTo(List.of(10, 40, 70));
    assertThat(await(kv.get(to, Integer.class)).required()).isEqualTo(90);
  }

  @Test
  void update() {
    KvKey key = KvKey.of("users", "ada");
    await(kv.set(key, new User("Ada", 36)));
    // snippet: update
    Mono<User> older =
        kv.update(key, User.class, read -> older(read.required())).map(KvEntry::required);
    // end
    assertThat(await(older)).isEqualTo(new User("Ada", 37));
  }

  private static User older(User user) {
    return new User(user.name(), user.age() + 1);
  }

  @Test
  void commitId() {
    // snippet: commitId
    Mono<CommitResult> visit =
        kv.atomic()
            .sum(KvKey.of("visits"), 1)
            .commitId(UUID.randomUUID().toString())
            .commit()
            .timeout(Duration.ofSeconds(2))
            .retry(3); // counts one visit, however often it is sent
    // end
    assertThat(await(visit)).isEqualTo(await(visit));
    assertThat(await(kv.get(KvKey.of("visits"))).required()).isEqualTo(KvU64.of(1));
  }

  @Test
  void load() {
    Flux<User> users = Flux.range(0, 5000).map(i -> new User("user " + i, i % 100));
    // snippet: load
    Flux<KvRecord> records = users.map(u -> KvRecord.of(KvKey.of("users", u.name()), u));
    Flux<LoadProgress> loading =
        kv.load(records)
            .doOnNext(so -> System.out.printf("%d, %.0f/s%n", so.entries(), so.entriesPerSecond()));
    // end
    assertThat(await(loading.last()).entries()).isEqualTo(5000);
    assertThat(await(kv.count(KvRange.prefix("users")))).isEqualTo(5000);
  }

  @Test
  void batchedAtomic() {
    List<KvKey> outdated = Flux.range(0, 3000).map(i -> KvKey.of("users", i)).collectList().block();
    // snippet: batchedAtomic
    BatchedAtomicOperation batch = kv.batchedAtomic();
    outdated.forEach(key -> batch.delete(key).set(KvKey.of("archive").append(key.part(1)), true));
    Flux<CommitResult> results = batch.commit(); // one per commit, ends at the first conflict
    // end
    assertThat(await(results.all(CommitResult::committed))).isTrue();
    assertThat(await(kv.count(KvRange.prefix("archive")))).isEqualTo(3000);
  }
}
