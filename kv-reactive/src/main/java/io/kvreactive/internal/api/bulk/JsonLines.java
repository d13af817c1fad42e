package io.kvreactive.internal.api.bulk;

import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRecord;
import io.kvreactive.KvValue;
import io.kvreactive.internal.api.Expiry;
import io.kvreactive.json.KvJson;
import io.kvreactive.json.KvLine;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Converts entries to lines of JSON and back. Lines are numbered from 1. An instance has the state
 * of one import.
 */
public final class JsonLines {
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final KvLimits limits;
  private long number;

  private JsonLines(KvLimits limits) {
    this.limits = limits;
  }

  /** Returns the line of a present entry. */
  public static String print(KvEntry<KvValue> entry) {
    return KvJson.print(
        new KvLine(
            entry.key(), entry.required(), entry.versionstamp(), Expiry.millis(entry.expireAt())));
  }

  /** Emits the records of lines up to the first invalid line, whose number is in the error. */
  public static Flux<KvRecord> parse(Publisher<String> lines, KvLimits limits) {
    return Flux.defer(
        () -> {
          JsonLines parser = new JsonLines(limits);
          return Flux.from(lines).handle((line, sink) -> parser.next(line, sink::next));
        });
  }

  private void next(String line, Consumer<KvRecord> records) {
    number++;
    String text = number == 1 && line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line;
    if (text.isBlank()) {
      return;
    }
    KvRecord parsed;
    try {
      parsed = parse(text);
    } catch (KvException e) {
      throw new KvException(e.code(), "line " + number + ": " + e.detail(), e);
    }
    records.accept(parsed);
  }

  /**
   * Parses a line. Also rejects what the store would reject, because that error would concern a
   * whole commit.
   */
  private KvRecord parse(String text) {
    KvLine line = KvJson.parse(text);
    if (line.key().isEmpty()) {
      throw new KvException(KvErrorCode.INVALID_KEY, "the empty key (expected: at least one part)");
    }
    check("key", line.key().bytes().length, limits.maxKeyBytes());
    check("value", line.value().bytes().length, limits.maxValueBytes());
    return new KvRecord(line.key(), line.value(), Expiry.instant(line.expireAt()));
  }

  private static void check(String what, int bytes, int most) {
    if (bytes > most) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          what + " of " + bytes + " bytes (expected: at most " + most + ")");
    }
  }
}
