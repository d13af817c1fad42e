package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.Tries;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finding S3: a server with 256 MiB and default limits answers other callers while a token with
 * READ access runs queries of several minutes.
 */
@Timeout(300)
class QueryAttackTest {
  private static final String OTHER = "/db/other";
  private static final int ROUNDS = Tries.of(3, 10);
  private static final long ANSWERED_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** A query that runs long enough to be counted as long, and ends. */
  private static final String LONG =
      "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr JOIN d IN c.arr WHERE c.n < 10";

  @TempDir Path directory;

  @Test
  void answersOthersWhileQueriesCompute() throws Exception {
    try (AttackedServer server = AttackedServer.start(directory, "256m")) {
      QueryAttack user = new QueryAttack(server.uri(), server.token("user", "READ", "WRITE"));
      QueryAttack admin =
          new QueryAttack(server.uri(), server.token("admin", "READ", "WRITE", "ADMIN"));
      admin.prepare("");
      server.admin("PUT", OTHER + "/api/v1/collections/numbers", "{}");
      ask(user, "", 0);
      ask(user, OTHER, 0);
      try (QueryAttack attack = new QueryAttack(server.uri(), server.token("reader", "READ"))) {
        attack.begin("", 8);
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
          nanos.addAll(ask(user, OTHER, i));
          nanos.addAll(ask(user, "", i));
        }
        Collections.sort(nanos);
        System.out.printf(
            "S3: %d answers, p50 %.1f ms, p99 %.1f ms, max %.1f ms%n",
            nanos.size(),
            nanos.get(nanos.size() / 2) / 1e6,
            nanos.get(nanos.size() * 99 / 100) / 1e6,
            nanos.get(nanos.size() - 1) / 1e6);
        assertThat(nanos.get(nanos.size() - 1)).isLessThan(ANSWERED_NANOS);
        awaitOverloaded(attack);
        assertThat(user.query("", LONG).statusCode()).isEqualTo(200); // others may still be running

        attack.close(); // closes the connections, which ends the queries
        awaitFree(attack);
      }
      assertThat(server.isAlive()).as(server.log()).isTrue();
    }
  }

  /** Finding A3: queries of two tokens that collect 60 MB each, 16 at a time. */
  @Test
  void answersOthersWhileQueriesCollect() throws Exception {
    try (AttackedServer server = AttackedServer.start(directory, "256m")) {
      QueryAttack user = new QueryAttack(server.uri(), server.token("user", "READ", "WRITE"));
      server.admin("PUT", "/api/v1/collections/numbers", "{}");
      load(user, 30, 1_000, 2_000);
      List<QueryAttack> attacks =
          List.of(
              new QueryAttack(server.uri(), server.token("reader", "READ")),
              new QueryAttack(server.uri(), server.token("another", "READ")));
      for (int round = 0; round < Tries.of(2, 10); round++) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          answers.add(attacks.get(i % 2).begin("", "SELECT VALUE MAKELIST(c.s) FROM c"));
        }
        for (int asked = 0; asked < 10; asked++) {
          ask(user, "", asked);
        }
        answers.forEach(
            answer ->
                assertThat(answer.join()).containsAnyOf("QUERY_BUDGET_EXCEEDED", "OVERLOADED"));
      }
      HttpResponse<String> few =
          attacks
              .get(0)
              .query("", "SELECT VALUE ARRAY_LENGTH(MAKELIST(c.s)) FROM c WHERE c.n < 1000");
      assertThat(few.body()).contains("\"items\":[1000]");
      assertThat(server.isAlive()).as(server.log()).isTrue();
    }
  }

  /** Finding A3: pages of 16 MiB, 32 at a time. */
  @Test
  void answersOthersWhileLargePagesAreMade() throws Exception {
    try (AttackedServer server = AttackedServer.start(directory, "256m")) {
      QueryAttack user = new QueryAttack(server.uri(), server.token("user", "READ", "WRITE"));
      server.admin("PUT", "/api/v1/collections/numbers", "{}");
      load(user, 10, 30, 60_000);
      List<QueryAttack> attacks =
          List.of(
              new QueryAttack(server.uri(), server.token("reader", "READ")),
              new QueryAttack(server.uri(), server.token("another", "READ")));
      for (int round = 0; round < Tries.of(2, 10); round++) {
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
          answers.add(attacks.get(i % 2).beginLargePage());
        }
        for (int asked = 0; asked < 10; asked++) {
          ask(user, "", asked);
        }
        List<Integer> codes = answers.stream().map(CompletableFuture::join).sorted().toList();
        assertThat(codes).isSubsetOf(200, 503);
      }
      assertThat(server.isAlive()).as(server.log()).isTrue();
    }
  }

  /** Loads items with a text of some length, part by part. */
  private static void load(QueryAttack user, int parts, int items, int length) throws Exception {
    String text = "s".repeat(length);
    for (int part = 0; part < parts; part++) {
      int from = part * items;
      String lines =
          IntStream.range(from, from + items)
              .mapToObj(i -> "{\"id\":\"%d\",\"n\":%d,\"s\":\"%s\"}\n".formatted(i, i, text))
              .collect(Collectors.joining());
      assertThat(
              user.send("POST", "/api/v1/collections/numbers/load", "application/x-ndjson", lines)
                  .statusCode())
          .isEqualTo(200);
    }
  }

  /** Reads and writes items and queries one by an index. Returns the time of each answer. */
  private static List<Long> ask(QueryAttack user, String database, int round) throws Exception {
    String items = database + "/api/v1/collections/numbers/items";
    List<Long> nanos = new ArrayList<>();
    long begin = System.nanoTime();
    String item = "{\"id\":\"mine\",\"mine\":" + round + "}";
    assertThat(user.send("PUT", items + "/mine", "application/json", item).statusCode())
        .isIn(200, 201);
    nanos.add(System.nanoTime() - begin);
    begin = System.nanoTime();
    assertThat(user.send("GET", items + "/mine", "application/json", "").statusCode())
        .isEqualTo(200);
    nanos.add(System.nanoTime() - begin);
    begin = System.nanoTime();
    HttpResponse<String> found =
        user.query(database, "SELECT VALUE c.mine FROM c WHERE c.mine = " + round);
    assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
    assertThat(found.body()).contains("\"items\":[" + round + "]");
    nanos.add(System.nanoTime() - begin);
    return nanos;
  }

  /** Waits until the token has its maximum number of long queries. */
  private static void awaitOverloaded(QueryAttack attack) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      assertThat(System.nanoTime()).as("no limit of long queries").isLessThan(end);
      HttpResponse<String> answer = attack.query("", LONG);
      if (answer.statusCode() == 503) {
        assertThat(answer.body()).contains("OVERLOADED", "of one caller");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        return;
      }
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
  }

  /** Waits until the token may have long queries again. */
  private static void awaitFree(QueryAttack attack) throws Exception {
    long end = System.nanoTime() + ANSWERED_NANOS;
    while (attack.query("", LONG).statusCode() != 200) {
      assertThat(System.nanoTime()).as("queries go on").isLessThan(end);
    }
  }
}
