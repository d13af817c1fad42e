package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.kvreactive.KvValue;
import io.kvreactive.VerifyReport;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.verify.Verification;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A value full of frame headers in a frame that a power loss has torn. */
class CraftedValueTest {
  private static final int BYTES = 16 << 20;

  /** Far above the expected time. With a checksum for each header, recovery takes many minutes. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  @TempDir Path directory;

  private Store open() {
    return Store.open(
        StoreOptions.of(directory, new FileDisk(), true, 64 << 20, 1 << 20, 16 << 20), () -> {});
  }

  /** Returns headers that each declare the rest of the value as payload, and a durable commit. */
  private static byte[] headers() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    for (int at = 0; bytes.remaining() >= 40; at = bytes.position()) {
      bytes.putInt(0x4B564652).putInt(BYTES - at - 100).putInt(0).putInt(1);
      bytes.putLong(100).putLong(99).putLong(1);
    }
    return bytes.array();
  }

  @Test
  void recoversAndVerifiesInTimeLinearInTheTail() throws Exception {
    Store store = open();
    store.stage(set("before", new byte[1]));
    store.publish();
    store.stage(set("crafted!!", headers()));
    store.publish();
    store
        .health()
        .fail(new io.kvreactive.KvException(io.kvreactive.KvErrorCode.IO_FAILED, "killed"));
    store.close();
    Path log;
    try (Stream<Path> files = Files.list(directory)) {
      log = files.filter(file -> file.toString().endsWith(".kvlog")).max(Path::compareTo).get();
    }
    byte[] bytes = Files.readAllBytes(log);
    int second = ByteBuffer.wrap(bytes).getInt(120); // recovery checks every eighth byte
    assertThat(second).as("a header of the value, behind that of its frame").isEqualTo(0x4B564652);
    int end = bytes.length;
    while (bytes[end - 1] == 0) {
      end--;
    }
    Arrays.fill(bytes, end - 4096, end, (byte) 0);
    Files.write(log, bytes);

    VerifyReport report = assertTimeoutPreemptively(BOUND, this::verify);
    assertThat(report.sound()).isTrue();
    Store again = assertTimeoutPreemptively(BOUND, this::open);
    assertThat(again.visible()).isBetween(0L, 1L);
    again.close();
  }

  private VerifyReport verify() throws Exception {
    try (Verification verification = Verification.of(directory)) {
      while (verification.step(1_000_000_000)) {
        // to the end
      }
      return verification.report();
    }
  }

  private static Commit set(String key, byte[] value) {
    return Commit.of(new Mutation.Set(key.getBytes(), new KvValue(KvValue.Encoding.BYTES, value)));
  }
}
