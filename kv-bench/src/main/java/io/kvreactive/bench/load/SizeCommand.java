package io.kvreactive.bench.load;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.AtomicOperation;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.VerifyReport;
import io.kvreactive.bench.Directories;
import io.kvreactive.bench.Machine;
import io.kvreactive.bench.OpenStore;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/**
 * Measures the disk space of entries and of items, beside the formula of docs/guide/sizing.md. The
 * image is measured when a load has filled it; the log is left out, because its size is an option.
 */
@Command(
    name = "size",
    mixinStandardHelpOptions = true,
    description = "Measures the disk space of entries and items.")
public final class SizeCommand implements Callable<Integer> {
  /**
   * Bytes of an entry in the image beside key and value: lengths, version, expiry, its share of
   * nodes.
   */
  public static final int ENTRY_OVERHEAD = 24;

  /**
   * Bytes of an index entry in the image: path, a short value, the document id and the overhead.
   */
  public static final int INDEX_ENTRY = 60;

  /**
   * The share of a node that is in use after many writes in any order: full nodes are split in
   * half.
   */
  public static final double FILLED = 0.7;

  private static final int SMALL_MEMTABLES = 4 << 20;
  private static final int ITEM_PROPERTIES = 8;

  /**
   * Divides the amount of data into items. The image grows in steps of 1 MiB, which must be small
   * beside it.
   */
  private static final int ITEM_BYTES = 300;

  private static final int[] VALUE_BYTES = {16, 100, 1000, 10_000};

  /**
   * The disk space of one kind of entry or item.
   *
   * @param name what was stored
   * @param content the bytes of an entry or item itself
   * @param measured the bytes of the image for each
   * @param estimated the bytes by the formula
   */
  public record DiskSpace(String name, long content, double measured, double estimated) {}

  @Option(
      names = "--mebibytes",
      description = "Data of each measurement (default: ${DEFAULT-VALUE}).")
  private int mebibytes = 64;

  @Option(names = "--dir", description = "Directory for the stores (default: ${DEFAULT-VALUE}).")
  private Path directory = Path.of("target", "bench");

  /** Returns the disk space of an entry in the image, in bytes. */
  public static double entry(long keyBytes, long valueBytes) {
    return (keyBytes + valueBytes + ENTRY_OVERHEAD) / FILLED;
  }

  /** Returns the disk space of an item, in bytes. */
  public static double item(long jsonBytes, int indexedValues) {
    return entry(0, jsonBytes) + 2 * INDEX_ENTRY + indexedValues * (double) INDEX_ENTRY / FILLED;
  }

  /** Measures all rows of the table. */
  public static List<DiskSpace> measure(Path parent, int mebibytes) throws IOException {
    List<DiskSpace> rows = new ArrayList<>();
    for (int valueBytes : VALUE_BYTES) {
      for (boolean shuffled : new boolean[] {false, true}) {
        rows.add(entries(parent, (mebibytes << 20) / (valueBytes + 40), valueBytes, shuffled));
      }
    }
    rows.add(items(parent, (mebibytes << 20) / ITEM_BYTES));
    return rows;
  }

  private static DiskSpace entries(Path parent, int count, int valueBytes, boolean shuffled)
      throws IOException {
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, count).boxed().toList());
    if (shuffled) {
      Collections.shuffle(numbers, new Random(1));
    }
    Path folder = Directories.fresh(parent, "size");
    try (OpenStore store = new OpenStore(KvOptions.at(folder).withMemoryBytes(SMALL_MEMTABLES))) {
      int each = Math.max(1, (1 << 20) / (valueBytes + 40));
      Flux.fromIterable(numbers)
          .buffer(each)
          .concatMap(
              batch -> {
                AtomicOperation commit = store.kv().atomic();
                batch.forEach(number -> commit.set(key(number), new byte[valueBytes]));
                return commit.commit();
              })
          .blockLast();
      long content = (long) key(0).encoded().length + valueBytes;
      return new DiskSpace(
          "entry of %,d bytes, %s".formatted(content, shuffled ? "any order" : "in order"),
          content,
          perKey(store),
          entry(key(0).encoded().length, valueBytes));
    } finally {
      Directories.remove(folder);
    }
  }

  private static KvKey key(int number) {
    return KvKey.of("bench", "size", number);
  }

  private static double perKey(OpenStore store) {
    VerifyReport report = store.kv().admin().verify().blockLast();
    var stats = store.kv().admin().stats().block();
    if (report == null || stats == null || report.keys() == 0) {
      throw new IllegalStateException("nothing is in the image: load more");
    }
    return (double) stats.storage().imageBytes() / report.keys();
  }

  private static DiskSpace items(Path parent, int count) throws IOException {
    Path folder = Directories.fresh(parent, "size");
    try (OpenStore store = new OpenStore(KvOptions.at(folder).withMemoryBytes(SMALL_MEMTABLES))) {
      var items =
          DocumentStore.over(store.kv())
              .collection("items", ObjectNode.class, CollectionDefinition.DEFAULT);
      items.load(Flux.range(0, count).map(SizeCommand::item)).blockLast();
      Long keys = store.kv().count(KvRange.all()).block();
      if (keys == null) {
        throw new IllegalStateException("no count");
      }
      int json = item(0).toString().length();
      return new DiskSpace(
          "item of %,d bytes with %d indexed values".formatted(json, ITEM_PROPERTIES + 1),
          json,
          perKey(store) * keys / count,
          item(json, ITEM_PROPERTIES + 1));
    } finally {
      Directories.remove(folder);
    }
  }

  private static ObjectNode item(int number) {
    ObjectNode item =
        JsonNodeFactory.instance.objectNode().put("id", "item-%08d".formatted(number));
    for (int i = 0; i < ITEM_PROPERTIES; i++) {
      item.put("property" + i, "value " + new Random(31L * number + i).nextInt(100_000));
    }
    return item;
  }

  @Override
  public Integer call() throws IOException {
    System.out.printf("%-44s %12s %12s%n", "bytes of the image for each", "measured", "formula");
    for (DiskSpace row : measure(directory, mebibytes)) {
      System.out.printf("%-44s %,12.0f %,12.0f%n", row.name(), row.measured(), row.estimated());
    }
    System.out.println(Machine.describe(directory));
    return 0;
  }
}
