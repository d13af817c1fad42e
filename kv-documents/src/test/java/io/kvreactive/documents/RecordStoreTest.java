package io.kvreactive.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests of typed records with indexes by functions, without documents. */
@ExtendWith(VertxExtension.class)
class RecordStoreTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  record User(String id, String email, @Nullable String color, int age) {}

  private Kv kv;
  private RecordStore<User> users;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.inMemory(vertx).block(LONG);
    users =
        RecordStore.of(kv, "users", User.class, User::id)
            .unique("email", User::email)
            .index("color", User::color)
            .index("color_and_age", u -> u.color() == null ? null : List.of(u.color(), u.age()));
  }

  @AfterEach
  void close() {
    kv.close().block(LONG);
  }

  private static User user(String id, String color, int age) {
    return new User(id, id + "@example.com", color, age);
  }

  private List<String> ids(Flux<User> found) {
    return found.map(User::id).collectList().block(LONG);
  }

  private List<String> keys() {
    return kv.list(KvRange.all()).map(entry -> entry.key().toString()).collectList().block(LONG);
  }

  @Test
  void findsRecordsByKeyAndByIndex() {
    users.insert(user("ada", "blue", 36)).block(LONG);
    users.insert(user("bob", "red", 20)).block(LONG);
    users.insert(user("cyd", "blue", 51)).block(LONG);
    assertThat(users.find("bob").block(LONG).age()).isEqualTo(20);
    assertThat(users.find("eve").blockOptional(LONG)).isEmpty();
    assertThat(users.findBy("email", "cyd@example.com").block(LONG).id()).isEqualTo("cyd");
    assertThat(users.findBy("email", "nobody").blockOptional(LONG)).isEmpty();
    assertThat(ids(users.listBy("color", "blue"))).containsExactly("ada", "cyd");
    assertThat(ids(users.listBy("color_and_age", "blue"))).containsExactly("ada", "cyd");
    assertThat(ids(users.listBy("color_and_age", List.of("blue", 51)))).containsExactly("cyd");
    assertThat(ids(users.listBy("color", ListOptions.DEFAULT.withReverse(true))))
        .containsExactly("bob", "cyd", "ada");
    assertThat(ids(users.list())).containsExactly("ada", "bob", "cyd");
  }

  @Test
  void writesEntriesUnderDocumentedKeys() {
    users.insert(user("ada", "blue", 36)).block(LONG);
    assertThat(kv.get(KvKey.of("users_by_email", "ada@example.com")).block(LONG).value())
        .isEqualTo("ada");
    assertThat(kv.get(KvKey.of("users_by_color", "blue", "ada")).block(LONG).value())
        .isEqualTo("ada");
  }

  @Test
  void rejectsTakenKeysAndUniqueValues() {
    users.insert(user("ada", "blue", 36)).block(LONG);
    List<String> before = keys();
    assertThatThrownBy(() -> users.insert(user("ada", "red", 1)).block(LONG))
        .isInstanceOfSatisfying(
            DocumentException.class,
            e -> assertThat(e.code()).isEqualTo(DocumentErrorCode.ITEM_EXISTS));
    User twin = new User("twin", "ada@example.com", "red", 1);
    for (Mono<User> taken : List.of(users.insert(twin), users.put(twin))) {
      assertThatThrownBy(() -> taken.block(LONG)).hasMessageContaining("users_by_email");
    }
    assertThat(keys()).isEqualTo(before);
  }

  @Test
  void movesEntriesOfAChangedRecord() {
    users.insert(user("ada", "blue", 36)).block(LONG);
    users.update("ada", u -> new User("ada", "new@example.com", null, 37)).block(LONG);
    assertThat(keys()).hasSize(2); // the record and its email
    assertThat(users.findBy("email", "ada@example.com").blockOptional(LONG)).isEmpty();
    users.put(user("ada", "green", 38)).block(LONG);
    assertThat(ids(users.listBy("color", "green"))).containsExactly("ada");
    assertThat(users.delete("ada").block(LONG).age()).isEqualTo(38);
    assertThat(keys()).isEmpty();
    assertThat(users.delete("ada").blockOptional(LONG)).isEmpty();
    assertThat(users.update("ada", u -> u).blockOptional(LONG)).isEmpty();
  }

  @Test
  void rejectsUpdatesThatChangeTheKey() {
    users.insert(user("ada", "blue", 36)).block(LONG);
    assertThatThrownBy(() -> users.update("ada", u -> user("eve", "blue", 1)).block(LONG))
        .hasMessageContaining("[\"users\", \"ada\"]");
  }

  @Test
  void changesSeveralStoresInOneTransaction() {
    RecordStore<User> archive = RecordStore.of(kv, "archive", User.class, User::id);
    users.insert(user("ada", "blue", 36)).block(LONG);
    kv.transact(tx -> users.delete(tx, "ada").flatMap(u -> archive.put(tx, u))).block(LONG);
    assertThat(users.find("ada").blockOptional(LONG)).isEmpty();
    assertThat(archive.find("ada").block(LONG).age()).isEqualTo(36);
  }

  @Test
  void rebuildsAnIndexAddedLater() {
    RecordStore<User> plain = RecordStore.of(kv, "users", User.class, User::id);
    Flux.range(0, 250).concatMap(i -> plain.insert(user("u" + i, "c" + i % 3, i))).blockLast(LONG);
    assertThat(ids(users.listBy("color", "c1"))).isEmpty();
    kv.set(KvKey.of("users_by_color", "gone", "u1"), "u1").block(LONG);
    assertThat(users.rebuild().collectList().block(LONG)).containsExactly(100L, 200L, 250L);
    assertThat(ids(users.listBy("color", "c1"))).hasSize(83);
    assertThat(keys()).hasSize(250 * 4).noneMatch(key -> key.contains("gone"));
  }

  @Test
  void namesTheCauseInErrors() {
    assertThatThrownBy(() -> users.findBy("color", "blue").block(LONG))
        .hasMessage("INVALID_ARGUMENT: index: \"color\" (expected: one of [email])");
    assertThatThrownBy(() -> users.listBy("size", "XL").blockLast(LONG))
        .hasMessage(
            "INVALID_ARGUMENT: index: \"size\" (expected: one of [email, color, color_and_age])");
    assertThatThrownBy(() -> users.index("email", User::email)).hasMessageContaining("unused name");
    assertThatThrownBy(() -> users.insert(user(null, "blue", 1)).block(LONG))
        .hasMessage("INVALID_ITEM: the key of a record is null");
  }

  @Test
  void keepsIndexesConsistentUnderConflicts() {
    Random random = new Random(7);
    Flux.fromStream(IntStream.range(0, 400).boxed())
        .flatMap(
            i -> {
              User next = user("u" + random.nextInt(12), "c" + random.nextInt(3), i);
              return random.nextInt(4) == 0 ? users.delete(next.id()) : users.put(next);
            },
            8)
        .blockLast(LONG);
    Map<String, User> records = new HashMap<>();
    users.list().doOnNext(u -> records.put(u.id(), u)).blockLast(LONG);
    for (String color : List.of("c0", "c1", "c2")) {
      assertThat(ids(users.listBy("color", color)))
          .containsExactlyInAnyOrderElementsOf(
              records.values().stream()
                  .filter(u -> u.color().equals(color))
                  .map(User::id)
                  .toList());
    }
    assertThat(keys()).hasSize(records.size() * 4);
  }
}
