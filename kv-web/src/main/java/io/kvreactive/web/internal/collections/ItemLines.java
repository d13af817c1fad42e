package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.LoadException;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.JsonTreeSize;
import io.kvreactive.web.internal.rest.LineText;
import io.kvreactive.web.internal.rest.StrictJson;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Loads items from lines of JSON. Blank lines and a leading byte order mark are skipped. For one
 * load.
 *
 * <p>A load requests hundreds of items ahead, regardless of their size. Therefore the input is
 * loaded in parts: one part is being stored, one waits, and one is being read. At most three parts
 * of 4 Mi characters, or three larger lines, are held. An invalid line ends the load after the
 * lines before it were stored.
 */
public final class ItemLines {
  private static final int PART_LINES = 4000;
  private static final int PART_CHARS = 4 << 20;
  private static final int PARSED_AHEAD = 64;

  private final DocumentCollection<ObjectNode> collection;
  private final ByteBudget.Share share;
  private final ByteBudget.Share trees;
  private final long begin = System.nanoTime();
  private @Nullable Throwable failure; // the failure of the input

  // totals of the stored parts
  private long items;
  private long bytes;

  /**
   * A line that is not blank.
   *
   * @param number the number of the line, from 1, including blank lines
   * @param before the number of items before the line
   * @param treeBytes the estimated memory of the parsed item
   */
  private record Line(long number, long before, String text, long treeBytes) {
    Line after(long items) {
      return new Line(number, items, text, treeBytes);
    }
  }

  private ItemLines(
      DocumentCollection<ObjectNode> collection, ByteBudget.Share share, ByteBudget.Share trees) {
    this.collection = collection;
    this.share = share;
    this.trees = trees;
  }

  /**
   * Loads items. Signals as {@link DocumentCollection#load} does, for all lines; the messages of
   * errors name the line.
   *
   * @param share the share that is charged for the lines
   * @param trees the share that is charged for the parsed items
   */
  public static Flux<LoadProgress> load(
      DocumentCollection<ObjectNode> collection,
      Flux<String> lines,
      ByteBudget.Share share,
      ByteBudget.Share trees) {
    return Flux.defer(() -> new ItemLines(collection, share, trees).load(lines));
  }

  private Flux<LoadProgress> load(Flux<String> lines) {
    return lines
        .index((before, text) -> line(before + 1, before == 0 ? LineText.withoutMark(text) : text))
        .filter(line -> !line.text().isBlank())
        .index((before, line) -> line.after(before))
        .doOnNext(line -> share.take(line.text().length()))
        .onErrorResume(
            e -> { // signalled after the lines before it are stored
              failure = e;
              return Flux.empty();
            })
        .bufferUntil(new Cut(), true)
        .concatMap(this::store, 1)
        .concatWith(
            Mono.defer(() -> failure == null ? Mono.empty() : Mono.error(ofInput(failure))));
  }

  private static Line line(long number, String text) {
    return new Line(number, 0, text, JsonTreeSize.of(text));
  }

  /**
   * Returns the memory of the maximum number of concurrent trees, as if each were as large as the
   * largest.
   */
  private static long treeBytes(List<Line> part) {
    long all = part.stream().mapToLong(Line::treeBytes).sum();
    long largest = part.stream().mapToLong(Line::treeBytes).max().orElse(0);
    return Math.min(all, PARSED_AHEAD * largest);
  }

  private Flux<LoadProgress> store(List<Line> part) {
    long parsedBytes = treeBytes(part);
    trees.take(parsedBytes);
    long itemsBefore = items;
    long bytesBefore = bytes;
    Flux<ObjectNode> parsed =
        Flux.fromIterable(part)
            .publishOn(Schedulers.parallel(), PARSED_AHEAD)
            .map(ItemLines::parse);
    return collection
        .load(parsed)
        .map(
            progress -> {
              items = itemsBefore + progress.entries();
              bytes = bytesBefore + progress.bytes();
              Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
              return new LoadProgress(items, bytes, progress.versionstamp(), elapsed);
            })
        .onErrorMap(e -> located(e, part))
        .doOnTerminate( // on cancel, the request releases its shares
            () -> {
              trees.give(parsedBytes);
              share.give(part.stream().mapToLong(line -> line.text().length()).sum());
            });
  }

  private static ObjectNode parse(Line line) {
    JsonNode json =
        StrictJson.parseLine(
            line.text(), why -> invalid("line " + line.number() + ", " + why, line));
    if (json instanceof ObjectNode item) {
      return item;
    }
    String type = json.getNodeType().name().toLowerCase(Locale.ROOT);
    throw invalid("line " + line.number() + ": " + type, line);
  }

  private static DocumentException invalid(String why, Line line) {
    return new DocumentException(
        DocumentErrorCode.INVALID_ITEM,
        why + " (expected: a JSON object with an id)" + stored(line.before()));
  }

  private static String stored(long items) {
    return "; items stored: " + items;
  }

  private Throwable located(Throwable e, List<Line> part) {
    if (e instanceof LoadException item) {
      Line line = part.get((int) item.position() - 1);
      return new DocumentException(
          item.code(), "line " + line.number() + ": " + item.reason() + stored(line.before()), e);
    }
    return e instanceof KvException known
        ? new KvException(
            known.code(),
            "from line " + part.get(0).number() + " on: " + known.detail() + stored(items),
            known)
        : e;
  }

  /** Returns the failure of the input, after which the lines before it were stored. */
  private Throwable ofInput(Throwable e) {
    return e instanceof KvException known
        ? new KvException(known.code(), known.detail() + stored(items), known)
        : e;
  }

  /** Returns true for a line that begins a new part. An instance serves one load. */
  private static final class Cut implements Predicate<Line> {
    private int lines;
    private long chars;

    @Override
    public boolean test(Line next) {
      lines++;
      chars += next.text().length();
      boolean cut = lines > 1 && (lines > PART_LINES || chars > PART_CHARS);
      if (cut) {
        lines = 1;
        chars = next.text().length();
      }
      return cut;
    }
  }
}
