package io.kvreactive.crash;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fills log segments without free file descriptors, while another thread takes each descriptor that
 * becomes free; then releases them. Prints the outcome.
 */
final class DescriptorsChild {
  private static final byte[] VALUE = new byte[1 << 20];
  private static final int SEGMENT_VALUES = 17;

  private final Path directory;
  private final List<FileChannel> hoard = new ArrayList<>();
  private volatile boolean greedy;
  private int written;

  /** Prefix of the lines for the parent process. */
  static final String TOLD = "told: ";

  private DescriptorsChild(Path directory) {
    this.directory = directory;
  }

  public static void main(String[] args) {
    int code = 1;
    try {
      loadClasses();
      Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]).resolve("store"))).block();
      new DescriptorsChild(Path.of(args[0])).run(kv);
      kv.close().block();
      tell("closed");
      code = 0;
    } catch (Exception e) {
      e.printStackTrace();
    }
    System.exit(code); // after a failure the threads of the store go on
  }

  /** The first use of a class from a directory takes a descriptor. */
  private static void loadClasses() throws Exception {
    for (String entry : System.getProperty("java.class.path").split(":")) {
      Path root = Path.of(entry);
      if (!Files.isDirectory(root.resolve("io/kvreactive/internal"))) {
        continue;
      }
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          String name = root.relativize(file).toString().replace('/', '.');
          if (!name.contains("Test") && !name.contains("-info")) {
            try {
              Class.forName(
                  name.substring(0, name.length() - ".class".length()),
                  false,
                  DescriptorsChild.class.getClassLoader());
            } catch (LinkageError e) {
              continue; // of an optional dependency
            }
          }
        }
      }
    }
  }

  private void run(Kv kv) throws Exception {
    for (int i = 0; i < SEGMENT_VALUES; i++) {
      write(kv);
    }
    hoard();
    while (written < 4 * SEGMENT_VALUES) {
      if (refusal(kv) != null) {
        Thread.yield(); // until the image writer has freed a segment; bounded by the parent
      }
    }
    tell("written without descriptors");

    greedy = true;
    Thread thief =
        new Thread(
            () -> {
              while (greedy) {
                hoard();
              }
            });
    thief.start();
    KvException refused = null;
    for (int i = 0; i < 4 * SEGMENT_VALUES && refused == null; i++) {
      refused = refusal(kv);
    }
    greedy = false;
    thief.join();
    release();
    while (kv.admin().stats().block().failure() != null) {
      Thread.onSpinWait(); // bounded by the parent
    }
    write(kv);
    tell(String.valueOf(written));
  }

  private static void tell(String line) {
    System.out.println(TOLD + line);
  }

  private void write(Kv kv) {
    kv.set(KvKey.of("n", written), VALUE).block(Duration.ofSeconds(60));
    written++;
  }

  /** Writes a value. Returns the failure if the store is overloaded, otherwise null. */
  private @Nullable KvException refusal(Kv kv) {
    try {
      write(kv);
      return null;
    } catch (KvException e) {
      if (e.code() != KvErrorCode.OVERLOADED) {
        throw e;
      }
      return e;
    }
  }

  private void hoard() {
    try {
      while (true) {
        hoard.add(FileChannel.open(directory, StandardOpenOption.READ));
      }
    } catch (IOException e) {
      Thread.onSpinWait(); // no descriptors left
    }
  }

  private void release() throws IOException {
    for (FileChannel channel : hoard) {
      channel.close();
    }
  }
}
