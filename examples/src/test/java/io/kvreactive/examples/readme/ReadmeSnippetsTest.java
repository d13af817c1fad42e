package io.kvreactive.examples.readme;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.CommitResult;
import io.kvreactive.Durability;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvVerticle;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.VertxBridge;
import io.kvreactive.examples.MemoryStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Runs the Java of the README and of the guides. {@link ReadmeTest} compares the text between the
 * comments {@code snippet} and {@code end} with the documents.
 */
class ReadmeSnippetsTest {
  private static final KvKey ADA = KvKey.of("users", "ada");

  @RegisterExtension final MemoryStore store = new MemoryStore();
  @TempDir Path directory;
  private Kv kv;

  record User(String name, int age) {}

  @BeforeEach
  void setUp() {
    kv = store.kv();
  }

  /** The first program of the README runs in a new directory and prints what the README says. */
  @Test
  void hello() throws Exception {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                absolute(System.getProperty("java.class.path")),
                Hello.class.getName())
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String printed = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(program.waitFor()).isZero();
    assertThat(printed).endsWith("[\"users\", \"ada\"] User[name=Ada, age=36]\n");
    assertThat(Files.readString(Path.of("..", "README.md")))
        .contains("This prints `[\"users\", \"ada\"] User[name=Ada, age=36]`");
  }

  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator, -1))
        .map(each -> Path.of(each).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  @Test
  void keys() {
    // snippet: keys
    KvKey order = KvKey.of("orders", 2026, 11, "A-17"); // a string, two numbers, a string
    KvKey other = KvKey.of("orders", 2026L, 11, "A-17"); // a long is a bigint: a different key

    KvRange november = KvRange.prefix("orders", 2026, 11); // matches whole parts: not 110
    KvRange year = KvRange.between(KvKey.of("orders", 2026), KvKey.of("orders", 2027));
    KvRange fromMay = KvRange.prefixFrom(KvKey.of("orders", 2026), KvKey.of("orders", 2026, 5));
    // end
    assertThat(other).isNotEqualTo(order);
    assertThat(List.of(november, year, fromMay)).allMatch(range -> range.contains(order));
    assertThat(november.contains(KvKey.of("orders", 2026, 110, "A-18"))).isFalse();
  }

  @Test
  void values() {
    KvKey key = ADA;
    // snippet: values
    Mono<Versionstamp> stored = kv.set(key, new User("Ada", 36)); // stored as { name, age }

    Mono<User> user = kv.get(key, User.class).map(KvEntry::required); // a record again
    Mono<Object> map = kv.get(key).map(KvEntry::required); // {name=Ada, age=36}
    Mono<KvValue> bytes = kv.get(key, KvValue.class).map(KvEntry::required); // the stored bytes
    // end
    await(stored);
    assertThat(await(user)).isEqualTo(new User("Ada", 36));
    assertThat(await(map)).isEqualTo(Map.of("name", "Ada", "age", 36));
    assertThat(await(bytes).encoding()).isEqualTo(KvValue.Encoding.V8);
  }

  @Test
  void atomic() {
    KvKey from = KvKey.of("accounts", 1);
    KvKey to = KvKey.of("accounts", 2);
    int amount = 30;
    await(kv.set(from, 100).then(kv.set(to, 0)));
    // snippet: atomic
    Mono<CommitResult> transfer =
        kv.getMany(List.of(from, to), Integer.class)
            .collectList()
            .flatMap(
                read ->
                    kv.atomic()
                        .check(read.get(0), read.get(1))
                        .set(from, read.get(0).required() - amount)
                        .set(to, read.get(1).required() + amount)
                        .sum(KvKey.of("transfers"), 1)
                        .commit())
            .filter(CommitResult::committed)
            .switchIfEmpty(Mono.error(ConcurrentModificationException::new))
            .retryWhen(
                Retry.backoff(20, Duration.ofMillis(1))
                    .filter(ConcurrentModificationException.class::isInstance));
    // end
    await(Flux.just(transfer, transfer, transfer).flatMap(each -> each).then());
    assertThat(await(kv.getMany(List.of(from, to)).map(KvEntry::required).collectList()))
        .isEqualTo(List.of(10, 90));
    assertThat(await(kv.get(KvKey.of("transfers"))).required()).isEqualTo(KvU64.of(3));
  }

  @Test
  void list() {
    await(
        Flux.fromStream(IntStream.rangeClosed(1, 50).boxed())
            .concatMap(i -> kv.set(KvKey.of("orders", i), i))
            .then());
    // snippet: list
    KvRange orders = KvRange.prefix("orders");

    Flux<Integer> shipped = // one at a time, at most two pages in memory
        kv.list(orders, Integer.class).concatMap(entry -> ship(entry.required()), 1);

    ListOptions newest = ListOptions.DEFAULT.withReverse(true).withLimit(20);
    Mono<List<KvEntry<Integer>>> page = kv.list(orders, newest, Integer.class).collectList();
    Mono<List<KvEntry<Integer>>> next =
        page.map(entries -> orders.cursorAfter(entries.get(entries.size() - 1).key()))
            .flatMapMany(at -> kv.list(orders, newest.withCursor(at), Integer.class))
            .collectList();
    // end
    assertThat(await(shipped.count())).isEqualTo(50);
    assertThat(await(next)).extracting(KvEntry::value).startsWith(30, 29).endsWith(11).hasSize(20);
  }

  private static Mono<Integer> ship(int order) {
    return Mono.just(order);
  }

  @Test
  void watch() {
    KvKey key = ADA;
    // snippet: watch
    Flux<User> states = kv.watch(key, User.class).filter(KvEntry::exists).map(KvEntry::required);
    // end
    await(kv.set(key, new User("Ada", 36)));
    Mono<User> changed = states.doOnNext(this::growOlder).filter(u -> u.age() == 37).next();
    assertThat(await(changed).name()).isEqualTo("Ada");
  }

  private void growOlder(User user) {
    if (user.age() == 36) {
      kv.set(ADA, new User(user.name(), 37)).subscribe();
    }
  }

  @Test
  void bridge() {
    Vertx vertx = Vertx.vertx();
    String file = directory.resolve("names").toString();
    await(kv.set(ADA, new User("Ada", 36)));
    // snippet: bridge
    Future<KvEntry<User>> found = VertxBridge.future(kv.get(ADA, User.class));
    Mono<AsyncFile> open = VertxBridge.mono(() -> vertx.fileSystem().open(file, new OpenOptions()));
    Flux<Buffer> names =
        kv.list(KvRange.prefix("users"), User.class)
            .map(entry -> Buffer.buffer(entry.value().name() + "\n"));
    Mono<Void> written =
        open.flatMap(to -> VertxBridge.mono(() -> VertxBridge.readStream(vertx, names).pipeTo(to)));
    Flux<Buffer> read = open.flatMapMany(VertxBridge::flux);
    // end
    assertThat(await(VertxBridge.mono(() -> found)).value().name()).isEqualTo("Ada");
    await(written);
    assertThat(await(read.collectList())).hasSize(1).first().hasToString("Ada\n");
    await(Mono.fromCompletionStage(vertx.close().toCompletionStage()));
  }

  @Test
  void verticle() {
    Vertx vertx = Vertx.vertx();
    // snippet: verticle
    KvOptions options = KvOptions.at(directory).withName("orders");
    Future<String> deployed =
        vertx.deployVerticle(new KvVerticle(options), KvVerticle.deployment(options));

    Mono<Kv> handle = Kv.named(vertx, "orders"); // from anywhere on this Vert.x
    // end
    Mono<Kv> ready = Mono.fromCompletionStage(deployed.toCompletionStage()).then(handle);
    Long count = await(ready.flatMap(orders -> orders.count(KvRange.all())));
    assertThat(count).isZero();
    await(Mono.fromCompletionStage(vertx.close().toCompletionStage()));
  }

  @Test
  void options() {
    // snippet: options
    KvOptions options =
        KvOptions.at(directory)
            .withDurability(Durability.RELAXED) // default: SYNC
            .withLimits(KvLimits.DENO) // default: KvLimits.DEFAULT
            .withMailbox(10_000, 32 << 20) // maximum of waiting commits and bytes
            .withLogRetention(1L << 30, Duration.ofDays(2)) // for change feeds and restores
            .withOldValues(true) // deliver old values to change feeds
            .withReaderThreads(4)
            .withMemoryBytes(64 << 20);
    // end
    assertThat(options.durability().everyCommit()).isFalse();
  }

  @Test
  void errors() {
    KvKey key = ADA;
    byte[] value = new byte[9 << 20];
    // snippet: errors
    Mono<Versionstamp> stored =
        kv.set(key, value)
            .retryWhen(Retry.backoff(5, Duration.ofMillis(10)).filter(KvError::isRetryable))
            .onErrorMap(
                e -> KvError.is(e, KvErrorCode.LIMIT_EXCEEDED),
                e -> new IllegalArgumentException("too large", e));
    // end
    assertThatThrownBy(() -> await(stored)).hasMessage("too large");

    // snippet: checkpoint
    Mono<Versionstamp> profile = kv.set(key, value).checkpoint("store the profile");
    // end
    assertThatThrownBy(() -> await(profile)).hasStackTraceContaining("store the profile");
  }
}
