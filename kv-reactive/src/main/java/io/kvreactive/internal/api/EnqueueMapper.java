package io.kvreactive.internal.api;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Enqueue;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;

/** Converts messages and their options to the form of engines. */
public final class EnqueueMapper {
  private static final long NANOS_BELOW_A_MILLI = 999_999;

  private EnqueueMapper() {}

  /**
   * Returns the message as a function of the time from which its delay counts.
   *
   * @throws KvException INVALID_ARGUMENT for a time that is out of range
   */
  public static LongFunction<Enqueue> of(KvValue payload, EnqueueOptions options) {
    long delay = millis("delay", options.delay());
    List<Long> backoff = options.backoff().stream().map(wait -> millis("backoff", wait)).toList();
    List<byte[]> keys = options.keysIfUndelivered().stream().map(KvKey::bytes).toList();
    Instant at = options.deliverAt();
    long deliverAt = at == null ? 0 : millis(at);
    return now -> {
      long time = deliverAt != 0 ? deliverAt : delay == 0 ? 0 : Math.max(1, now + delay);
      return new Enqueue(options.queue(), payload, time, backoff, keys);
    };
  }

  /** Converts a time to milliseconds, rounded up. */
  private static long millis(Instant deliverAt) {
    try {
      return Math.max(1, deliverAt.plusNanos(NANOS_BELOW_A_MILLI).toEpochMilli());
    } catch (ArithmeticException | DateTimeException e) {
      throw tooFar("deliverAt", deliverAt, e);
    }
  }

  static long millis(String what, Duration time) {
    try {
      long millis = time.plusNanos(NANOS_BELOW_A_MILLI).toMillis();
      if (millis > Long.MAX_VALUE / 2) {
        throw new ArithmeticException("no room for the time of day");
      }
      return millis;
    } catch (ArithmeticException e) {
      throw tooFar(what, time, e);
    }
  }

  private static KvException tooFar(String what, Object time, Exception cause) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        what + ": " + time + " (expected: fewer than 2^62 milliseconds)",
        cause);
  }
}
