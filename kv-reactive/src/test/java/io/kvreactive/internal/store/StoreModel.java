package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A simple model of random commits, with the state at every version. */
final class StoreModel {
  private static final ValueMapper VALUES = new ValueMapper();
  private static final int KEYS = 3000;

  private static final long HOUR = 3_600_000;

  /** A value and its expiry. Expiries are further apart than the duration of a test. */
  private record Cell(KvValue value, long expireAt) {
    boolean isPresent(long now) {
      return expireAt == 0 || expireAt > now;
    }
  }

  private final Random random;
  private final List<TreeMap<byte[], Cell>> history = new ArrayList<>();
  private long now = System.currentTimeMillis();

  StoreModel(Random random) {
    this.random = random;
    history.add(new TreeMap<>(Arrays::compareUnsigned));
  }

  long lastVersion() {
    return history.size() - 1;
  }

  /** The clocks of the stores. */
  ClockSources clocks() {
    return new ClockSources(() -> now, () -> now * 1_000_000, () -> 0);
  }

  /** The wall clock of the stores. */
  long now() {
    return now;
  }

  /** Advances time by an hour. */
  void pass() {
    now += HOUR;
  }

  private TreeMap<byte[], Cell> latest() {
    return history.get(history.size() - 1);
  }

  /** Discards the versions after one, like a power loss. */
  void truncate(long version) {
    while (lastVersion() > version) {
      history.remove(history.size() - 1);
    }
  }

  /**
   * Returns a random commit that will succeed. It is already applied to the model as the next
   * version.
   */
  Commit next() {
    TreeMap<byte[], Cell> state = new TreeMap<>(latest());
    List<Mutation> mutations = new ArrayList<>();
    List<Check> checks = new ArrayList<>();
    int size = random.nextInt(10) == 0 ? random.nextInt(200) : random.nextInt(4);
    for (int i = 0; i < size; i++) {
      mutations.add(mutation(state));
    }
    byte[] absent = "no such key".getBytes(StandardCharsets.US_ASCII);
    checks.add(new Check(absent, null));
    history.add(state);
    return new Commit(checks, mutations);
  }

  private Mutation mutation(TreeMap<byte[], Cell> state) {
    byte[] key = key(random.nextInt(KEYS));
    switch (random.nextInt(30)) {
      case 0, 1, 2, 3 -> {
        state.remove(key);
        return new Mutation.Delete(key);
      }
      case 4 -> {
        int from = random.nextInt(KEYS);
        byte[] end = key(from + random.nextInt(random.nextBoolean() ? 20 : 1000));
        byte[] start = key(from);
        state.subMap(start, true, end, false).clear();
        return new Mutation.DeleteRange(start, end);
      }
      case 5, 6 -> {
        byte[] counter = counter(random.nextInt(5));
        KvU64 before =
            isPresent(state, counter)
                ? VALUES.decode(state.get(counter).value, KvU64.class)
                : new KvU64(0);
        KvU64 operand = new KvU64(random.nextLong());
        state.put(counter, new Cell(VALUES.encode(new KvU64(before.bits() + operand.bits())), 0));
        return new Mutation.Sum(counter, VALUES.encode(operand), null, null, false);
      }
      case 7, 8, 9 -> {
        byte[] touched = random.nextInt(10) == 0 ? counter(random.nextInt(5)) : key;
        long expireAt = expireAt();
        if (isPresent(state, touched)) {
          state.put(touched, new Cell(state.get(touched).value, expireAt));
        }
        return new Mutation.Touch(touched, expireAt);
      }
      default -> {
        byte[] bytes = new byte[random.nextInt(20) == 0 ? random.nextInt(9000) : 60];
        random.nextBytes(bytes);
        KvValue value = new KvValue(KvValue.Encoding.BYTES, bytes);
        long expireAt = random.nextInt(3) == 0 ? expireAt() : 0;
        state.put(key, new Cell(value, expireAt));
        return new Mutation.Set(key, value, expireAt);
      }
    }
  }

  private boolean isPresent(TreeMap<byte[], Cell> state, byte[] key) {
    Cell cell = state.get(key);
    return cell != null && cell.isPresent(now);
  }

  /** Returns an expiry that is past, near or never. */
  private long expireAt() {
    int hours = random.nextInt(6);
    return hours == 0 ? 0 : now + (hours - 2) * HOUR + HOUR / 2;
  }

  private static byte[] key(int n) {
    return "key%06d".formatted(n).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] counter(int n) {
    return ("counter" + n).getBytes(StandardCharsets.US_ASCII);
  }

  /** Applies the next random commit to a store. */
  void commitTo(Store store) {
    CommitResult result = store.stage(next());
    if (result.versionstamp().equals(Versionstamp.of(lastVersion() - 1))) { // no effects
      TreeMap<byte[], Cell> after = history.remove(history.size() - 1);
      after.values().removeIf(cell -> !cell.isPresent(now));
      TreeMap<byte[], Cell> before = new TreeMap<>(latest());
      before.values().removeIf(cell -> !cell.isPresent(now));
      assertThat(after.equals(before)).as("no change at version " + lastVersion()).isTrue();
    }
    assertThat(result.versionstamp()).isEqualTo(Versionstamp.of(lastVersion()));
  }

  /** Sweeps expired keys of the store, as far as one scan of its indexes reaches. */
  void sweep(Store store, int limit) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      ExpiryScan scan = store.scanExpired(snapshot, new byte[0], limit);
      for (int i = 0; i < scan.expired().size(); ) {
        i = store.stageExpired(snapshot, scan, i);
        if (store.lastStaged() > lastVersion()) {
          history.add(new TreeMap<>(latest()));
        }
      }
      store.publish();
      store.sweptExpired(scan.inMemory());
    }
  }

  /** Asserts that the store equals the model at a version, by scans in both directions. */
  void verify(Store store, long version) {
    TreeMap<byte[], KvValue> expected = new TreeMap<>(Arrays::compareUnsigned);
    history
        .get(Math.toIntExact(version))
        .forEach(
            (key, cell) -> {
              if (cell.isPresent(now)) {
                expected.put(key, cell.value);
              }
            });
    try (StoreSnapshot snapshot = store.snapshot()) {
      assertThat(snapshot.version()).isEqualTo(version);
      StoreView view = snapshot.enter();
      assertThat(scan(view, false)).isEqualTo(text(expected, false));
      assertThat(scan(view, true)).isEqualTo(text(expected, true));
      for (int i = 0; i < 20; i++) {
        byte[] key = key(random.nextInt(KEYS));
        VersionedValue found = view.get(key);
        assertThat(found == null ? null : found.value()).isEqualTo(expected.get(key));
      }
      snapshot.leave();
    }
  }

  private static List<String> scan(StoreView view, boolean reverse) {
    List<String> entries = new ArrayList<>();
    ViewCursor cursor = view.range(new byte[0], new byte[] {(byte) 0xFF}, reverse);
    while (cursor.next()) {
      entries.add(line(cursor.key(), cursor.value()));
    }
    return entries;
  }

  private static List<String> text(Map<byte[], KvValue> state, boolean reverse) {
    List<String> entries = new ArrayList<>();
    state.forEach((key, value) -> entries.add(line(key, value)));
    if (reverse) {
      java.util.Collections.reverse(entries);
    }
    return entries;
  }

  private static String line(byte[] key, KvValue value) {
    return new String(key, StandardCharsets.US_ASCII)
        + "="
        + HexFormat.of().formatHex(value.bytes());
  }
}
