package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.JsonInput;
import io.kvreactive.protocol.Members;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Parses mutations and messages of commits. */
final class MutationJson {
  private static final String TYPE = "type";
  private static final String KEY = "key";
  private static final String VALUE = "value";
  private static final String EXPIRE_IN = "expireIn";
  private static final String EXPIRE_AT = "expireAt";
  private static final String[] ALL = {
    TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT, "min", "max", "clamp", "prefix", "start", "end"
  };

  private static final JsonForm<Long> MILLIS = JsonForm.whole(0, Long.MAX_VALUE);

  private static final List<Long> BACKOFF =
      EnqueueOptions.DEFAULT.backoff().stream().map(Duration::toMillis).toList();

  private MutationJson() {}

  /**
   * Parses a mutation.
   *
   * @param clock the clock of the store, in milliseconds since 1970
   */
  static Mutation of(LongSupplier clock, JsonInput in) {
    String type = in.members(ALL).read(TYPE, JsonForm.TEXT);
    return switch (type) {
      case "set" -> {
        Members<?> fields = in.members(TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT);
        yield new Mutation.Set(
            fields.read(KEY, JsonForm.KEY).bytes(),
            fields.read(VALUE, JsonForm.VALUE),
            expireAt(clock, fields));
      }
      case "setSuffixed" -> {
        Members<?> fields = in.members(TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT);
        yield new Mutation.SetVersionstamped(
            fields.read(KEY, JsonForm.KEY).bytes(),
            fields.read(VALUE, JsonForm.VALUE),
            expireAt(clock, fields));
      }
      case "delete" ->
          new Mutation.Delete(in.members(TYPE, KEY).read(KEY, JsonForm.STORED_KEY).bytes());
      case "deleteRange" -> {
        KvRange range =
            RangeParams.explicit(
                in.members(TYPE, RangeParams.PREFIX, RangeParams.START, RangeParams.END));
        yield new Mutation.DeleteRange(range.startBytes(), range.endBytes());
      }
      case "sum" -> sum(in.members(TYPE, KEY, VALUE, "min", "max", "clamp"));
      case "min" -> {
        Members<?> fields = in.members(TYPE, KEY, VALUE);
        yield new Mutation.Min(
            fields.read(KEY, JsonForm.KEY).bytes(), fields.read(VALUE, JsonForm.VALUE));
      }
      case "max" -> {
        Members<?> fields = in.members(TYPE, KEY, VALUE);
        yield new Mutation.Max(
            fields.read(KEY, JsonForm.KEY).bytes(), fields.read(VALUE, JsonForm.VALUE));
      }
      case "touch" -> touch(clock, in);
      default ->
          throw StrictJson.bad(
              ("%s.type: \"%s\" (expected: set, setSuffixed, delete, deleteRange, sum, min, max or"
                      + " touch)")
                  .formatted(in.objectPlace(), StrictJson.excerpt(type)));
    };
  }

  private static Mutation sum(Members<?> fields) {
    return new Mutation.Sum(
        fields.read(KEY, JsonForm.KEY).bytes(),
        fields.read(VALUE, JsonForm.VALUE),
        bound(fields, "min"),
        bound(fields, "max"),
        fields.read("clamp", JsonForm.FLAG, false));
  }

  private static byte @Nullable [] bound(Members<?> fields, String name) {
    KvValue value = fields.readIfAny(name, JsonForm.VALUE);
    if (value == null) {
      return null;
    }
    if (value.encoding() != KvValue.Encoding.V8) {
      throw new KvException(
          KvErrorCode.TYPE_MISMATCH, name + " (expected: a number or {\"$bigint\":…})");
    }
    return value.bytes();
  }

  private static Mutation touch(LongSupplier clock, JsonInput in) {
    Members<?> fields = in.members(TYPE, KEY, EXPIRE_IN, EXPIRE_AT);
    JsonNode json = in.json();
    boolean never = json.path(EXPIRE_AT).isNull();
    if (!json.has(EXPIRE_AT) && !json.has(EXPIRE_IN)) {
      throw StrictJson.bad(
          in.objectPlace() + ": expireAt or expireIn is missing (null: never expires)");
    }
    return new Mutation.Touch(
        fields.read(KEY, JsonForm.KEY).bytes(), never ? 0 : expireAt(clock, fields));
  }

  private static long expireAt(LongSupplier clock, Members<?> fields) {
    return WriteRequests.expireAt(
        clock, fields.read(EXPIRE_IN, MILLIS, -1L), fields.read(EXPIRE_AT, MILLIS, -1L));
  }

  /**
   * Parses a message to be enqueued.
   *
   * @param clock the clock of the store, in milliseconds since 1970
   */
  static Enqueue enqueue(LongSupplier clock, JsonInput in) {
    Members<?> message = in.members("value", "queue", "delay", "backoff", "keysIfUndelivered");
    long delay = message.read("delay", JsonForm.whole(0, Integer.MAX_VALUE * 1000L), 0L);
    return new Enqueue(
        message.read("queue", JsonForm.TEXT, ""),
        message.read("value", JsonForm.VALUE),
        delay == 0 ? 0 : clock.getAsLong() + delay,
        message.read("backoff", JsonForm.list(JsonForm.whole(0, Long.MAX_VALUE)), BACKOFF),
        message.readList("keysIfUndelivered", JsonForm.KEY).stream().map(KvKey::bytes).toList());
  }
}
