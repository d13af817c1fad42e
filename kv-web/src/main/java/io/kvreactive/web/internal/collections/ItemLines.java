package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.LoadProgress;
import io.kvreactive.index.Collection;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.LoadException;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.rest.Json;
import io.kvreactive.web.internal.rest.LineText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Loads items that are lines of JSON. Blank lines are skipped, and so is a byte order mark.
 *
 * <p>A load asks for hundreds of items ahead, however large they are. So it is made part by part:
 * one is being stored, one waits and one is being read; that much is held, or three lines. What is
 * wrong with a line ends it, when those before it are stored. For one load.
 */
public final class ItemLines {
  private static final int PART_LINES = 4000;
  private static final int PART_CHARS = 4 << 20;
  private static final int PARSED_AHEAD = 64;

  private final Collection<ObjectNode> collection;
  private final ByteBudget.Share share;
  private final long begin = System.nanoTime();
  private @Nullable Throwable failure; // of the lines

  // of parts that are stored
  private long items;
  private long bytes;

  /**
   * A line that may be an item.
   *
   * @param number from 1, blank ones count
   */
  private record Line(long number, String text) {}

  private ItemLines(Collection<ObjectNode> collection, ByteBudget.Share share) {
    this.collection = collection;
    this.share = share;
  }

  /**
   * Loads them; signals as of {@link Collection#load}, of all lines. Errors tell the line.
   *
   * @param share takes what is held of the lines
   */
  public static Flux<LoadProgress> load(
      Collection<ObjectNode> collection, Flux<String> lines, ByteBudget.Share share) {
    return Flux.defer(() -> new ItemLines(collection, share).load(lines));
  }

  private Flux<LoadProgress> load(Flux<String> lines) {
    return lines
        .index(
            (before, text) -> new Line(before + 1, before == 0 ? LineText.withoutMark(text) : text))
        .filter(line -> !line.text().isBlank())
        .doOnNext(line -> share.take(line.text().length()))
        .onErrorResume(
            e -> { // told when the lines before are stored
              failure = e;
              return Flux.empty();
            })
        .bufferUntil(new Cut(), true)
        .concatMap(this::store, 1)
        .concatWith(Mono.defer(() -> failure == null ? Mono.empty() : Mono.error(failure)));
  }

  private Flux<LoadProgress> store(List<Line> part) {
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
        .doOnTerminate( // who cancels gives all of it back
            () -> share.give(part.stream().mapToLong(line -> line.text().length()).sum()));
  }

  private static ObjectNode parse(Line line) {
    JsonNode json =
        Json.parseLine(line.text(), why -> invalid("line " + line.number() + ", " + why));
    if (json instanceof ObjectNode item) {
      return item;
    }
    String type = json.getNodeType().name().toLowerCase(Locale.ROOT);
    throw invalid("line " + line.number() + ": " + type);
  }

  private static IndexException invalid(String why) {
    return new IndexException(
        IndexErrorCode.INVALID_ITEM,
        why + " (expected: a JSON object with an id); those before it are stored");
  }

  private static Throwable located(Throwable e, List<Line> part) {
    if (e instanceof LoadException item) {
      long line = part.get((int) item.position() - 1).number();
      return new IndexException(
          item.code(), "line " + line + ": " + item.reason() + "; those before it are stored", e);
    }
    return e instanceof KvException known
        ? new KvException(
            known.code(), "from line " + part.get(0).number() + " on: " + known.detail(), known)
        : e;
  }

  /** Whether a line is the first of a new part. For one load. */
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
