package io.kvreactive.examples.users;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.examples.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MigrationTest {
  private static final UserKeys KEYS = new UserKeys(KvKey.of("test"));

  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final List<User> present = new ArrayList<>();
  private final List<User> deleted = new ArrayList<>();

  private MigratingUsers users(MigrationPhase phase) {
    return new MigratingUsers(store.kv(), KEYS, phase);
  }

  private EmailMigration migration() {
    return new EmailMigration(store.kv(), KEYS);
  }

  private void insert(MigrationPhase phase, int count) {
    for (int i = 0; i < count; i++) {
      String email = phase + "." + i + "@example.com";
      present.add(await(users(phase).insert(User.of(email, "Name", "green"))));
    }
  }

  private void delete(MigrationPhase phase) {
    User user = present.remove(0);
    assertThat(await(users(phase).delete(user.id()))).isTrue();
    deleted.add(user);
  }

  private void assertReadable(MigrationPhase... phases) {
    for (MigrationPhase phase : phases) {
      MigratingUsers users = users(phase);
      assertThat(present)
          .allSatisfy(user -> assertThat(await(users.getByEmail(user.email()))).isEqualTo(user));
      assertThat(deleted)
          .allSatisfy(user -> assertThat(await(users.getByEmail(user.email()))).isNull());
    }
  }

  @Test
  void readsWritesOfNeighbouringPhases() {
    insert(MigrationPhase.COPIES, 20);
    assertReadable(MigrationPhase.COPIES, MigrationPhase.WRITE_BOTH);

    insert(MigrationPhase.WRITE_BOTH, 5);
    delete(MigrationPhase.WRITE_BOTH);
    assertReadable(MigrationPhase.COPIES, MigrationPhase.WRITE_BOTH);

    assertThat(await(migration().backfill())).isEqualTo(24);
    assertThat(await(migration().backfill())).isEqualTo(24);
    assertReadable(MigrationPhase.WRITE_BOTH, MigrationPhase.READ_POINTERS);

    insert(MigrationPhase.READ_POINTERS, 5);
    delete(MigrationPhase.READ_POINTERS);
    assertReadable(
        MigrationPhase.WRITE_BOTH, MigrationPhase.READ_POINTERS, MigrationPhase.POINTERS);

    insert(MigrationPhase.POINTERS, 5);
    delete(MigrationPhase.POINTERS);
    assertReadable(MigrationPhase.READ_POINTERS, MigrationPhase.POINTERS);

    await(migration().cleanUp());
    assertReadable(MigrationPhase.POINTERS);
    assertOnlyPointersAreLeft();
  }

  private void assertOnlyPointersAreLeft() {
    assertThat(await(store.kv().count(KEYS.copies()))).isZero();
    List<Object> pointers =
        await(store.kv().list(KEYS.emails()).map(KvEntry::required).collectList());
    assertThat(pointers)
        .containsExactlyInAnyOrderElementsOf(
            present.stream().map(user -> (Object) user.id()).toList());
    assertThat(await(store.kv().count(KEYS.everything()))).isEqualTo(2L * present.size());
  }
}
