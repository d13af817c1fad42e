package io.kvreactive.web.internal.auth;

import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What those who look after a server may want to prove later: a log of its own, {@code audit}, with
 * fields. Holds neither tokens nor values; what callers sent is cut short and has no line breaks.
 */
public final class Audit {
  private static final Logger LOG = LoggerFactory.getLogger("audit");
  private static final int MAX_LENGTH = 200;
  private static final int PER_SECOND = 20;
  private static final Map<String, Sample> SAMPLES = new ConcurrentHashMap<>();

  private record Sample(Bucket bucket, AtomicLong left) {
    Sample() {
      this(
          Bucket.builder()
              .addLimit(l -> l.capacity(PER_SECOND).refillGreedy(PER_SECOND, Duration.ofSeconds(1)))
              .build(),
          new AtomicLong());
    }
  }

  private @Nullable LoggingEventBuilder builder;

  private Audit(LoggingEventBuilder builder, String event) {
    this.builder = builder.setMessage(event).addKeyValue("event", event);
  }

  /** Something that an administrator did. */
  public static Audit done(String event) {
    return new Audit(LOG.atInfo(), event);
  }

  /**
   * Something that was refused. Of one kind, 20 in a second are logged, and then how many were not:
   * {@code unlogged}.
   *
   * @param event one of a fixed set
   */
  public static Audit refused(String event) {
    Sample sample = SAMPLES.computeIfAbsent(event, first -> new Sample());
    Audit audit = new Audit(LOG.atWarn(), event);
    if (!sample.bucket().tryConsume(1)) {
      sample.left().incrementAndGet();
      audit.builder = null;
      return audit;
    }
    long left = sample.left().getAndSet(0);
    return left == 0 ? audit : audit.with("unlogged", Long.toString(left));
  }

  /** Who did it. */
  public Audit by(@Nullable Grant grant) {
    return grant == null ? this : with("token", grant.name());
  }

  /** With a field; nothing when the value is null. */
  public Audit with(String name, @Nullable String value) {
    if (builder != null && value != null) {
      builder = builder.addKeyValue(name, clean(value));
    }
    return this;
  }

  /** Logs it. */
  public void log() {
    if (builder != null) {
      builder.log();
    }
  }

  /** Text of a caller as it may stand in a log. */
  static String clean(String text) {
    StringBuilder clean = new StringBuilder();
    for (int i = 0; i < text.length() && i < MAX_LENGTH; i++) {
      char c = text.charAt(i);
      boolean harmless = c >= ' ' && c != 0x7F && !(c >= 0x80 && c < 0xA0) && !breaks(c);
      clean.append(harmless ? c : '?');
    }
    return clean.toString();
  }

  private static boolean breaks(char c) {
    return c == '\u2028' || c == '\u2029' || Character.getType(c) == Character.FORMAT;
  }
}
