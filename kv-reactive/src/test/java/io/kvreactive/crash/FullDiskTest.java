package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** A file system in memory that is really full. */
@ExtendWith(VertxExtension.class)
class FullDiskTest {
  private static final int VALUE = 10_000;

  @TempDir static Path temp;
  private Vertx vertx;
  private Path disk;

  @BeforeEach
  void mount(Vertx vertx) throws Exception {
    this.vertx = vertx;
    disk = Files.createDirectory(temp.resolve("disk"));
    boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", disk.toString());
    if (!mounted) {
      System.out.println("FullDiskTest skipped: mounting a small file system needs root");
    }
    assumeTrue(mounted, "mounting a small file system needs root");
  }

  @AfterEach
  void unmount() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
    run("umount", "-l", disk.toString()); // lazily: the garbage collector releases mappings
    Files.delete(disk);
  }

  private static boolean run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // the program is not installed
    }
  }

  private Kv open() {
    return Kv.open(vertx, KvOptions.at(disk.resolve("store")).withMemoryBytes(2 << 20)).block();
  }

  private static Mono<Versionstamp> write(Kv kv, int n) {
    return kv.set(KvKey.of("n", n), new byte[VALUE]);
  }

  @Test
  void becomesReadOnlyWhileTheDiskIsFull() throws Exception {
    Path ballast = disk.resolve("ballast");
    Files.write(ballast, new byte[12 << 20]);
    Kv kv = open();
    Set<Integer> answered = new TreeSet<>();
    KvException full = null;
    for (int n = 0; n < 10_000 && full == null; n++) {
      try {
        write(kv, n).block();
        answered.add(n);
      } catch (KvException e) {
        full = e;
      }
    }
    assertThat(full).isNotNull();
    assertThat(full.code()).isEqualTo(KvErrorCode.DISK_FULL);
    assertThat(full.retryable()).isTrue();
    assertThat(answered).hasSizeGreaterThan(100);
    assertThat(numbers(kv)).as("still readable, and only what was answered").isEqualTo(answered);

    Files.delete(ballast);
    int next = 10_000;
    write(kv, next)
        .retryWhen(
            Retry.fixedDelay(600, Duration.ofMillis(100))
                .filter(e -> e instanceof KvException failed && failed.retryable()))
        .block();
    answered.add(next);
    assertThat(numbers(kv)).isEqualTo(answered);
    kv.close().block();

    Kv again = open();
    assertThat(numbers(again)).isEqualTo(answered);
    again.close().block();
  }

  private static Set<Integer> numbers(Kv kv) {
    return kv.list(KvRange.prefix("n"), byte[].class)
        .filter(entry -> entry.required().length == VALUE)
        .map(entry -> (int) entry.key().numberAt(1))
        .collect(TreeSet<Integer>::new, TreeSet::add)
        .block();
  }
}
