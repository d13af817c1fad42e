package io.kvreactive.examples.users;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvKey;
import io.kvreactive.examples.MemoryStore;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class UsersTest {
  private static final UserKeys KEYS = new UserKeys(KvKey.of("test"));

  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final User ada = User.of("Ada@example.com", "Ada", "green");
  private Users users;

  @BeforeEach
  void setUp() {
    users = new Users(store.kv(), KEYS);
  }

  private long keys() {
    return await(store.kv().count(KEYS.everything()));
  }

  @Test
  void rejectsATakenAddressInAnyCase() {
    await(users.insert(ada));
    Mono<User> second = users.insert(User.of("ADA@EXAMPLE.COM", "Another", "red"));
    assertThatThrownBy(() -> await(second)).isInstanceOf(EmailTaken.class);
    assertThat(await(users.getByEmail("ada@EXAMPLE.com"))).isEqualTo(ada);
    assertThat(keys()).isEqualTo(3);
  }

  @Test
  void allowsExactlyOneOfConcurrentInsertsOfAnAddress() {
    List<User> winners =
        await(
            Flux.range(0, 200)
                .map(i -> User.of("grace@example.com", "Grace " + i, "blue"))
                .flatMap(
                    user ->
                        users
                            .insert(user)
                            .subscribeOn(Schedulers.parallel())
                            .onErrorResume(EmailTaken.class, taken -> Mono.empty()),
                    200)
                .collectList());
    assertThat(winners).hasSize(1);
    assertThat(await(users.getByEmail("grace@example.com"))).isEqualTo(winners.get(0));
    assertThat(keys()).isEqualTo(3);
  }

  @Test
  void leavesNoKeysAfterDeletion() {
    await(users.insert(ada));
    assertThat(await(users.delete(ada.id()))).isTrue();
    assertThat(keys()).isZero();
    assertThat(await(users.delete(ada.id()))).isFalse();
  }

  @Test
  void leavesNoKeysAfterDeletionDuringChanges() {
    await(users.insert(ada));
    Mono<Long> changes =
        Flux.range(0, 10)
            .concatMap(
                i ->
                    users.update(
                        ada.id(), u -> u.withColour("c" + i).withEmail(i + "@example.com")))
            .count();
    assertThat(await(Mono.zip(changes, users.delete(ada.id()))).getT2()).isTrue();
    assertThat(keys()).isZero();
  }

  @Test
  void movesIndexEntriesOnChange() {
    await(users.insert(ada));
    await(users.update(ada.id(), user -> user.withEmail("countess@example.com").withColour("red")));
    assertThat(await(users.getByEmail("ada@example.com"))).isNull();
    assertThat(await(users.getByEmail("countess@example.com")).name()).isEqualTo("Ada");
    assertThat(await(users.ofColour("green").collectList())).isEmpty();
    assertThat(await(users.ofColour("red").map(User::name).collectList())).containsExactly("Ada");
    assertThat(keys()).isEqualTo(3);
  }

  @Test
  void rejectsAChangeToATakenAddress() {
    await(users.insert(ada));
    await(users.insert(User.of("alan@example.com", "Alan", "green")));
    Mono<User> change = users.update(ada.id(), user -> user.withEmail("alan@example.com"));
    assertThatThrownBy(() -> await(change)).isInstanceOf(EmailTaken.class);
    assertThat(await(users.getByEmail("ada@example.com"))).isEqualTo(ada);
  }

  @Test
  void listsUsersOfAColourInSignUpOrder() {
    List<User> green =
        await(
            Flux.range(0, 250)
                .map(i -> User.of(i + "@example.com", "User " + i, "green"))
                .concatMap(users::insert)
                .collectList());
    assertThat(await(users.ofColour("green").collectList())).isEqualTo(green);
  }
}
