package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Mutation;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The changes of an atomic commit, from JSON. */
final class Mutations {
  private static final String TYPE = "type";
  private static final String KEY = "key";
  private static final String VALUE = "value";
  private static final String EXPIRE_IN = "expireIn";
  private static final String EXPIRE_AT = "expireAt";
  private static final String[] ALL = {
    TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT, "min", "max", "clamp", "prefix", "start", "end"
  };

  private Mutations() {}

  /**
   * One change.
   *
   * @param clock the store's
   */
  static Mutation of(LongSupplier clock, JsonNode json, String place) {
    String type = Fields.of(json, place, ALL).text(TYPE);
    return switch (type) {
      case "set" -> {
        Fields fields = Fields.of(json, place, TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT);
        yield new Mutation.Set(
            fields.key(KEY).bytes(), fields.value(VALUE), expireAt(clock, fields));
      }
      case "setSuffixed" -> {
        Fields fields = Fields.of(json, place, TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT);
        yield new Mutation.SetSuffixed(
            fields.key(KEY).bytes(), fields.value(VALUE), expireAt(clock, fields));
      }
      case "delete" ->
          new Mutation.Delete(Fields.of(json, place, TYPE, KEY).storedKey(KEY).bytes());
      case "deleteRange" -> {
        KvRange range =
            Ranges.explicit(Fields.of(json, place, TYPE, Ranges.PREFIX, Ranges.START, Ranges.END));
        yield new Mutation.DeleteRange(range.startBytes(), range.endBytes());
      }
      case "sum" -> sum(Fields.of(json, place, TYPE, KEY, VALUE, "min", "max", "clamp"));
      case "min" -> {
        Fields fields = Fields.of(json, place, TYPE, KEY, VALUE);
        yield new Mutation.Min(fields.key(KEY).bytes(), fields.value(VALUE));
      }
      case "max" -> {
        Fields fields = Fields.of(json, place, TYPE, KEY, VALUE);
        yield new Mutation.Max(fields.key(KEY).bytes(), fields.value(VALUE));
      }
      case "touch" -> touch(clock, Fields.of(json, place, TYPE, KEY, EXPIRE_IN, EXPIRE_AT), place);
      default ->
          throw Json.bad(
              ("%s.type: \"%s\" (expected: set, setSuffixed, delete, deleteRange, sum, min, max or"
                      + " touch)")
                  .formatted(place, Json.excerpt(type)));
    };
  }

  private static Mutation sum(Fields fields) {
    return new Mutation.Sum(
        fields.key(KEY).bytes(),
        fields.value(VALUE),
        bound(fields, "min"),
        bound(fields, "max"),
        fields.flag("clamp"));
  }

  private static byte @Nullable [] bound(Fields fields, String name) {
    if (!fields.has(name) || fields.isNull(name)) {
      return null;
    }
    KvValue value = fields.value(name);
    if (value.encoding() != KvValue.Encoding.V8) {
      throw new KvException(
          KvErrorCode.TYPE_MISMATCH, name + " (expected: a number or {\"$bigint\":…})");
    }
    return value.bytes();
  }

  private static Mutation touch(LongSupplier clock, Fields fields, String place) {
    boolean never = fields.isNull(EXPIRE_AT);
    if (!fields.has(EXPIRE_AT) && !fields.has(EXPIRE_IN)) {
      throw Json.bad(place + ": expireAt or expireIn is missing (null: never expires)");
    }
    return new Mutation.Touch(fields.key(KEY).bytes(), never ? 0 : expireAt(clock, fields));
  }

  private static long expireAt(LongSupplier clock, Fields fields) {
    return Writes.expireAt(
        clock,
        fields.whole(EXPIRE_IN, -1, 0, Long.MAX_VALUE),
        fields.whole(EXPIRE_AT, -1, 0, Long.MAX_VALUE));
  }
}
