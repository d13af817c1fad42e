package io.kvreactive.web.explorer;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Data of a small shop, with all kinds of keys and values. */
final class Seed {
  static final int PRODUCTS = 1234;
  private static final List<String> NAMES =
      List.of(
          "ada",
          "alan",
          "barbara",
          "claude",
          "donald",
          "edsger",
          "frances",
          "grace",
          "hedy",
          "john",
          "katherine",
          "leslie",
          "margaret",
          "radia",
          "tony");
  private static final List<String> CITIES = List.of("Oslo", "Turin", "Kyoto", "Lima");
  private static final Instant JOINED = Instant.parse("2024-03-01T09:30:00Z");

  private static List<String> exported;
  private static Instant exportedAt;

  private Seed() {}

  /** Returns the lines of an export of this data, made at most a minute ago: sessions expire. */
  static synchronized List<String> lines(Vertx vertx) {
    if (exported == null || exportedAt.isBefore(Instant.now().minus(Duration.ofMinutes(1)))) {
      exportedAt = Instant.now();
      Kv kv = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
      fill(kv);
      exported = kv.admin().exportLines(KvRange.all()).collectList().block(TestServer.TIMEOUT);
      kv.close().block(TestServer.TIMEOUT);
    }
    return exported;
  }

  static void fill(Kv kv) {
    Flux.concat(people(kv), orders(kv), sessions(kv), small(kv), products(kv))
        .then()
        .block(TestServer.TIMEOUT);
  }

  private static Flux<?> people(Kv kv) {
    return Flux.range(0, NAMES.size())
        .concatMap(
            n -> {
              String name = NAMES.get(n);
              String email = name + "@example.org";
              Map<String, Object> user = new TreeMap<>();
              user.put("name", name.substring(0, 1).toUpperCase() + name.substring(1));
              user.put("email", email);
              user.put("age", 28 + n * 3);
              user.put("city", CITIES.get(n % CITIES.size()));
              user.put("joined", JOINED.plus(Duration.ofDays(17L * n)));
              user.put("tags", n % 3 == 0 ? List.of("admin", "beta") : List.of());
              return kv.atomic()
                  .set(KvKey.of("users", name), user)
                  .set(KvKey.of("users_by_email", email), name)
                  .commit();
            });
  }

  private static Flux<?> orders(Kv kv) {
    return Flux.range(1, 40)
        .concatMap(
            n -> {
              KvKey key = KvKey.of("orders", 2026, 1 + n % 12, 1_000_000_000_000L + 7919L * n);
              String status = n % 5 == 0 ? "open" : n % 7 == 0 ? "returned" : "shipped";
              Map<String, Object> order =
                  Map.of(
                      "customer",
                      NAMES.get(n % NAMES.size()),
                      "items",
                      List.of(Map.of("sku", "P-" + n, "count", 1 + n % 3)),
                      "total",
                      12.5 * n,
                      "status",
                      status);
              return kv.set(key, order);
            });
  }

  private static Flux<?> sessions(Kv kv) {
    return Flux.range(0, 12)
        .concatMap(
            n -> {
              byte[] id = BigInteger.valueOf(0x5eed_0000_0000L + 104_729L * n * n).toByteArray();
              Duration left = n < 2 ? Duration.ofMinutes(4 + n) : Duration.ofMinutes(45L * n);
              return kv.set(KvKey.of("sessions", id), Map.of("user", NAMES.get(n)), left);
            });
  }

  private static Flux<?> small(Kv kv) {
    return Flux.concat(
        kv.set(KvKey.of("counters", "visits"), KvU64.of(1_284_311)),
        kv.set(KvKey.of("counters", "signups"), KvU64.of(NAMES.size())),
        kv.set(KvKey.of("settings"), Map.of("owner", "ada")),
        kv.set(KvKey.of("settings", "theme"), "dark"),
        kv.set(KvKey.of("settings", "beta", true), List.of("ada", "grace")),
        kv.set(KvKey.of("settings", "beta", false), null),
        kv.set(KvKey.of("settings", "opened"), JOINED),
        kv.set(KvKey.of("settings", "limit"), 250),
        kv.set(KvKey.of("settings", "ratio"), 12.0),
        kv.set(
            KvKey.of("settings", "largest"), new BigInteger("340282366920938463463374607431768")),
        kv.set(
            KvKey.of("settings", "logo"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10}));
  }

  private static Flux<?> products(Kv kv) {
    return Flux.range(1, PRODUCTS)
        .buffer(500)
        .concatMap(
            batch -> {
              var atomic = kv.atomic();
              for (int n : batch) {
                atomic.set(
                    KvKey.of("products", n),
                    Map.of(
                        "name",
                        "Product " + n,
                        "price",
                        (499 + 10 * n) / 100.0,
                        "stock",
                        n * 37 % 101));
              }
              return atomic.commit();
            });
  }

  static void queues(Kv kv) {
    Mono.when(
            kv.queues().enqueue(Map.of("mail", "welcome", "to", "ada@example.org")),
            kv.queues().enqueue("resize", EnqueueOptions.DEFAULT.withQueue("images")),
            kv.queues().enqueue("resize", EnqueueOptions.DEFAULT.withQueue("images")),
            kv.queues()
                .enqueue(
                    "later",
                    EnqueueOptions.DEFAULT.withQueue("reports").withDelay(Duration.ofHours(3))))
        .block(TestServer.TIMEOUT);
  }
}
